"""Replications until the mean is known within the wanted precision."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any

import pandas as pd

from sim.error import UserError, unknown
from sim.statistics.confidence import Interval, confidence
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep

MORE = 0.1
"""The least share by which replications grow: a check after each one would stop too early too often."""


@dataclass(frozen=True)
class Replications:
    """The *frame* that a sweep over the same seeds gives, and the interval of the metric at each of its points."""

    frame: pd.DataFrame
    intervals: list[Interval]
    precision: float

    @property
    def count(self) -> int:
        """Replications of each point."""
        return self.intervals[0].count

    @property
    def width(self) -> float:
        """The widest of the intervals, as precision is measured."""
        return max(width(interval) for interval in self.intervals)

    @property
    def reached(self) -> bool:
        """Whether all of them are narrow enough; else there were not enough replications."""
        return self.width <= self.precision


def width(interval: Interval) -> float:
    """Half of what *interval* spans, as a share of its mean."""
    half = (interval.high - interval.low) / 2
    if half == 0.0:
        return 0.0
    return half / abs(interval.mean) if interval.mean else inf


def until_precise(
    run: Callable[..., Any], /, *, precision: float = 0.02, metric: str = "response_mean", least: int = 10,
    most: int = 100, workers: Workers = None, progress: bool = True, **grid: object,
) -> Replications:  # fmt: skip
    """*run* with the seeds 1, 2, 3 ... at every point of the *grid*, which sweep explains, until all are precise.

    A point is, once the 95 % interval of its *metric* reaches at most *precision* times the mean to either side. All
    points go on as long as one of them must, so that each seed is common to all. How many seeds that takes is foretold
    from how wide the intervals are, and does not depend on the number of *workers*. Stopping where an interval happens
    to be narrow costs some confidence: of ten replications or more on a queue M/M/1, 93 of 100 hold the mean, not 95.
    """
    _check(precision, least, most, grid)
    rows: list[list[dict[Any, Any]]] = []
    done, count = 0, least
    while True:
        frame = sweep(run, workers=workers, progress=progress, **grid, seed=range(done + 1, count + 1))
        if metric not in frame.columns:
            raise unknown("metric", metric, map(str, frame.columns))
        _check_finite(frame, metric)
        rows = _added(rows, frame.to_dict("records"), count - done)
        intervals = [confidence([float(row[metric]) for row in point]) for point in rows]
        replications = Replications(pd.DataFrame([row for point in rows for row in point]), intervals, precision)
        if replications.reached or count >= most:
            return replications
        done, count = count, min(most, foretold(count, replications.width / precision))


def _check(precision: float, least: int, most: int, grid: dict[str, object]) -> None:
    if not 0.0 < precision < 1.0:
        raise UserError(f"precision is a share of the mean, between 0 and 1, not {precision!r}")
    if not 2 <= least <= most:
        raise UserError(f"replications lie between least and most, at least 2, not between {least!r} and {most!r}")
    if "seed" in grid:
        raise UserError("seeds are 1, 2, 3 and so on, as many as it takes; none is given")


def _check_finite(frame: pd.DataFrame, metric: str) -> None:
    for seed, value in zip(frame["seed"], frame[metric], strict=True):
        if not isfinite(value):
            raise UserError(f"the run with seed {seed} has no finite {metric}: observe longer, or from another time on")


def _added(old: list[list[dict[Any, Any]]], rows: list[dict[Any, Any]], each: int) -> list[list[dict[Any, Any]]]:
    """The rows by point, of which *each* more have come for every point."""
    points = [rows[start : start + each] for start in range(0, len(rows), each)]
    return [before + new for before, new in zip(old or [[] for _ in points], points, strict=True)]


def foretold(count: int, excess: float) -> int:
    """How many replications to have next, where *count* gave intervals too wide by the factor *excess*.

    The width falls with the square root; and an early guess is not trusted further than twice the number.
    """
    wanted = ceil(count * excess * excess) if isfinite(excess) and excess < count else 2 * count
    return min(2 * count, max(wanted, count + max(2, ceil(MORE * count))))
