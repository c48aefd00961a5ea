"""Writes BibTeX by ``cite``: of Spindle, and of sources behind a run, a system, a drive or an eviction policy."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import STORES
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.systems import system_names
from spindle.version import VERSION, YEAR

REFERENCES_FILE = Path(__file__).with_name("references.toml")
"""The file with the entries of papers, by system and policy."""
SPINDLE_ENTRY = f"""\
@software{{spindle,
  author = {{{{The Spindle authors}}}},
  title = {{Spindle: a discrete-event simulator of storage}},
  version = {{{VERSION}}},
  year = {{{YEAR}}}
}}"""


def cite(*cited: Result | str) -> str:
    """Return BibTeX of Spindle and of the papers and sheets behind each of *cited*.

    Each is a result, or the name of a system, a drive or an eviction policy: ``cite("hp3000", "s3-fifo")``. UserError
    for another name. A policy without a paper, such as LRU, adds nothing.

    >>> cite().splitlines()[0]
    '@software{spindle,'
    """
    entries = [SPINDLE_ENTRY, *(entry for each in cited for entry in _entries(each))]
    return "\n\n".join(dict.fromkeys(entries))


def _entries(cited: Result | str) -> Iterator[str]:
    """Yield the entries of one cited thing: its papers, and an entry with the sources of each of its drives."""
    if isinstance(cited, Result):
        yield from _papers().get(cited.system, ())
        yield from _part_entries(cited.built_of)
    elif not isinstance(cited, str):
        raise UserError(f"cite takes results and names, not {quote(cited)}")
    elif cited in system_names():
        yield from _papers()[cited]
    elif cited.lower() in STORES:
        yield _sheet(STORES[cited.lower()])
    elif cited.lower() in POLICIES:
        yield from _part_entries([POLICIES[cited.lower()]])
    else:
        raise unknown("system, drive or policy", cited, (*system_names(), *STORES, *POLICIES))


def _part_entries(parts: Iterable[object]) -> Iterator[str]:
    """Yield the entries of *parts*, which are types of drives or classes of policies."""
    for part in parts:
        if isinstance(part, DiscType | FlashType):
            yield _sheet(part)
        elif isinstance(part, type):
            yield from _papers().get(part.__name__, ())


def _sheet(sheet: DriveType) -> str:
    """Return an entry for the type of drive *sheet*, whose note lists its published sources."""
    notes = dict.fromkeys(source.note for source in sheet.sources.values() if source.kind == "cited")
    key = re.sub(r"\W", "", sheet.name.lower())
    note = f",\n  note = {{{'; '.join(notes)}}}" if notes else ""
    return f"@misc{{sheet_{key},\n  title = {{Data sheet of the {sheet.name}, as Spindle has it}}{note}\n}}"


@cache
def _papers() -> Mapping[str, Sequence[str]]:
    """Return the entries by the name of the system or policy class that they describe."""
    found: dict[str, list[str]] = {}
    for paper in tomllib.loads(REFERENCES_FILE.read_text("utf-8"))["papers"]:
        for name in paper["of"]:
            found.setdefault(name, []).append(paper["bibtex"])
    return found
