"""Where the warm-up of a run ends: MSER-5, which cuts where the rest has the least standard error of its mean.

White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69, 1997; batches of five:
White, Cobb & Spratt, A comparison of five steady-state truncation heuristics for simulation, Proc. WSC 2000; as an
automatic rule: Hoad, Robinson & Davies, Automating warm-up length estimation, J. Operational Research Society 61, 2010.
"""

from collections.abc import Callable
from functools import partial
from math import ceil

import numpy as np
import numpy.typing as npt

from sim.measure.result import Result
from sim.statistics.series import Series, TooShort, checked, means, responses
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep
from sim.units import MINUTE

BATCH = 5
"""Observations that are averaged first."""
SPARED = 5
"""Batches at the end that are never left alone: few of them agree by chance."""
LEAST = 10 * BATCH


def mser(values: Series) -> Series:
    """For 0, 1, 2 ... *values* cut off: the sum of squares of the rest about its mean, over its number squared.

    The unit does not matter for where this is least; it is one in which nothing overflows.
    """
    # Relative to the level at which the series ends, or rounding of the sums of squares would hide their differences.
    centred = values - np.median(values[len(values) // 2 :])
    scaled = centred / (np.abs(centred).max() or 1.0)
    rest = np.arange(len(values), 0, -1, dtype=np.float64)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (scaled, scaled * scaled))
    statistic: Series = np.maximum(squares - sums * sums / rest, 0.0) / (rest * rest)
    return statistic


def truncation(observations: npt.ArrayLike) -> int:
    """How many of the *observations*, at the start, belong to the warm-up; TooShort where that is over half."""
    batches = means(checked(observations, LEAST), BATCH)
    cut = int(np.argmin(mser(batches)[:-SPARED]))
    if 2 * cut > len(batches):
        raise TooShort(
            f"the warm-up has not ended within the first half of {len(batches) * BATCH} observations: observe longer"
        )
    return cut * BATCH


def settled(result: Result) -> float:
    """When the response times of a run that was measured from its start had settled; whole seconds."""
    cut = truncation(responses(result))
    ends = sorted(row.responded for row in result.transactions)
    return float(ceil(ends[cut - 1])) if cut else 0.0


def find_warm_up(
    run: Callable[..., Result], /, *, workers: Workers = None, progress: bool = True, **grid: object
) -> float:
    """The minutes after which *run* has settled at every point of the *grid*, which sweep explains.

    One warm-up for all of them, so that their windows are the same, and from other runs than those to be measured: a
    run that is cut by its own numbers loses those that are far from its mean. (Ten replications
    of 2000 customers at an M/M/1 of utilisation 0.6: 88 of 100 intervals hold the true mean then, and 95 so.)
    """
    frame = sweep(partial(_pilot, run), workers=workers, progress=progress, **grid)
    return float(frame["settled"].max()) / MINUTE


def _pilot(run: Callable[..., Result], **point: object) -> dict[str, float]:
    return {"settled": settled(run(**point, warm_up=0.0, keep_rows=True))}
