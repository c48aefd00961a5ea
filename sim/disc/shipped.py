"""Drives whose sheets are files of a folder: known by name at once, read when they are first asked for."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spindle.sim.named_table import NamedTable

if TYPE_CHECKING:
    from spindle.sim.disc.flash.drive import DriveType

D = TypeVar("D", bound="DriveType")


def sheets_in(folder: Path) -> NamedTable[Any]:
    """Return the drives in *folder*, by the names of the files."""
    return NamedTable({path.stem: partial(_read, path) for path in sorted(folder.glob("*.yaml"))})


@cache
def _read(path: Path) -> "DriveType":
    from spindle.sim.disc.sheet_file.sheet import read_sheet  # and YAML, which not every command needs

    return read_sheet(path).disc


def named_as_constant(name: str, table: Mapping[str, D]) -> D:
    """Return the drive that a constant is called by, ``HITACHI_7K320``; AttributeError if there is none."""
    for stem in table:
        if stem.replace(".", "") == name.lower().replace("_", ""):
            return table[stem]
    raise AttributeError(f"there is no drive {name}")
