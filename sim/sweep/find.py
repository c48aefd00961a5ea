"""Inverse questions: the largest or smallest value of one argument for which a run still meets a condition.

Every value is run with the same seeds, so that the mean of a measure and the bounds of its 95 % interval are three
curves over the argument, which are followed to where they meet the bound. The value is where the mean does; the
interval of the value lies between those of the two bounds, and so holds the true one as often as the interval of a
mean at that value does, however the curve bends (inversion of Student's t).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, log
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from sim.error import UserError, unknown
from sim.statistics.confidence import Interval, confidence
from sim.sweep.executor import Workers
from sim.sweep.point import Row, Run
from sim.sweep.sweep import sweep

FEW = 4
"""Seeds that a value is run with first: enough where it is far from the condition, as an overloaded one is."""
FAR = 0.9999
"""Confidence with which few seeds must part a value from the condition."""
STEPS = 60
Curve = Literal["mean", "low", "high"]


@dataclass(frozen=True)
class Condition:
    """A *measure* of a run's summary that is at most, or with *least* at least, a *bound*."""

    measure: str
    bound: float
    least: bool = False

    @classmethod
    def read(cls, text: str) -> "Condition":
        """``response_p95 <= 2`` or ``hit_ratio >= 0.7``, in the units of the summary."""
        match = re.fullmatch(r"\s*(\w+)\s*(<=|>=|<|>)\s*([-+0-9.eE]+)\s*", text)
        try:
            bound = float(match[3]) if match else inf
        except ValueError:
            bound = inf
        if match is None or not isfinite(bound):
            raise UserError(f"a condition is a measure, <= or >=, and a number, as 'response_p95 <= 2', not {text!r}")
        return cls(match[1], bound, match[2][0] == ">")

    def met(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.least else '<='} {self.bound:g}"


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

    def __str__(self) -> str:
        which = "largest" if self.largest else "smallest"
        return (f"{which} {self.name} with {self.condition}: {self.value:g} "
                f"(95 % interval {self.low:g} to {self.high:g}; {self.runs} runs of {len(self.curve)} values)")


def gain(run: Run, against: Mapping[str, object], measure: str = "response_mean") -> Run:
    """A run whose summary is its ``gain``: 1 - *measure* / that of the same run with *against*, on the same seed."""
    return partial(_gain, run, dict(against), measure)


def _gain(run: Run, against: Mapping[str, object], measure: str, **point: Any) -> Row:
    here, there = (_summary(run(**{**point, **changes})) for changes in ({}, against))
    return {"gain": 1.0 - here[measure] / there[measure]}


def _summary(result: Any) -> Mapping[str, Any]:
    return result if isinstance(result, Mapping) else result.summary()


def find(
    run: Run, name: str, where: str | Condition, between: tuple[float, float], *, seeds: int = 10, most: int = 40,
    precision: float = 0.05, guess: Callable[[Mapping[str, Any]], float] | None = None, workers: Workers = None,
    store: Path | None = None, probed: Callable[[float, Interval], object] = lambda value, interval: None,
    **fixed: object,
) -> FindAnswer:  # fmt: skip
    """The end of the values of *name* that meet the condition *where*, searched *between* two of them.

    The condition must hold at one end only; whole ends mean that the argument counts. Near the answer *seeds*
    replications of a value are doubled, up to *most*, until the interval reaches at most *precision* times the answer
    to either side.
    *guess* names the value to be probed first, from the summary of a run of the middle. *probed* is told of each value.
    With a *store* a search that was interrupted goes on. UserError where no value meets the condition, or all do.
    """
    condition = where if isinstance(where, Condition) else Condition.read(where)
    search = _Search(run, name, condition, between, workers, store, fixed, probed)
    search.direct(guess)
    while True:
        value, low, high = (search.root(curve, seeds) for curve in search.curves)
        low, high = min(low, high), max(low, high)
        if seeds >= most or max(high - value, value - low) <= precision * abs(value):
            return FindAnswer(name, condition, value, low, high, search.largest, search.runs, search.curve())
        seeds = min(most, 2 * seeds)


