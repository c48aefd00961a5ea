"""Replicates a run until means are precise enough, and finds the end of its warm-up.

The warm-up is found by MSER-5 (marginal standard error rules, with batches of five).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spindle.sim.error import UserError, check_known
from spindle.sim.measure.result import Result
from spindle.sim.units import MINUTE
from spindle.studies.confidence import Interval, confidence
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.sweep import sweep

if TYPE_CHECKING:
    import pandas as pd

# Series of observations in their order: the responses of a run, and means of batches.

Series = npt.NDArray[np.float64]


class TooShort(UserError):
    """There are too few observations for an estimate."""


def responses(result: Result) -> Series:
    """Return response times in seconds, in the order of the replies; UserError if the run kept no rows."""
    rows = result.transactions
    if not rows and result.recorder.count:
        raise UserError("responses one by one need the rows of a run: keep_rows=True")
    return np.array([row.responded - row.began for row in sorted(rows, key=lambda row: row.responded)])


def check_series(observations: npt.ArrayLike, least: int) -> Series:
    """Return *observations* as an array; TooShort below *least* of them, UserError if one is not a finite number."""
    series = np.asarray(observations, dtype=np.float64)
    if series.ndim != 1:
        raise UserError(f"a series is one number after the other, not of shape {series.shape}")
    if len(series) < least:
        raise TooShort(f"this takes at least {least} observations, and there are {len(series)}: observe longer")
    wrong = np.flatnonzero(~np.isfinite(series))
    if len(wrong):
        index = int(wrong[0])
        raise UserError(f"observation {index} of {len(series)} must be a finite number, not {series[index]}")
    return series


def means(series: Series, size: int) -> Series:
    """Return the mean of each *size* observations; the rest at the end is left out."""
    batches: Series = series[: len(series) // size * size].reshape(-1, size).mean(axis=1)
    return batches


# The end of a run's warm-up by MSER-5: the cut after which the standard error of the mean of the rest is least.
#
# White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69, 1997; batches of
# five: White, Cobb & Spratt, A comparison of five steady-state truncation heuristics for simulation, Proc. WSC 2000;
# as an automatic rule: Hoad, Robinson & Davies, Automating warm-up length estimation, J. Operational Research Society
# 61, 2010.

BATCH_SIZE = 5
"""Observations in a batch, of which means are used."""
MIN_BATCHES_LEFT = 5
"""More batches than these must be left after a cut: few batches agree by chance."""
MIN_OBSERVATIONS = 10 * BATCH_SIZE


def mser(values: Series) -> Series:
    """Return, for 0, 1, 2 ... *values* cut off, the sum of squares of the rest about its mean over its number squared.

    The result is in a unit in which nothing overflows; the place of its minimum does not depend on the unit.
    """
    # Relative to the level at the end of the series; otherwise rounding of sums of squares would hide differences.
    centred = values - np.median(values[len(values) // 2 :])
    scaled = centred / (np.abs(centred).max() or 1.0)
    rest = np.arange(len(values), 0, -1, dtype=np.float64)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (scaled, scaled * scaled))
    statistic: Series = np.maximum(squares - sums * sums / rest, 0.0) / (rest * rest)
    return statistic


def truncation(observations: npt.ArrayLike) -> int:
    """Return the number of *observations* at the start that belong to the warm-up; TooShort if over half do."""
    batches = means(check_series(observations, MIN_OBSERVATIONS), BATCH_SIZE)
    cut = int(np.argmin(mser(batches)[:-MIN_BATCHES_LEFT]))
    if 2 * cut > len(batches):
        raise TooShort(
            f"the warm-up has not ended within the first half of {len(batches) * BATCH_SIZE} observations: "
            "observe longer"
        )
    return cut * BATCH_SIZE


def settling_time(result: Result) -> float:
    """Return the whole seconds after which the response times of a run, measured from its start, had settled."""
    cut = truncation(responses(result))
    ends = sorted(row.responded for row in result.transactions)
    return float(ceil(ends[cut - 1])) if cut else 0.0


def find_warm_up(
    run: Callable[..., Result], /, *, workers: Workers = None, progress: bool = True, **grid: object
) -> float:
    """Find the minutes after which *run* has settled at every point of the *grid*, which sweep explains.

    All points have one warm-up, so that their windows are the same. It is found in other runs than those to be
    measured: a run that is cut by its own numbers loses those that are far from its mean. (Ten replications of 2000
    customers at an M/M/1 of utilisation 0.6: then 88 of 100 intervals include the true mean, and in this way 95.)
    """
    frame = sweep(partial(_pilot, run), workers=workers, progress=progress, **grid)
    return float(frame["settled"].max()) / MINUTE


def _pilot(run: Callable[..., Result], **point: object) -> dict[str, float]:
    return {"settled": settling_time(run(**point, warm_up=0.0, keep_rows=True))}


MIN_GROWTH = 0.1
"""The least share by which the number of replications grows: a check after each would too often stop too early."""


@dataclass(frozen=True)
class Replications:
    """The result of replications: the *frame* of a sweep over the same seeds, and the interval at each point."""

    frame: "pd.DataFrame"
    intervals: list[Interval]
    precision: float

    @property
    def count(self) -> int:
        """The number of replications of each point."""
        return self.intervals[0].count

    @property
    def width(self) -> float:
        """The width of the widest interval, as precision is measured."""
        return max(width(interval) for interval in self.intervals)

    @property
    def is_precise(self) -> bool:
        """True if all intervals are narrow enough."""
        return self.width <= self.precision


def width(interval: Interval) -> float:
    """Return half the width of *interval* as a share of its mean."""
    half = (interval.high - interval.low) / 2
    if half == 0.0:
        return 0.0
    return half / abs(interval.mean) if interval.mean else inf


Told = Callable[[Replications, int], object]


def until_precise(
    run: Callable[..., Any], /, *, precision: float = 0.02, metric: str = "response_mean", least: int = 10,
    most: int = 100, workers: Workers = None, progress: bool = True, told: Told = lambda replications, count: None,
    **grid: object,
) -> Replications:  # fmt: skip
    """Run *run* with the seeds 1, 2, 3 ... at every point of the *grid*, which sweep explains, until all are precise.

    A point is precise once the 95 % interval of its *metric* reaches at most *precision* times the mean to either side.
    All points go on as long as one of them must, so that each seed is common to all. The next number of seeds follows
    from the widths of the intervals, and does not depend on *workers*. Stopping where an interval happens to be narrow
    costs some confidence: of ten replications or more on a queue M/M/1, 93 of 100 include the mean, not 95. *told* is
    called before more are run, with the present replications and their next number.
    """
    import pandas as pd

    _check(precision, least, most, grid)
    rows: list[list[dict[Any, Any]]] = []
    done, count = 0, least
    while True:
        frame = sweep(run, workers=workers, progress=progress, **grid, seed=range(done + 1, count + 1))
        check_known("metric", [*frame.columns], metric)
        _check_finite(frame, metric)
        rows = _append(rows, frame.to_dict("records"), count - done)
        intervals = [confidence([float(row[metric]) for row in point]) for point in rows]
        replications = Replications(pd.DataFrame([row for point in rows for row in point]), intervals, precision)
        if replications.is_precise or count >= most:
            return replications
        done, count = count, min(most, next_count(count, replications.width / precision))
        told(replications, count)


def _check(precision: float, least: int, most: int, grid: dict[str, object]) -> None:
    if not 0.0 < precision < 1.0:
        raise UserError(f"precision is a share of the mean, between 0 and 1, not {precision!r}")
    if not 2 <= least <= most:
        raise UserError(f"replications lie between least and most, at least 2, not between {least!r} and {most!r}")
    if "seed" in grid:
        raise UserError("seeds are 1, 2, 3 and so on, as many as it takes; none is given")


def _check_finite(frame: "pd.DataFrame", metric: str) -> None:
    for seed, value in zip(frame["seed"], frame[metric], strict=True):
        if not isfinite(value):
            raise UserError(f"the run with seed {seed} has no finite {metric}: observe longer, or from another time on")


def _append(old: list[list[dict[Any, Any]]], rows: list[dict[Any, Any]], each: int) -> list[list[dict[Any, Any]]]:
    """Append to the rows of each point *each* more."""
    points = [rows[start : start + each] for start in range(0, len(rows), each)]
    return [before + new for before, new in zip(old or [[] for _ in points], points, strict=True)]


def next_count(count: int, excess: float) -> int:
    """Return the next number of replications, after *count* gave intervals too wide by the factor *excess*.

    The width falls with the square root; an early guess is trusted up to twice the number.
    """
    wanted = ceil(count * excess * excess) if isfinite(excess) and excess < count else 2 * count
    return min(2 * count, max(wanted, count + max(2, ceil(MIN_GROWTH * count))))
