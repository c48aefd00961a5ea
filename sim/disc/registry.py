"""Drives, schedulers and buses by the names that commands and files use."""

from spindle.sim.disc.channel import HP_IB
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import FLASH as FLASH
from spindle.sim.disc.scheduling import CLook, CScan, Look, ReadsFirst, Scan, Sptf, Sstf
from spindle.sim.disc.sheets import DRIVES as DRIVES
from spindle.sim.disc.shipped import SheetTable

STORES: SheetTable[DriveType] = DRIVES | FLASH
"""Discs and solid-state drives."""
SCHEDULERS = {"fcfs": Fcfs, "sstf": Sstf, "scan": Scan, "c-scan": CScan, "look": Look, "c-look": CLook,
              "reads-first": ReadsFirst, "sptf": Sptf}  # fmt: skip
BUSES = {link.name: link for link in (HP_IB,)}
"""Buses by the name that a drive's sheet may give."""
