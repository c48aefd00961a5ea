"""The description of a system for commands and the report: its run, studies, claims, parts, scripts and ensemble."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from spindle.sim import MODEL
from spindle.sim.measure.result import Result
from spindle.sim.script import Script
from spindle.sim.user_parts import TYPES

if TYPE_CHECKING:  # it needs numpy, which a browser's Python has not
    from spindle.studies.study import Study

# The description of an ensemble: ranges of parameters, claims that every member must meet, and claims that are asked.

@dataclass(frozen=True)
class OneOf:
    """One of *values*, and *why* these."""

    values: tuple[Any, ...]
    why: str

    def value_at(self, share: float) -> Any:
        return self.values[int(share * len(self.values))]


@dataclass(frozen=True)
class Between:
    """Any value from *low* to *high*, with equal chances in equal ratios, and *why* these ends."""

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
    """Begin of a member's fit: a factor for each knob, or *why* no factors will do.

    ``slopes[i][j]`` is the slope of the logarithm of aim i by that of knob j.
    """

    knobs: Sequence[float]
    slopes: Sequence[Sequence[float]]
    why: str = ""


@dataclass(frozen=True)
class Extent:
    """Length of a member's runs: windows that replace those of the studies, as members are many.

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
    """Machines drawn from *ranges*, by parameter; members are those that meet all claims *met*, given by id.

    If few drawings would meet them, *knobs* are fitted first, as many as there are *aims*: claims, each with the value
    that is fitted. *start* gives the first values, if known; else all knobs begin at 1 and slopes are measured. *fixed*
    parameters are those of every member. Each claim *asked* is judged by the members, one that has a condition by those
    in it: *where* gives the measure of the same study that is 1 there. *joint* are sets of claims, each a sequence of
    alternatives: for how many members does each hold? By default there is one, of all that are asked.
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


ANSWERS = ("response_mean", "response_p95", "throughput", "cpu_busy", "disc_busy", "hit_ratio")


@dataclass(frozen=True)
class PaperCase:
    """A run of which a paper prints numbers: its *arguments* besides the default ones, and *claims* by measure.

    A measure is a number of the run's summary in the unit of the claim whose id is given.
    """

    claims: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scripting:
    """The terminal scripts of a system: how files of them are *read*, for an argument ``scripts`` of its run.

    *catalogue* gives the programs that scripts may run, with those that files describe; *sets* are the names of the
    data sets that programs may ask, with the number of sets of each name.
    """

    read: Callable[..., tuple[Script, ...]]
    catalogue: Callable[..., Mapping[str, Any]]
    sets: Mapping[str, int]


class LazyStudies(Sequence["Study"]):
    """The ``STUDIES`` of *module*, imported when they are first asked for: a run needs nothing that draws."""

    def __init__(self, module: str) -> None:
        self._module = module

    def _load(self) -> "Sequence[Study]":
        found: Sequence[Study] = import_module(self._module).STUDIES
        return found

    @overload
    def __getitem__(self, place: int) -> "Study": ...
    @overload
    def __getitem__(self, place: slice) -> "Sequence[Study]": ...
    def __getitem__(self, place: int | slice) -> "Study | Sequence[Study]":
        return self._load()[place]

    def __len__(self) -> int:
        return len(self._load())


def no_choices(**chosen: Any) -> None:
    """The choices of a system that has no parts to exchange."""


def no_remark(result: Result) -> Sequence[str]:
    """The lines beside the responses of a system that has nothing to say of them."""
    return ()


@dataclass(frozen=True)
class System:
    """The description of a system for the command line and the report.

    *parts* names, for each exchangeable part, the choices; *choose* makes a run's ``choices`` from them. A system with
    *scripting* takes TEPE scripts. One without a paper has no *claims*. *page* is what ``spindle run`` prints for a
    system without terminals, *remark* what it adds below the responses of one with them; *examples* are what may follow
    ``spindle run`` and the name; *built_in* the paper's mechanisms that no option switches off; *says* has the help
    texts of the run's arguments. *answers* are the numbers of a
    summary that a sweep shows; of two arguments that are *instead* of one another a command takes one.

    *model* is the number of its model, raised by hand when its answers change: its kept runs carry it.

    *cases* are the runs of which the paper prints numbers.
    """

    name: str
    title: str
    run: Callable[..., Any]
    parameters: Any
    paper: str = ""
    question: str = ""
    studies: "Sequence[Study]" = ()
    claims: Path | None = None
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choose: Callable[..., Any] = no_choices
    scripting: Scripting | None = None
    ensemble: Ensemble | None = None
    page: Callable[[Result], str] | None = None
    remark: Callable[[Result], Sequence[str]] = no_remark
    examples: Sequence[str] = ()
    built_in: Sequence[str] = ()
    says: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = ANSWERS
    instead: Sequence[str] = ()
    cases: Sequence[PaperCase] = ()
    model: int = 0

    @property
    def models(self) -> str:
        """The model numbers that answers of this system depend on: its own, and that of the shared parts."""
        return f"{self.name} {self.model}, sim {MODEL}"


TYPES["system"] = System, __name__
