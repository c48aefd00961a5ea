"""A system as the command line and the report see it: its run, its experiments, its claims, its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
from matplotlib.axes import Axes

from sim.measure.result import Result
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep


class Trial(Protocol):
    """One replication of what claims are judged by: numbers by name.

    *length* scales the measured minutes of its runs, and less their warm-up, which an empty cache needs all the same;
    any of the system's *parameters* may be changed.
    """

    def __call__(self, seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Effort:
    """How much an experiment may cost: *replications* of *minutes* simulated each, by those *workers*."""

    replications: int = 5
    minutes: float = 10.0
    warm_up: float = 3.0
    workers: Workers = None
    progress: bool = True

    @property
    def seeds(self) -> list[int]:
        return list(range(1, self.replications + 1))

    def sweep(self, run: Callable[..., Any], **grid: object) -> pd.DataFrame:
        """*grid* with this effort's seeds and minutes; all points share their randomness seed by seed."""
        return sweep(
            run, workers=self.workers, progress=self.progress,
            minutes=self.minutes, warm_up=self.warm_up, keep_rows=True, **grid, seed=self.seeds,
        )  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """*run* gives a tidy frame, which *draw* pictures; *shows* is one sentence for list and report.

    *remark* says what the caption adds from the frame: where the run and what stands beside it part, and why. A *slow*
    one is run when it is named, or by a full report; others show its table as it was kept.
    """

    name: str
    shows: str
    run: Callable[[Effort], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Axes]
    remark: Callable[[pd.DataFrame], str] = lambda frame: ""
    slow: bool = False


@dataclass(frozen=True)
class Ensemble:
    """Many machines that are all like the measured one; *bands* and *draw* show what follows for each claim.

    ``tried(members, short, workers, progress, store)`` gives a row for each of them, number 0 the default machine,
    with a column ``kept``; *short* runs show only that it works.
    """

    shows: str
    tried: Callable[[int, bool, Workers, bool, Path | None], pd.DataFrame]
    bands: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Axes]
    remark: Callable[[pd.DataFrame], str]


@dataclass(frozen=True)
class System:
    """All that the one place which knows every system needs to know of this one.

    *parts* names, for each part that may be exchanged, the choices there are; *choose* makes a run's
    ``choices`` from those chosen. *breakdown* says where the time of a response goes,
    in bars that its column ``run`` names; *anatomy* is the sentence below them. A *scripted* system takes TEPE scripts.
    *page* is what ``spindle run`` prints, where nobody at a terminal waits for a response; *examples* are what may
    follow ``spindle run`` and the name.
    """

    name: str
    title: str
    paper: str
    question: str
    run: Callable[..., Any]
    parameters: Any
    experiments: Sequence[Experiment]
    trials: Mapping[str, Trial]
    claims: Path
    parts: Mapping[str, Mapping[str, Any]]
    choose: Callable[..., Any]
    breakdown: Callable[[Effort], pd.DataFrame]
    anatomy: str
    scripted: bool = False
    ensemble: Ensemble | None = None
    page: Callable[[Result], str] | None = None
    examples: Sequence[str] = ()
