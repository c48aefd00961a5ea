"""Loads as sheets: the calibrated one, and that of an IMAGE application; every number of a load with its source."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spindle.models.hp3000.discs import EXTENTS
from spindle.sim.parameter import ParameterSource, read_sources
from spindle.sim.streams import Distribution, Uniform
from spindle.workloads.programs import Act, ReadFile, WriteFile

Use = ReadFile | WriteFile
Uses = Mapping[str, Sequence[Use]]
"""Acts that use a session's own files, by the file."""


def file_size(least: int, acts: Iterable[Use]) -> int:
    """Return the bytes of a file that *acts* read and write: those of the longest pass.

    A source, for one, holds what a compiler reads. No file is smaller than *least*, the parameter ``file_bytes``.
    """
    return max(least, *(round(act.record * longest(act.times)) for act in acts))


def longest(times: Distribution) -> float:
    """Return the most that *times* may draw, or its mean where that has no bound."""
    return times.high if isinstance(times, Uniform) else times.mean


def uses_of(acts: Iterable[Act]) -> Uses:
    """Return those of *acts* that read or write a session's own file, by its name."""
    found: dict[str, list[Use]] = {}
    for act in acts:
        if isinstance(act, Use):
            found.setdefault(act.file, []).append(act)
    return found


@dataclass(frozen=True)
class LoadSheet:
    """Scripts of *clerks* and of *programmers*, and *settings*, the load's values of parameters, each in *sources*.

    A data set is built in *set_extents*. With *put_entries* a new entry of a set goes behind the last one, so many to a
    block, whoever puts it; with 0 it goes where its user was.
    """

    clerks: str = "orders_63.tepe"
    programmers: str = "development_38.tepe"
    settings: Mapping[str, float] = field(default_factory=dict)
    set_extents: int = EXTENTS
    put_entries: int = 0
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)


CALIBRATED = LoadSheet()
"""The load whose numbers are those of MpeParameters: fitted until the paper's rows were met."""


def _read_image_load() -> LoadSheet:
    """Read the load of an IMAGE application; its numbers *as_written* are all 1."""
    table = tomllib.loads(Path(__file__).with_name("image_load.toml").read_text("utf-8"))
    as_written, sources = table.pop("as_written"), read_sources(table.pop("sources"))
    return LoadSheet(
        settings={**dict.fromkeys(as_written, 1.0), **table.pop("settings")},
        sources={**dict.fromkeys(as_written, sources.pop("as_written")), **sources}, **table,
    )  # fmt: skip


LOADS: Mapping[str, LoadSheet] = {"calibrated": CALIBRATED, "image": _read_image_load()}
