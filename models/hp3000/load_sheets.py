"""Defines two loads, each number with its source: one calibrated on the paper, one of an application of IMAGE.

IMAGE is HP's data base. To the second load nothing was fitted.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spindle.models.hp3000.discs import DEFAULT_EXTENTS
from spindle.sim.parameter import ParameterSource, read_sources
from spindle.sim.streams import Distribution, Uniform
from spindle.workloads.programs import Act, ReadFile, WriteFile

Use = ReadFile | WriteFile
Uses = Mapping[str, Sequence[Use]]
"""Acts of programs that read or write a session's own files, by the file's name."""


def file_size(least: int, acts: Iterable[Use]) -> int:
    """Return the bytes of a file that *acts* read and write: as many as the longest of them may use.

    So a source file has all records that a compiler reads. *least*, the parameter ``file_bytes``, is the smallest size.
    """
    return max(least, *(round(act.record * longest(act.times)) for act in acts))


def longest(times: Distribution) -> float:
    """Return the most that *times* may draw, or its mean where that has no bound."""
    return times.high if isinstance(times, Uniform) else times.mean


def uses_of(acts: Iterable[Act]) -> Uses:
    """Return the *acts* that read or write a session's own file, by the file's name."""
    found: dict[str, list[Use]] = {}
    for act in acts:
        if isinstance(act, Use):
            found.setdefault(act.file, []).append(act)
    return found


@dataclass(frozen=True)
class LoadSheet:
    """A load: the script files of *clerks* and *programmers*, and *settings*, its values of a run's parameters.

    *sources* has where each number is from. A data set is a file of *set_extents* extents. With *put_entries* above 0,
    new entries of a set follow the last one, as many to a block as that; with 0 an entry goes to its user's position.
    """

    clerks: str = "orders_63.tepe"
    programmers: str = "development_38.tepe"
    settings: Mapping[str, float] = field(default_factory=dict)
    set_extents: int = DEFAULT_EXTENTS
    put_entries: int = 0
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)


CALIBRATED = LoadSheet()
"""The load that has the defaults of MpeParameters: fitted until the numbers that the paper prints were met."""


def _read_image_load() -> LoadSheet:
    """Read the load of an IMAGE application; the factors that its file lists as *as_written* are all 1."""
    table = tomllib.loads(Path(__file__).with_name("image_load.toml").read_text("utf-8"))
    as_written, sources = table.pop("as_written"), read_sources(table.pop("sources"))
    return LoadSheet(
        settings={**dict.fromkeys(as_written, 1.0), **table.pop("settings")},
        sources={**dict.fromkeys(as_written, sources.pop("as_written")), **sources}, **table,
    )  # fmt: skip


LOADS: Mapping[str, LoadSheet] = {"calibrated": CALIBRATED, "image": _read_image_load()}
