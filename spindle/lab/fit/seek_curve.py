"""The seek curve, which is the lower edge of the times of one distance: those take the seek to a revolution more."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression, minimize

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import IntArray, ObservedRequests
from spindle.sim.disc.seek import TableSeek

MIN_PER_POINT = 40
"""Requests of about the same distance, for a point of the curve."""
MAX_POINTS = 14
EDGE = 0.01
"""The share of requests beyond an edge that may be something else: a hit, a revolution lost, a retry."""
TOLERANCE = 0.6e-3
"""Seconds outside the window that count in full; farther is something else, and counts no more."""
PULL = 0.01
"""Weight of the points' distances from the middles of their windows, to stay there where all else is equal."""


class SeekWindow(NamedTuple):
    """Begin of a window: the *middle* of those that hold nearly as much, from *low* to *high*."""

    middle: float
    low: float
    high: float

    def interval_with(self, middle: float) -> tuple[float, float]:
        """Return the interval, widened to include *middle*, where a curve passes."""
        return min(self.low, middle), max(self.high, middle)


class SeekFit(NamedTuple):
    """A seek *curve* with an interval for each of its points but the first, distance 0."""

    curve: TableSeek
    intervals: tuple[tuple[float, float], ...]


def found_seeks(
    seen: ObservedRequests, chosen: Mask, waited: Times, period: float
) -> SeekFit:
    """The curve through points of about equally many requests; *waited* is seek and rotation of each.

    The arm comes in at a random angle. So what was *waited* is spread evenly from the seek to one *period* more, and
    the window of that width that holds most of it begins at the seek.
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
    """Yield places on the curve, each with about as many requests around it; the first is used for distance 1 too."""
    order = np.argsort(distance, kind="stable")
    groups = np.array_split(order, int(np.clip(len(order) // MIN_PER_POINT, 1, MAX_POINTS)))
    yield 1, groups[0]
    last = 1
    for group in groups:
        place = round(float(np.median(distance[group])))
        if place > last:
            yield place, group
            last = place


def _fit_curve(distance: IntArray, waited: Times, period: float, places: IntArray, start: Times) -> TableSeek:
    """Fit a rising curve through *places*, straight between them, that leaves the least outside its window."""

    def outside(seconds: Times) -> float:
        rising = np.maximum.accumulate(seconds)
        curve = np.interp(distance, places, rising)
        beyond = distance > places[-1]
        slope = (rising[-1] - rising[-2]) / (places[-1] - places[-2]) if len(places) > 1 else 0.0
        curve[beyond] += slope * (distance[beyond] - places[-1])
        missed = np.minimum(np.maximum(curve - waited, waited - curve - period).clip(0.0), TOLERANCE).mean()
        return float(missed + PULL * np.abs(rising - start).mean())

    bounds = [(max(0.0, each - TOLERANCE), each + TOLERANCE) for each in start]
    answer = minimize(outside, start, method="Powell", bounds=bounds, options={"maxiter": 4})
    best = np.maximum.accumulate(answer.x if answer.fun <= outside(start) else start)
    return TableSeek(((0, 0.0), *((int(place), float(each)) for place, each in zip(places, best, strict=True))))


def window(waited: Times, period: float) -> SeekWindow:
    """Find the begin of the window of one *period* that holds most of *waited*."""
    values = np.sort(waited)
    ends = np.searchsorted(values, values + period, side="right")
    counts = ends - np.arange(len(values))
    best = np.flatnonzero(counts >= counts.max() - max(1.0, EDGE * len(values)))
    begins, last = values[best], values[ends[best] - 1] - period
    middle = (float(np.median(begins)) + float(np.median(last))) / 2.0
    return SeekWindow(middle, min(middle, float(last.min())), max(middle, float(begins.max())))


def point_name(distance: int) -> str:
    return f"seek over {distance:,} cylinders"
