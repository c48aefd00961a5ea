"""Drive files of discs that the papers' machines had or could have had, a file each, with the source of each number.

A file is read when its drive is first asked for. Copy one, change it, and name it wherever a drive may be named.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spindle.sim.named_table import NamedTable, file_table

if TYPE_CHECKING:
    from spindle.sim.disc.flash.drive import DriveType
    from spindle.sim.disc.mechanism import DiscType

D = TypeVar("D", bound="DriveType")


@cache
def kept_sheet(path: Path) -> Any:
    """Return the drive of the sheet at *path*, which is read once."""
    from spindle.sim.disc.sheet_file.sheet import read_sheet  # and YAML, which not every command needs

    return read_sheet(path).disc


def named_as_constant(name: str, table: Mapping[str, D]) -> D:
    """Return the drive that a constant is called by, ``HITACHI_7K320``; AttributeError if there is none."""
    for stem in table:
        if stem.replace(".", "") == name.lower().replace("_", ""):
            return table[stem]
    raise AttributeError(f"there is no drive {name}")


DRIVES: "NamedTable[DiscType]" = file_table(Path(__file__).parent, kept_sheet)
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
