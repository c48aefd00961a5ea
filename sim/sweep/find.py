"""Inverse questions: the largest or smallest value of one argument for which a run still meets a condition.

Every value is run with the same seeds, so that the mean of a measure and the bounds of its 95 % interval are three
curves over the argument, which are followed to where they meet the bound. The value is where the mean does; the
interval of the value lies between those of the two bounds, and so holds the true one as often as the interval of a
mean at that value does, however the curve bends (inversion of Student's t). A pilot, the same run made short, shows
where to begin, so that what is far from the answer, above all what is overloaded, is never run at length.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from sim.error import UserError
from sim.quantity import quantity
from sim.statistics.confidence import Interval
from sim.sweep.executor import Workers
from sim.sweep.point import Row, Run, summary
from sim.sweep.search import CURVES, Condition, RootSearch

FEW = 4
"""Seeds that a value is run with first: enough where it is far from the condition, as an overloaded one is."""
PILOTS = 2
"""Seeds of a pilot at each value, which is followed to within a tenth of the answer."""
ROUGH = 0.1
WIDTH = 0.05
"""Of two values, as a share of them, between which a curve is taken for a straight line."""
Guess = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class FindAnswer:
    """The *value* of the argument *name*, the 95 % interval from *low* to *high* that it lies in, and what was probed.

    An end of the interval that lies on an end of what was searched may lie beyond it. *curve* has a row for each value
    probed: the mean of the measure, its 95 % interval, and the seeds that it took.
    """

    name: str
    condition: Condition
    value: float
    low: float
    high: float
    largest: bool
    runs: int
    curve: pd.DataFrame

    def text(self, unit: str = "1") -> str:
        """The answer in a line, in *unit*, which the argument has."""
        which = "largest" if self.largest else "smallest"
        value, low, high = (quantity(each, unit, 5) for each in (self.value, self.low, self.high))
        return (f"{which} {self.name} with {self.condition}: {value} "
                f"(95 % interval {low} to {high}; {self.runs} runs of {len(self.curve)} values)")

    def __str__(self) -> str:
        return self.text()


class NotPartedError(UserError):
    """The values of *name* between the *ends* all meet the *condition*, or none does."""

    def __init__(self, name: str, ends: tuple[float, float], condition: Condition, all_meet: bool) -> None:
        self._name, self._ends, self._condition = name, ends, condition
        self._where = "both ends" if all_meet else "neither end"
        super().__init__(self.text())

    def text(self, unit: str = "1") -> str:
        """The mistake in a line, in *unit*, which the argument has."""
        low, high = (quantity(end, unit, 6) for end in self._ends)
        return (f"{self._name} from {low} to {high}: {self._condition} holds at {self._where}; "
                "search where it holds at one")


def gain(run: Run, against: Mapping[str, object], measure: str = "response_mean") -> Run:
    """A run whose summary is its ``gain``: 1 - *measure* / that of the same run with *against*, on the same seed."""
    return partial(_gain, run, dict(against), measure)


def _gain(run: Run, against: Mapping[str, object], measure: str, **point: Any) -> Row:
    here, there = (summary(run(**{**point, **changes})) for changes in ({}, against))
    return {"gain": 1.0 - here[measure] / there[measure]}


def find(
    run: Run, name: str, where: str | Condition, between: tuple[float, float], *, seeds: int = 10, most: int = 40,
    precision: float = 0.05, pilot: Run | None = None, guess: Guess | None = None,
    workers: Workers = None, store: Path | None = None,
    probed: Callable[[float, Interval], object] = lambda value, interval: None, **fixed: object,
) -> FindAnswer:  # fmt: skip
    """The end of the values of *name* that meet the condition *where*, searched *between* two of them.

    The condition must hold at one end only; whole ends mean that the argument counts. Near the answer *seeds*
    replications of a value are doubled, up to *most*, until the interval reaches at most *precision* times the answer
    to either side.
    *pilot* is the same run made short: it is followed first, and *run* only near to where it meets the condition.
    *guess* names the value to be probed first, from the summary of a run of the middle. *probed* is told of each value.
    With a *store* a search that was interrupted goes on. UserError where no value meets the condition, or all do.
    """
    condition = where if isinstance(where, Condition) else Condition.read(where)
    search = RootSearch(run, name, condition, between, fixed, FEW, min(WIDTH, precision), workers, store, probed)
    pilots = None if pilot is None else RootSearch(pilot, name, condition, between, fixed, PILOTS, ROUGH, workers)
    if pilots is None or not _followed(search, pilots, guess, seeds):
        _parted(search, name, condition)
        _guessed(search, guess, seeds)
    while True:
        value, low, high = (search.root(curve, seeds) for curve in CURVES)
        low, high = min(low, high), max(low, high)
        if seeds >= most or max(high - value, value - low) <= precision * abs(value):
            return FindAnswer(name, condition, value, low, high, search.largest, search.runs, search.curve())
        seeds = min(most, 2 * seeds)


def _followed(search: RootSearch, pilots: RootSearch, guess: Guess | None, seeds: int) -> bool:
    """Whether the mean meets the bound somewhere near to where it does in *pilots*."""
    if not pilots.parts():
        return False
    _guessed(pilots, guess, PILOTS)
    search.largest = pilots.largest
    search.probe(search.at(pilots.root("mean", PILOTS)), seeds)
    search.root("mean", seeds)
    return search.crosses("mean") is not None


def _parted(search: RootSearch, name: str, condition: Condition) -> None:
    """NotPartedError where the condition holds at both ends of the *search*, or at none."""
    if not search.parts():
        raise NotPartedError(name, search.ends, condition, search.largest)


def _guessed(search: RootSearch, guess: Guess | None, seeds: int) -> None:
    """Probe what *guess* makes of a run of the middle."""
    if guess is not None:
        search.probe(search.at(guess(search.middle())), seeds)
