"""A system as the command line and the report see it: its run, its studies, its claims, its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.measure.result import Result
from sim.study.ensemble import Ensemble
from sim.study.study import Study

ANSWERS = ("response_mean", "response_p95", "throughput", "cpu_busy", "disc_busy", "hit_ratio")


@dataclass(frozen=True)
class PaperCase:
    """A run of which a paper prints numbers: its *arguments* beside those that it has anyhow, and *claims* by measure.

    A measure is a number of the run's summary in the unit of the claim whose id is given.
    """

    claims: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)


def no_choices(**chosen: Any) -> None:
    """The choices of a system that has no parts to exchange."""


@dataclass(frozen=True)
class System:
    """The description of a system for the command line and the report.

    *parts* names, for each part that may be exchanged, the choices there are; *choose* makes a run's
    ``choices`` from those chosen. A *scripted* system takes TEPE scripts. One without a paper has no *claims*.
    *page* is what ``spindle run`` prints for a system without terminals; *examples* are what may follow
    ``spindle run`` and the name; *says* has the words of help on arguments of the run. *answers* are the numbers of a
    summary that a sweep shows; of two arguments that are *instead* of one another a command takes one.

    *users* are those of the paper's own case, whom a command gives a run where it names none of them; *cases* are the
    runs of which the paper prints numbers.
    """

    name: str
    title: str
    run: Callable[..., Any]
    parameters: Any
    paper: str = ""
    question: str = ""
    studies: Sequence[Study] = ()
    claims: Path | None = None
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choose: Callable[..., Any] = no_choices
    scripted: bool = False
    ensemble: Ensemble | None = None
    page: Callable[[Result], str] | None = None
    examples: Sequence[str] = ()
    says: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = ANSWERS
    instead: Sequence[str] = ()
    users: Mapping[str, Any] = field(default_factory=dict)
    cases: Sequence[PaperCase] = ()
