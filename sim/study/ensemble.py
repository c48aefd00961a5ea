"""The description of an ensemble: what is varied, what every member has to meet, and the claims that judge all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class OneOf:
    """One of *values*, and *why* these."""

    values: tuple[Any, ...]
    why: str

    def at(self, share: float) -> Any:
        return self.values[int(share * len(self.values))]


@dataclass(frozen=True)
class Between:
    """Anything from *low* to *high*, in equal steps of its logarithm, and *why* so far."""

    low: float
    high: float
    why: str

    def at(self, share: float) -> float:
        return float(self.low * (self.high / self.low) ** share)


@dataclass(frozen=True)
class Knob:
    """What is fitted: a factor of all *parameters*. It begins at 1."""

    parameters: tuple[str, ...]


@dataclass(frozen=True)
class FitStart:
    """Where the fit of a member begins: a factor for each knob, or *why* no factors will do.

    ``slopes[i][j]`` is how the logarithm of aim i follows that of knob j.
    """

    knobs: Sequence[float]
    slopes: Sequence[Sequence[float]]
    why: str = ""


@dataclass(frozen=True)
class Extent:
    """How much a member is run: windows, which take the place of those of the studies, for members are many.

    A fit measures at most *steps* times and checks its end at most *rounds* times in longer runs, each on a seed of its
    own. A member is judged by so many *seeds* that no fit has seen.
    """

    fitting: Mapping[str, float]
    checking: Mapping[str, float]
    judging: Mapping[str, float]
    steps: int = 5
    rounds: int = 2
    seeds: int = 2


@dataclass(frozen=True)
class Ensemble:
    """Machines drawn from *ranges*, by parameter; those are members that meet all claims *met*, which are named by id.

    Where few drawings would meet them, *knobs* are fitted first, as many as there are *aims*: claims, and what each is
    fitted to. *start* gives the first values, if known; else all knobs begin at 1 and slopes are measured.
    *fixed* parameters are those of every member. Each claim *asked* is judged by the members, one that has a condition
    by those in it: *where* gives the measure of the same study that is 1 there. *joint* are sets of claims, each a
    sequence of alternatives: for how many members does each hold? By default there is one, of all that are asked.
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
