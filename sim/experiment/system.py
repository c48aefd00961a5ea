"""A system as the command line and the report see it: its run, its experiments, its claims, its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.experiment.sweep import sweep

Trial = Callable[..., Mapping[str, float]]
"""One replication of what claims are judged by: ``trial(seed=...)`` returns numbers by name."""


@dataclass(frozen=True)
class Effort:
    """How much an experiment may cost: *replications* of *minutes* simulated each, on so many *workers*."""

    replications: int = 5
    minutes: float = 10.0
    warm_up: float = 3.0
    workers: int | None = None
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
    """*run* gives a tidy frame, which *draw* pictures; *shows* is one sentence for list and report."""

    name: str
    shows: str
    run: Callable[[Effort], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Axes]


@dataclass(frozen=True)
class System:
    """All that the one place which knows every system needs to know of this one.

    *parts* names, for each part that may be exchanged, the choices there are; *choose* makes a run's
    ``choices`` from those chosen. *breakdown* says where the time of a response goes,
    in bars that its column ``run`` names; *anatomy* is the sentence below them. A *scripted* system takes TEPE scripts.
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
