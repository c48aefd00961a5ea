"""Describes an ensemble: machines with unknown parameters drawn from ranges; those that meet claims are kept."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spindle.sim.units import MS


@dataclass(frozen=True)
class OneOf:
    """A range of a parameter: one of *values*; *why* is the reason for these."""

    values: tuple[Any, ...]
    why: str

    def value_at(self, share: float) -> Any:
        return self.values[int(share * len(self.values))]


@dataclass(frozen=True)
class Between:
    """A range of a parameter: any value from *low* to *high*, evenly in its logarithm; *why* is the reason."""

    low: float
    high: float
    why: str

    def value_at(self, share: float) -> float:
        return float(self.low * (self.high / self.low) ** share)


@dataclass(frozen=True)
class Knob:
    """A fitted factor of all *parameters*; it begins at 1."""

    parameters: tuple[str, ...]


@dataclass(frozen=True)
class FitStart:
    """The start of a member's fit: a factor for each knob, or *why* no factors are possible.

    ``slopes[i][j]`` is the slope of the logarithm of aim i by that of knob j.
    """

    knobs: Sequence[float]
    slopes: Sequence[Sequence[float]]
    why: str = ""


@dataclass(frozen=True)
class Extent:
    """The length of a member's runs: windows that replace those of the studies, since there are many members.

    A fit measures at most *steps* times and checks its end at most *rounds* times in longer runs, each with a new seed.
    A member is judged by *seeds* seeds that no fit has seen.
    """

    fitting: Mapping[str, float]
    checking: Mapping[str, float]
    judging: Mapping[str, float]
    steps: int = 5
    rounds: int = 2
    seeds: int = 2


@dataclass(frozen=True)
class Ensemble:
    """An ensemble: machines drawn from *ranges*, by parameter. Members are those that meet all claims *met*, by id.

    If few drawings would meet them, *knobs* are fitted first, as many as there are *aims*: claims, each with the value
    that is fitted. *start* gives the first values, if known; otherwise all knobs begin at 1 and slopes are measured.
    *fixed* parameters are the same for every member. Each claim *asked* is judged by the members; where it has a
    condition, by those for which the measure that *where* names, of the same study, is 1. *joint* are sets of claims,
    each claim a sequence of alternatives; members that meet a whole set are counted. By default there is one set, of
    all claims asked.
    """

    shows: str
    ranges: Mapping[str, OneOf | Between]
    met: Sequence[str]
    asked: Sequence[str]
    extent: Extent
    quick: Extent
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    aims: Mapping[str, float] = field(default_factory=dict)
    start: Callable[[Mapping[str, Any]], FitStart] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    joint: Sequence[Sequence[Sequence[str]]] = ()


def read_ensemble(path: Path, start: Callable[[Mapping[str, Any]], FitStart]) -> Ensemble:
    """Read the ensemble that the table *path* describes; *start* guesses where a fit begins."""
    table = {name: _frozen(value) for name, value in tomllib.loads(path.read_text("utf-8")).items()}
    return Ensemble(**{
        **table, "start": start, "extent": Extent(**table["extent"]), "quick": Extent(**table["quick"]),
        "knobs": {name: Knob(tuple(parameters)) for name, parameters in table["knobs"].items()},
        "ranges": {name: _range(**given) for name, given in table["ranges"].items()},
    })  # fmt: skip


def _frozen(value: Any) -> Any:
    """Return *value* with its lists, at any depth, as tuples."""
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _range(why: str, values: Sequence[Any] = (), over: float = 0.0, between: Sequence[float] = (),
           between_ms: Sequence[float] = ()) -> OneOf | Between:  # fmt: skip
    """Build a range from *values*, divided by *over* if that is given, or from two ends."""
    if ends := between or [milliseconds * MS for milliseconds in between_ms]:
        return Between(ends[0], ends[1], why)
    return OneOf(tuple(value / over for value in values) if over else tuple(values), why)
