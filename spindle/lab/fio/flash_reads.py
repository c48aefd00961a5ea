"""Chooses the kind of flash by fio's results for reads: by mean times at all depths, then by simulated percentiles.

Percentiles differ between kinds of flash with the same means: dies collide at random, a controller does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from statistics import fmean, median

import numpy as np
from scipy.optimize import minimize

from spindle.lab.fio.flash_answer import drive_answer
from spindle.lab.fio.load import TAGS, FioLoad, drive_points, host_share
from spindle.lab.fio.points import FioPoint
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.fit import DIE_BYTES, FlashFit, knobs_of
from spindle.lab.flash.formula import Numbers
from spindle.sim.request import READ
from spindle.sim.units import KIB

WAKING = 1.02
"""Factor above which a request alone is too slow, compared with larger depths, for the flash to be the cause."""
ONE_SIZE = "all requests are of {:g} KiB: the sheet is fitted for these, and no rate of bytes is; spindle measure " \
           "--drive tries four sizes"  # fmt: skip
MAX_SIMULATED_KINDS = 24
"""The largest number of kinds of flash that are simulated."""
NEAR_MEAN = 0.04
"""A kind is simulated if its mean error exceeds that of the best kind by no more."""
MAX_SIMULATIONS = 60
QUANTILE_WEIGHTS = {0.50: 1.0, 0.95: 1.0, 0.99: 0.3}
"""Weights of percentiles in the distance of a fit; the weight of the throughput is 2."""


def read_levels(points: Sequence[FioPoint]) -> tuple[list[FioAnswer], list[str]]:
    """Return the mean time of reads at each depth in the drive, which is at most the number of tags; and remarks."""
    means: dict[int, list[float]] = {}
    size = points[0].size
    for each in drive_points([each for each in points if each.op is READ]):
        means.setdefault(min(each.level, TAGS), []).append(min(each.level, TAGS) / each.iops)
    alone, *others = sorted(means)
    remarks = [ONE_SIZE.format(size / KIB)]
    if others and fmean(means[alone]) > WAKING * fmean(means[others[0]]):
        remarks.append(f"{alone} under way took longer than {others[0]}: a drive that wakes up, or a host; not fitted")
        del means[alone]
    return [FioAnswer(FioJob(READ, size, level), 1 << 20, median(each)) for level, each in means.items()], remarks


def refine_reads(fits: Sequence[FlashFit], points: Sequence[FioPoint]) -> list[FlashFit]:
    """Move the kind with the nearest percentiles to the front, with its numbers refined."""
    points = [each for each in points if each.level <= TAGS]
    if not any(each.quantiles for each in points):
        return list(fits)
    near = [fit for fit in fits if fit.off <= fits[0].off + NEAR_MEAN][:MAX_SIMULATED_KINDS]
    best = min(near, key=lambda fit: _read_off(fit.numbers, fit.kind, points))
    turned = minimize(_read_off, best.numbers, args=(best.kind, points), method="Nelder-Mead",
                      options={"maxfev": MAX_SIMULATIONS, "initial_simplex": _simplex(best.numbers)}).x  # fmt: skip
    first = replace(best, numbers=turned, knobs=knobs_of(turned, best.kind))
    return [first, *(fit for fit in fits if fit is not best)]


def _simplex(numbers: Numbers) -> Numbers:
    corners: Numbers = np.vstack([numbers, numbers + 0.1 * np.eye(len(numbers))])
    return corners


def _read_off(numbers: Numbers, kind: Numbers, points: Sequence[FioPoint]) -> float:
    """Return the mean square error, in logarithms, of the throughput and percentiles of reads."""
    sheet = knobs_of(numbers, kind).sheet("flash", DIE_BYTES * int(kind[1] * kind[2]))
    submit = host_share(points).submit
    off = []
    for level in sorted({each.level for each in points}):
        answer = drive_answer(FioLoad(READ, level, points[0].size, 0), sheet)
        for point in points:
            if point.level == level:
                off.append(2.0 * log(answer.iops / point.iops) ** 2)
                off += [QUANTILE_WEIGHTS[share] * log(max(1e-9, answer.quantiles[share] - submit) / seconds) ** 2
                        for share, seconds in point.quantiles.items() if seconds > 0.0]  # fmt: skip
    return fmean(off)
