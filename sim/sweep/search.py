"""The search for where a curve meets a condition: values of one argument, and what each seed gave at them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from sim.error import UserError, shown, unknown
from sim.quantity import amount, quantity, unit_of
from sim.statistics.confidence import Interval, confidence
from sim.sweep.executor import Workers
from sim.sweep.point import Run, summary
from sim.sweep.sweep import sweep

FAR = 0.9999
"""Confidence with which few seeds must part a value from the condition, so that no more are run of it."""
STEPS = 200
LEAST = 1e-3
"""Of the range that is searched, the smallest step."""
Curve = Literal["mean", "low", "high"]
CURVES: Sequence[Curve] = ("mean", "low", "high")


@dataclass(frozen=True)
class Condition:
    """A *measure* of a run's summary that is at most, or with *least* at least, a *bound*, as a user writes it."""

    measure: str
    bound: float
    least: bool = False

    @classmethod
    def read(cls, text: str) -> "Condition":
        """``response_p95 <= 2`` or ``hit_ratio >= 0.7``, in the unit of the summary, or in one that is named."""
        match = re.fullmatch(r"\s*(\w+)\s*(<=|>=|<|>)\s*([^<>=]+)", text)
        bound = None if match is None else amount(match[3], unit_of(match[1]))
        if match is None or bound is None or not isfinite(bound):
            raise UserError(f"a condition is a measure, <= or >=, and a number, as 'response_p95 <= 2', "
                            f"not {shown(text)}")
        return cls(match[1], bound, match[2][0] == ">")

    def met(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.least else '<='} {quantity(self.bound, unit_of(self.measure))}"


class RootSearch:
    """The values of *name* probed so far, between the *ends*; *few* seeds are run of a value first.

    A curve is followed until the two values between which it meets the bound are as near as *width* of them.
    """

    def __init__(
        self, run: Run, name: str, condition: Condition, ends: tuple[float, float], fixed: Mapping[str, object],
        few: int, width: float, workers: Workers, store: Path | None = None,
        probed: Callable[[float, Interval], object] = lambda value, interval: None,
    ) -> None:  # fmt: skip
        self._run, self._name, self._condition, self._fixed = run, name, condition, fixed
        self.ends = min(ends), max(ends)
        self._whole = all(isinstance(end, int) for end in ends)
        self._few, self._width = few, width
        self._workers, self._store, self._probed = workers, store, probed
        self._samples: dict[float, list[float]] = {}
        self.largest = True

    @property
    def runs(self) -> int:
        return sum(map(len, self._samples.values()))

    def at(self, x: float) -> float:
        """*x*, within the ends, as the argument may be."""
        low, high = self.ends
        return min(max(round(x) if self._whole else x, low), high)

    def parts(self) -> bool:
        """Whether the condition holds at one of the ends only, and which."""
        for end in self.ends:
            self.probe(end, self._few)
        low, high = (self._condition.met(confidence(self._samples[end]).mean) for end in self.ends)
        self.largest = low
        return low != high

    def middle(self) -> Mapping[str, Any]:
        """The summary of one run in the middle between the ends."""
        low, high = self.ends
        return summary(self._run(**{**self._fixed, self._name: self.at((low + high) / 2), "seed": 1}))

    def probe(self, x: float, seeds: int) -> None:
        """Run *x* with as many *seeds* as it takes: few where these part it from the bound."""
        self._sample(x, min(self._few, seeds))
        far = confidence(self._samples[x], FAR)
        if far.low <= self._condition.bound <= far.high:
            self._sample(x, seeds)

    def crosses(self, curve: Curve) -> tuple[float, float] | None:
        """The first two neighbours among the values probed between which *curve* meets the bound."""
        return next((pair for pair in pairwise(sorted(self._samples)) if self._meets(pair, curve)), None)

    def root(self, curve: Curve, seeds: int) -> float:
        """Where *curve* meets the bound, between two values with so many *seeds*, and as a straight line there.

        Of a whole argument it is the last value that meets the condition; beyond the ends of the search it is the end.
        """
        for _ in range(STEPS):
            pair = self.crosses(curve)
            if pair is None:
                edge, x = self._beyond(curve)
                if x == edge:
                    return edge
                self.probe(x, seeds)
            elif pair[1] - pair[0] > self._step(max(map(abs, pair))):
                self.probe(self._inside(pair, curve), seeds)
            elif min(len(self._samples[x]) for x in pair) < seeds:
                for x in pair:
                    self._sample(x, seeds)
            else:
                break
        assert pair is not None, "the last step was not beyond what was probed"
        x = self._crossing(pair, curve)
        return x if not self._whole else floor(x) if self.largest else ceil(x)

    def _meets(self, pair: tuple[float, float], curve: Curve) -> bool:
        low, high = (self._distance(x, curve) > 0.0 for x in pair)
        return low != high

    def _step(self, x: float) -> float:
        low, high = self.ends
        return max(self._width * abs(x), 1.0 if self._whole else LEAST * (high - low))

    def _beyond(self, curve: Curve) -> tuple[float, float]:
        """The last value probed on the way to where the curve meets the bound, and the next, in steps that double."""
        low, high = min(self._samples), max(self._samples)
        step = max(high - low, self._step(max(abs(low), abs(high))))
        up = (self._distance(low, curve) > 0.0) == self.largest
        return (high, self.at(high + step)) if up else (low, self.at(low - step))

    def _inside(self, pair: tuple[float, float], curve: Curve) -> float:
        """Where a straight line meets the bound, within the middle half of *pair*, so that either part gets small."""
        a, b = pair
        edge = 0.25 * (b - a)
        x = min(max(self._crossing(pair, curve), a + edge), b - edge)
        return min(max(round(x), a + 1), b - 1) if self._whole else x

    def _crossing(self, pair: tuple[float, float], curve: Curve) -> float:
        (a, fa), (b, fb) = ((x, self._distance(x, curve)) for x in pair)
        return b - fb * (b - a) / (fb - fa)

    def _distance(self, x: float, curve: Curve) -> float:
        """How far the condition is from being broken at *x*, in logarithms where it can; positive where it holds."""
        value, bound = getattr(confidence(self._samples[x]), curve), self._condition.bound
        away = log(value / bound) if value > 0.0 and bound > 0.0 else value - bound
        return float(away if self._condition.least else -away) or 1e-12

    def _sample(self, x: float, seeds: int) -> None:
        samples = self._samples.setdefault(x, [])
        if len(samples) >= seeds:
            return
        frame = sweep(self._run, workers=self._workers, progress=False, store=self._store,
                      **{**self._fixed, self._name: [x], "seed": range(len(samples) + 1, seeds + 1)})
        if self._condition.measure not in frame.columns:
            raise unknown("measure", self._condition.measure, map(str, frame.columns))
        samples += [float(value) for value in frame[self._condition.measure]]
        if not all(map(isfinite, samples)):
            raise UserError(f"{self._name} {x:g}: a run has no {self._condition.measure}; observe longer")
        self._probed(x, confidence(samples))

    def curve(self) -> pd.DataFrame:
        """A row for each value: the mean of the measure, its 95 % interval, and the seeds that it took."""
        rows = [(x, each.mean, each.low, each.high, each.count)
                for x, each in ((x, confidence(self._samples[x])) for x in sorted(self._samples))]
        measure = self._condition.measure
        return pd.DataFrame(rows, columns=[self._name, measure, f"{measure}_low", f"{measure}_high", "seeds"])
