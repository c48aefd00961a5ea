"""Tables of drives, schedulers and buses by the names that commands and files use; each is loaded when asked for."""

from typing import TYPE_CHECKING

from spindle.sim.disc.flash.sheets import FLASH as FLASH
from spindle.sim.disc.sheets import DRIVES as DRIVES
from spindle.sim.named_table import NamedTable, import_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from spindle.sim.disc.channel import Link
    from spindle.sim.disc.drive import Scheduler
    from spindle.sim.disc.flash.drive import DriveType

STORES: "NamedTable[DriveType]" = DRIVES | FLASH
"""Discs and solid-state drives."""
KINDS_OF_DRIVES = dict.fromkeys(("ssd", "nvme", "flash"), ("solid-state drives are", FLASH)) | dict.fromkeys(
    ("hdd", "disc", "disk"), ("discs are", DRIVES))  # fmt: skip
"""Words that users type for a kind of drive and not for one drive, each with the drives of that kind."""
_ORDERS = "spindle.sim.disc.scheduling:"
SCHEDULERS: "NamedTable[Callable[..., Scheduler]]" = import_table({
    "fcfs": "spindle.sim.disc.drive:Fcfs", "sstf": f"{_ORDERS}Sstf", "scan": f"{_ORDERS}Scan",
    "c-scan": f"{_ORDERS}CScan", "look": f"{_ORDERS}Look", "c-look": f"{_ORDERS}CLook",
    "kyber": "spindle.sim.disc.kyber:Kyber", "mq-deadline": "spindle.sim.disc.mq_deadline:MqDeadline",
    "reads-first": f"{_ORDERS}ReadsFirst", "sptf": f"{_ORDERS}Sptf"})  # fmt: skip
BUSES: "NamedTable[Link]" = import_table({"HP-IB": "spindle.sim.disc.channel:HP_IB"})
"""Buses by the name that a drive file may have."""
