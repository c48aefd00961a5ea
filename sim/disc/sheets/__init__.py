"""Data sheets of the disc drives that the papers' machines had or could have had: a file each, with every source.

A file is read when its drive is first asked for. Copy one, change it, and name it wherever a drive may be named.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.sim.disc.shipped import named_as_constant, sheets_in
from spindle.sim.named_table import NamedTable

if TYPE_CHECKING:
    from spindle.sim.disc.mechanism import DiscType

DRIVES: "NamedTable[DiscType]" = sheets_in(Path(__file__).parent)
"""The discs by the names that commands and files use."""

SHEETS: "tuple[DiscType, ...]"
BARRACUDA_4LP: "DiscType"
HITACHI_7K1000C: "DiscType"
HITACHI_7K320: "DiscType"
HP7906: "DiscType"
HP7911: "DiscType"
HP7912: "DiscType"
HP7914: "DiscType"
HP7920: "DiscType"
HP7925: "DiscType"
HP7933: "DiscType"
HP7935: "DiscType"
HP7945: "DiscType"
HP7958B: "DiscType"
HP_C2200A: "DiscType"
IBM_2314: "DiscType"
MODCOMP_4134: "DiscType"
MODCOMP_4138: "DiscType"
TOSHIBA_MK2124FC: "DiscType"


def __getattr__(name: str) -> Any:
    return DRIVES.all() if name == "SHEETS" else named_as_constant(name, DRIVES)
