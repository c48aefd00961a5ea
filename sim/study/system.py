"""A system as the command line and the report see it: its run, its studies, its claims, its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.measure.result import Result
from sim.study.ensemble import Ensemble
from sim.study.study import Study


def no_choices(**chosen: Any) -> None:
    """The choices of a system that has no parts to exchange."""


@dataclass(frozen=True)
class System:
    """The description of a system for the command line and the report.

    *parts* names, for each part that may be exchanged, the choices there are; *choose* makes a run's
    ``choices`` from those chosen. A *scripted* system takes TEPE scripts. One without a paper has no *claims*.
    *page* is what ``spindle run`` prints for a system without terminals; *examples* are what may follow
    ``spindle run`` and the name.
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
