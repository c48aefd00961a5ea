"""Data sheets of the drives that the papers' machines had, or could have had: every number with its source."""

from sim.disc.sheets.cs80 import HP7911, HP7912, HP7914, HP7933, HP7935, HP7945, HP7958B
from sim.disc.sheets.hpib import HP_C2200A
from sim.disc.sheets.ibm import IBM_2314
from sim.disc.sheets.laptop import TOSHIBA_MK2124FC
from sim.disc.sheets.mac import HP7906, HP7920, HP7925
from sim.disc.sheets.modcomp import MODCOMP_4134, MODCOMP_4138
from sim.disc.sheets.sata import HITACHI_7K320, HITACHI_7K1000C
from sim.disc.sheets.seagate import BARRACUDA_4LP

__all__ = ["BARRACUDA_4LP", "HITACHI_7K320", "HITACHI_7K1000C", "HP7906", "HP7911", "HP7912", "HP7914",
           "HP7920", "HP7925", "HP7933", "HP7935", "HP7945", "HP7958B", "HP_C2200A", "IBM_2314",
           "MODCOMP_4134", "MODCOMP_4138", "SHEETS", "TOSHIBA_MK2124FC"]

SHEETS = (HP7906, HP7920, HP7925, HP7911, HP7912, HP7914, HP7933, HP7935, HP7945, HP7958B, HP_C2200A, IBM_2314,
          MODCOMP_4134, MODCOMP_4138, TOSHIBA_MK2124FC, BARRACUDA_4LP, HITACHI_7K1000C, HITACHI_7K320)
