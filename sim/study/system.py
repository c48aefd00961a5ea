"""A system as the command line and the report see it: its run, its studies, its claims, its parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.measure.result import Result
from sim.study.study import Study
from sim.sweep.executor import Workers


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
    ``choices`` from those chosen. A *scripted* system takes TEPE scripts.
    *page* is what ``spindle run`` prints, where nobody at a terminal waits for a response; *examples* are what may
    follow ``spindle run`` and the name.
    """

    name: str
    title: str
    paper: str
    question: str
    run: Callable[..., Any]
    parameters: Any
    studies: Sequence[Study]
    claims: Path
    parts: Mapping[str, Mapping[str, Any]]
    choose: Callable[..., Any]
    scripted: bool = False
    ensemble: Ensemble | None = None
    page: Callable[[Result], str] | None = None
    examples: Sequence[str] = ()