class _Search:
    """The values of *name* probed so far, with what each seed gave."""

    curves: Sequence[Curve] = ("mean", "low", "high")

    def __init__(
        self, run: Run, name: str, condition: Condition, between: tuple[float, float], workers: Workers,
        store: Path | None, fixed: Mapping[str, object], probed: Callable[[float, Interval], object],
    ) -> None:  # fmt: skip
        self._run, self._name, self._condition = run, name, condition
        self._ends = min(between), max(between)
        self._whole = all(isinstance(end, int) for end in between)
        self._workers, self._store, self._fixed, self._probed = workers, store, fixed, probed
        self._samples: dict[float, list[float]] = {}
        self._guess: float | None = None
        self.largest = True

    @property
    def runs(self) -> int:
        return sum(map(len, self._samples.values()))

    def direct(self, guess: Callable[[Mapping[str, Any]], float] | None) -> None:
        """Find out at which end the condition holds."""
        low, high = self._ends
        holds = [self._condition.met(self._interval(end, FEW).mean) for end in (low, high)]
        if all(holds) or not any(holds):
            where = "both ends" if all(holds) else "neither end"
            raise UserError(f"{self._name} from {low:g} to {high:g}: {self._condition} holds at {where}; "
                            "search where it holds at one")  # fmt: skip
        self.largest = holds[0]
        if guess is not None:
            middle = self._at((low + high) / 2)
            row = _summary(self._run(**{**self._fixed, self._name: middle, "seed": 1}))
            self._guess = self._at(guess(row))

    def root(self, curve: Curve, seeds: int) -> float:
        """Where *curve* meets the bound: by false position (Illinois), in logarithms where all are positive.

        Of a whole argument it is the last value that meets the condition; beyond the ends of the search it is the end.
        """
        a, b = self._ends
        fa, fb = (self._distance(end, curve, seeds) for end in (a, b))
        if (fa > 0.0) == (fb > 0.0):
            return b if (fa > 0.0) == self.largest else a
        side, first = 0, self._guess
        for _ in range(STEPS):
            if b - a <= (1.0 if self._whole else 1e-3 * max(abs(a), abs(b))):
                break
            x = first if first is not None and a < first < b else self._inside(a, b, b - fb * (b - a) / (fb - fa))
            first = None
            fx = self._distance(x, curve, seeds)
            if (fx > 0.0) == (fa > 0.0):
                a, fa, fb, side = x, fx, fb / 2 if side == -1 else fb, -1
            else:
                b, fb, fa, side = x, fx, fa / 2 if side == 1 else fa, 1
        return (a if self.largest else b) if self._whole else b - fb * (b - a) / (fb - fa)

    def _inside(self, a: float, b: float, x: float) -> float:
        """*x*, but neither an end nor so near to one that little is learnt."""
        edge = 0.05 * (b - a)
        return min(max(round(x), a + 1), b - 1) if self._whole else min(max(x, a + edge), b - edge)

    def _at(self, x: float) -> float:
        return round(x) if self._whole else x

    def _distance(self, x: float, curve: Curve, seeds: int) -> float:
        """How far the condition is from being broken at *x*; positive where it holds."""
        value, bound = getattr(self._interval(x, seeds), curve), self._condition.bound
        away = log(value / bound) if value > 0.0 and bound > 0.0 else value - bound
        return float(away if self._condition.least else -away) or 1e-12

    def _interval(self, x: float, seeds: int) -> Interval:
        """Of as many *seeds* as it takes: few where these part it from the bound."""
        for number in (min(FEW, seeds), seeds):
            samples = self._sampled(x, number)
            far = confidence(samples, FAR)
            if not far.low <= self._condition.bound <= far.high:
                break
        return confidence(samples)

    def _sampled(self, x: float, seeds: int) -> list[float]:
        samples = self._samples.setdefault(x, [])
        if len(samples) < seeds:
            frame = sweep(self._run, workers=self._workers, progress=False, store=self._store,
                          **{**self._fixed, self._name: [x], "seed": range(len(samples) + 1, seeds + 1)})
            if self._condition.measure not in frame.columns:
                raise unknown("measure", self._condition.measure, map(str, frame.columns))
            samples += [float(value) for value in frame[self._condition.measure]]
            if not all(map(isfinite, samples)):
                raise UserError(f"{self._name} {x:g}: a run has no {self._condition.measure}; observe longer")
            self._probed(x, confidence(samples))
        return samples

    def curve(self) -> pd.DataFrame:
        rows = [(x, each.mean, each.low, each.high, each.count)
                for x, each in ((x, confidence(self._samples[x])) for x in sorted(self._samples))]
        measure = self._condition.measure
        return pd.DataFrame(rows, columns=[self._name, measure, f"{measure}_low", f"{measure}_high", "seeds"])
