"""Lists known drives and eviction policies, explains measures, and prints BibTeX.

The commands are ``spindle drives``, ``policies``, ``explain`` and ``cite``.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import take_fields
from spindle.cli.printing import align, finish, prose
from spindle.measures import find_measure, measure
from spindle.measures import names as measure_names
from spindle.questions.field import ask
from spindle.questions.settings import Words
from spindle.sim.error import UserError
from spindle.sim.offers import installed_parts
from spindle.sim.quantity import quantity

if TYPE_CHECKING:
    from spindle.sim.disc.flash.sheet import FlashType
    from spindle.sim.disc.mechanism import DiscType



@dataclass(frozen=True)
class DriveList:
    """Options of ``spindle drives``."""

    json: bool = ask(False, "the same, as JSON")


@dataclass(frozen=True)
class Explained:
    """Options of ``spindle explain``: a measure, or none for all."""

    words: Words = ask((), "as spindle run --json names it, or as a page does", first="*", metavar="MEASURE")


@dataclass(frozen=True)
class Cited:
    """Options of ``spindle cite``: systems, drives or policies to cite, or none for Spindle alone."""

    names: Words = ask((), "a system, a drive or an eviction policy", first="*", metavar="NAME")


def drives(arguments: Sequence[str]) -> int:
    """Print the drives that are known by name, with their main numbers; the exit status."""
    options = take_fields("drives", DriveList, arguments)
    from spindle.sim.disc.registry import STORES

    rows = [_drive(name, each) for name, each in STORES.items()]
    if options.json:
        return finish(json.dumps(rows, indent=2))
    table = [["name", "year", "capacity", "rpm", "average seek", "buffer", "sources"], *map(_cells, rows)]
    offered = [f"{name}  of the package {entry.dist.name if entry.dist else entry.module}"
               for name, entry in installed_parts("drive").items()]  # fmt: skip
    foot = """
years are those that a sheet's sources have; they have no prices
a drive of your own: spindle drive --template > drive.yaml, and --drive drive.yaml"""
    return finish("\n".join([*align(table), *offered, foot]))


def _drive(name: str, sheet: "DiscType | FlashType") -> dict[str, Any]:
    """Return the numbers of a drive in seconds and bytes; None for a number that it does not have."""
    from spindle.sim.disc.flash.sheet import FlashType

    kinds = [source.kind for source in sheet.sources.values()]
    common = {"name": name, "title": sheet.name, "year": sheet.year,
              **{kind: kinds.count(kind) for kind in ("cited", "assumed", "fitted")}}  # fmt: skip
    if isinstance(sheet, FlashType):
        return {**common, "kind": "flash", "capacity": sheet.capacity, "rpm": None, "seek": None,
                "buffer": sheet.buffer}  # fmt: skip
    layout, buffer = sheet.layout, sheet.buffer
    return {
        **common, "kind": "disc", "capacity": layout.sectors * layout.sector_bytes, "rpm": sheet.rpm,
        "seek": sheet.seek(max(1, layout.cylinders // 3)),
        "buffer": None if buffer is None else buffer.segments * buffer.blocks * layout.sector_bytes,
    }  # fmt: skip


def _cells(row: Mapping[str, Any]) -> list[str]:
    sources = ", ".join(f"{row[kind]} {kind}" for kind in ("cited", "assumed", "fitted") if row[kind])
    return [
        row["name"], str(row["year"] or "-"), _decimal(row["capacity"]),
        "flash" if row["rpm"] is None else f"{row['rpm']:g}",
        "-" if row["seek"] is None else quantity(row["seek"], "s", 3),
        "-" if row["buffer"] is None else quantity(row["buffer"], "bytes", 3), sources,
    ]  # fmt: skip


def _decimal(size: int) -> str:
    """Return a capacity as makers of drives print it, in powers of 1000: 404 MB, 1 TB."""
    unit, name = next((each for each in ((10**12, "TB"), (10**9, "GB")) if size >= each[0]), (10**6, "MB"))
    return f"{size / unit:.3g} {name}"


def policies(arguments: Sequence[str]) -> int:
    """Print the eviction policies, each with the first sentence of its module; the exit status."""
    ArgumentParser("policies").take(arguments)
    from spindle.sim.eviction.registry import POLICIES

    names: dict[str, list[str]] = {}
    for name, made in POLICIES.items():
        names.setdefault(_says(made), []).append(name)
    lines = [line for says, alike in names.items() for line in _entry(", ".join(alike), says)]
    foot = ("\nwith arguments: --policy 'NAME(argument=value)'; of your own: --policy FILE.py:NAME, "
            "which spindle new policy.py begins")  # fmt: skip
    return finish("\n".join([*lines, *installed_parts("policy"), foot]))


def _says(made: Any) -> str:
    """Return the first sentence of the docstring of the module of *made*, a part."""
    first = (sys.modules[made.__module__].__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.split())


def explain(arguments: Sequence[str]) -> int:
    """Print the definition of one measure, or of all; the exit status."""
    name = " ".join(take_fields("explain", Explained, arguments).words)
    if name:
        if find_measure(name) is None:  # as on a page, ``stop rate``, and no counter of Performance Monitor
            name = name.strip().replace(" ", "_")
        try:
            return finish("\n".join(_explain(measure(name).name)))
        except UserError as error:
            raise UserError(f"{error} spindle explain lists all") from None
    return finish("\n".join(line for each in measure_names() for line in _explain(each)))


def _explain(name: str) -> list[str]:
    found = find_measure(name.replace("*", "NAME"))
    assert found is not None
    unit = "" if found.unit == "1" or "*" in name else f"   [{found.unit}]"
    return _entry(f"{name}{unit}", found.says)


def _entry(head: str, says: str) -> list[str]:
    """Return *head*, and below it, indented, the sentences that *says* has."""
    return [head, prose(says, 4)]


def cite(arguments: Sequence[str]) -> int:
    """Print BibTeX of Spindle and of the sources behind the names given; the exit status."""
    names = take_fields("cite", Cited, arguments).names
    from spindle.citation import cite as bibtex  # and models

    return finish(bibtex(*names))
