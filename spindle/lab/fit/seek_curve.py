"""Fits the seek curve to requests whose rotational delays are unknown.

Requests over one distance take from the seek itself to the seek and a revolution; the curve is the lower edge of these.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression, minimize

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import IntArray, ObservedRequests
from spindle.sim.disc.seek import TableSeek

MIN_PER_POINT = 40
"""The least number of requests of about the same distance for a point of the curve."""
MAX_POINTS = 14
STRAY_SHARE = 0.01
"""The share of requests outside the window that may be due to something else: a hit, a lost revolution, a retry."""
MAX_OUTSIDE = 0.6e-3
"""Seconds outside the window at which a request is capped: farther off, it is due to something else."""
PULL_TO_MIDDLE = 0.01
"""Weight of the points' distances from the middles of their windows, so that they stay there if all else is equal."""


class SeekWindow(NamedTuple):
    """Where a window of times begins: any begin from *low* to *high* is about as good; *middle* is between them."""

    middle: float
    low: float
    high: float

    def interval_with(self, middle: float) -> tuple[float, float]:
        """Return the interval from *low* to *high*, widened to include *middle*, the value of a curve."""
        return min(self.low, middle), max(self.high, middle)


class SeekFit(NamedTuple):
    """A seek *curve* with an interval for each of its points but the first, distance 0."""

    curve: TableSeek
    intervals: tuple[tuple[float, float], ...]


def found_seeks(
    seen: ObservedRequests, chosen: Mask, waited: Times, period: float
) -> SeekFit:
    """Return the curve, with points that have about equally many requests; *waited* is seek and rotation of each.

    The arm arrives at a random angle. So the seconds *waited* are spread evenly from the seek to the seek and one
    *period* of rotation, and the window of that width with the most requests begins at the seek.
    """
    moved = chosen & (seen.moved > 0)
    distance, waited = seen.moved[moved], waited[moved]
    groups = dict(_groups(distance))
    windows = [window(waited[group], period) for group in groups.values()]
    weights = np.array([float(len(group)) for group in groups.values()])
    start = np.maximum(isotonic_regression([each.middle for each in windows], weights=weights).x, 0.0)
    curve = _fit_curve(distance, waited, period, np.array(list(groups)), start)
    curved = [seconds for _, seconds in curve.points[1:]]
    return SeekFit(curve, tuple(each.interval_with(at) for each, at in zip(windows, curved, strict=True)))


def _groups(distance: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield distances for points of the curve, each with the requests about it; the first serve distance 1, too."""
    order = np.argsort(distance, kind="stable")
    groups = np.array_split(order, min(max(1, len(order) // MIN_PER_POINT), MAX_POINTS))
    yield 1, groups[0]
    last = 1
    for group in groups:
        place = round(float(np.median(distance[group])))
        if place > last:
            yield place, group
            last = place


def _fit_curve(distance: IntArray, waited: Times, period: float, places: IntArray, start: Times) -> TableSeek:
    """Fit a rising curve, straight between *places*, for which requests are least outside their windows."""

    def outside(seconds: Times) -> float:
        rising = np.maximum.accumulate(seconds)
        curve = np.interp(distance, places, rising)
        beyond = distance > places[-1]
        slope = (rising[-1] - rising[-2]) / (places[-1] - places[-2]) if len(places) > 1 else 0.0
        curve[beyond] += slope * (distance[beyond] - places[-1])
        missed = np.minimum(np.maximum(curve - waited, waited - curve - period).clip(0.0), MAX_OUTSIDE).mean()
        return float(missed + PULL_TO_MIDDLE * np.abs(rising - start).mean())

    bounds = [(max(0.0, each - MAX_OUTSIDE), each + MAX_OUTSIDE) for each in start]
    answer = minimize(outside, start, method="Powell", bounds=bounds, options={"maxiter": 4})
    best = np.maximum.accumulate(answer.x if answer.fun <= outside(start) else start)
    return TableSeek(((0, 0.0), *((int(place), float(each)) for place, each in zip(places, best, strict=True))))


def window(waited: Times, period: float) -> SeekWindow:
    """Return where the window of one *period* begins that has the most of *waited* in it."""
    values = np.sort(waited)
    ends = np.searchsorted(values, values + period, side="right")
    counts = ends - np.arange(len(values))
    best = np.flatnonzero(counts >= counts.max() - max(1.0, STRAY_SHARE * len(values)))
    begins, last = values[best], values[ends[best] - 1] - period
    middle = (float(np.median(begins)) + float(np.median(last))) / 2.0
    return SeekWindow(middle, min(middle, float(last.min())), max(middle, float(begins.max())))


def point_name(distance: int) -> str:
    return f"seek over {distance:,} cylinders"
