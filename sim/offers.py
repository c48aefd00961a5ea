"""Finds what installed packages offer by their entry points: policies, schedulers, drives, systems and formats."""

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.sim.error import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

ENTRY_POINTS = {"policy": "spindle.policies", "scheduler": "spindle.schedulers", "drive": "spindle.drives",
          "system": "spindle.systems", "machine": "spindle.machines", "trace format": "spindle.formats"}  # fmt: skip
"""Kinds of part that a user may add, with the entry points for packages."""
SECTION_BEGIN = "[spindle."
"""First characters of the names of sections in which an installed package offers parts."""


def installed_parts(kind: str) -> "dict[str, EntryPoint]":
    """Return the parts of that *kind* that packages offer, by name."""
    return {each.name: each for each in _offers()[kind]} if kind in ENTRY_POINTS else {}


@cache
def _offers() -> "dict[str, tuple[EntryPoint, ...]]":
    """Read once for all kinds what installed packages offer: of two of one name, that of the first on the path."""
    lists = (path for folder in dict.fromkeys(sys.path) for path in Path(folder).glob("*.*-info/entry_points.txt"))
    offering = [path.parent for path in lists if SECTION_BEGIN in path.read_text("utf-8", "replace")]
    found = [each for folder in reversed(offering) for each in _entry_points(folder)]
    return {kind: tuple(each for each in found if each.group == group) for kind, group in ENTRY_POINTS.items()}


def _entry_points(folder: Path) -> "EntryPoints":
    from importlib.metadata import PathDistribution  # code about packages, where one offers a part

    try:
        return PathDistribution(folder).entry_points
    except UnicodeDecodeError:
        raise UserError(f"{folder / 'entry_points.txt'}: entry points are UTF-8 text") from None
