"""Predicts fio's results between the depths, processes or sizes that it measured, by bounds of queueing theory.

With more requests under way the throughput of a closed system rises, never faster than their number, and its logarithm
bends down: it is above the chord of the two points beside it, and below the lines of the segments next to these (the
asymptotic bounds of Lazowska et al., Quantitative System Performance, chapter 5). Of larger requests fewer are done in
a second, never fewer in proportion, for a request takes a time of its own and that of its bytes. In both cases the
middle of the bounds is taken. Percentiles are interpolated on lines, as multiples of the mean; this holds as long as
requests wait at the same place.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean

from spindle.lab.fio.load import LoadAnswer
from spindle.lab.fio.points import FioPoint


@dataclass(frozen=True)
class KnownCurve:
    """A curve that bends down, known at rising *xs*: its *ys* are logarithms of rates, and its slopes fall.

    No slope is above *steepest* or below *flattest*.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    steepest: float
    flattest: float

    def middle(self, x: float) -> float:
        """Return the value half way between the bounds at *x*."""
        xs, ys, slopes = self.xs, self.ys, self._slopes()
        after = sum(known <= x for known in xs)
        if after == 0:
            return ys[0] - (xs[0] - x) * 0.5 * (slopes[0] + slopes[1])
        if after == len(xs):
            return ys[-1] + (x - xs[-1]) * 0.5 * (slopes[-2] + slopes[-1])
        left, right = x - xs[after - 1], xs[after] - x
        chord = (ys[after - 1] * right + ys[after] * left) / (left + right)
        above = min(ys[after - 1] + slopes[after - 1] * left, ys[after] - slopes[after + 1] * right)
        return 0.5 * (chord + max(chord, above))

    def _slopes(self) -> list[float]:
        """Return the slopes of all segments, with those of the lines before the first point and behind the last."""
        pairs = zip(zip(self.xs, self.ys, strict=True), zip(self.xs[1:], self.ys[1:], strict=True), strict=False)
        inner = [min(self.steepest, max(self.flattest, (y - last) / (x - before))) for (before, last), (x, y) in pairs]
        return [self.steepest, *inner, self.flattest]


Axis = Callable[[FioPoint], float]


@dataclass(frozen=True)
class PointRow:
    """Points of fio that differ along one *axis*; slopes of the rate are within two bounds.

    Those that are not given are of requests under way: the throughput grows as fast as their number, or not at all.
    """

    points: Sequence[FioPoint]
    axis: Axis
    steepest: float = 1.0
    flattest: float = 0.0

    def encloses(self, point: FioPoint) -> bool:
        here, places = self.axis(point), [self.axis(each) for each in self.points]
        return any(place < here for place in places) and any(place > here for place in places)

    def rate(self, point: FioPoint) -> float:
        """Return the logarithm of the throughput at *point*."""
        xs, ys = self._means({id(each): log(each.iops) for each in self.points})
        return KnownCurve(xs, ys, self.steepest, self.flattest).middle(log(self.axis(point)))

    def multiple(self, point: FioPoint, seconds: Callable[[FioPoint], float]) -> float | None:
        """Return the logarithm of *seconds* at *point*, as a multiple of the mean; None if no point has *seconds*."""
        xs, ys = self._means({id(each): log(known * each.iops / each.level) for each in self.points
                              if (known := seconds(each)) > 0.0})  # fmt: skip
        return _on_lines(xs, ys, log(self.axis(point))) if xs else None

    def _means(self, values: dict[int, float]) -> tuple[list[float], list[float]]:
        """Return the places that have *values* (by id of the point), and the mean of those at each place."""
        found: dict[float, list[float]] = {}
        for each in self.points:
            if id(each) in values:
                found.setdefault(log(self.axis(each)), []).append(values[id(each)])
        places = sorted(found)
        return places, [fmean(found[place]) for place in places]


def _on_lines(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Return the value at *x* of lines through the points; beyond the ends it is that of the last point."""
    last, value = -inf, ys[0]
    for known, y in zip(xs, ys, strict=True):
        if x < known:
            return y if last == -inf else value + (y - value) * (x - last) / (known - last)
        last, value = known, y
    return value


def rate_between(seen: Sequence[FioPoint], point: FioPoint) -> float:
    """Predict the requests a second at *point* from the points *seen*."""
    return exp(fmean(row.rate(point) for row in _rows(seen, point)))


def between(seen: Sequence[FioPoint], point: FioPoint) -> LoadAnswer:
    """Predict the answer at *point* from the points *seen*; some must be of its kind, or differ by their size alone."""
    rows, rate = _rows(seen, point), rate_between(seen, point)
    mean = log(point.level / rate)

    def seconds(of: Callable[[FioPoint], float]) -> float | None:
        known = [found for row in rows if (found := row.multiple(point, of)) is not None]
        return exp(mean + fmean(known)) if known else None

    shares = dict.fromkeys(share for each in seen for share in each.quantiles)
    quantiles = {share: value for share in sorted(shares)
                 if (value := seconds(lambda each, share=share: each.quantiles.get(share, 0.0))) is not None}  # type: ignore[misc]  # fmt: skip
    return LoadAnswer(rate, seconds(lambda each: each.mean) or exp(mean),
                      dict(zip(quantiles, sorted(quantiles.values()), strict=True)))  # fmt: skip


def quantile_of_kind(seen: Sequence[FioPoint], point: FioPoint, share: float) -> float | None:
    """Predict the quantile *share* at *point* from all points *seen* of its kind; None where none has it."""
    row = PointRow([each for each in seen if each.kind == point.kind], lambda each: each.level)
    multiple = row.multiple(point, lambda each: each.quantiles.get(share, 0.0))
    return None if multiple is None else exp(multiple) * point.level / rate_between(seen, point)


def waits_alike(seen: Sequence[FioPoint], point: FioPoint, bounds: Sequence[int]) -> bool:
    """Tell if points *seen* below and above *point* are between the same two *bounds* of requests under way.

    Beyond the last bound, points below are enough: further requests wait behind all others there. The first bound is a
    single request, which collides with none.
    """
    place = bisect_left(bounds, point.level)

    def surrounds(row: PointRow) -> bool:
        levels = [each.level for each in row.points if bisect_left(bounds, each.level) == place]
        return any(level < point.level for level in levels) and (
            place == len(bounds) or any(level > point.level for level in levels))

    return all(map(surrounds, _rows(seen, point)))


def _rows(seen: Sequence[FioPoint], point: FioPoint) -> list[PointRow]:
    """Return the rows of *seen* around *point*: of its number of processes, of its depth, or else all of its kind."""
    alike = [each for each in seen if each.kind == point.kind]
    if not alike:
        sizes = [each for each in seen if (each.op, each.random, each.depth, each.jobs)
                 == (point.op, point.random, point.depth, point.jobs)]  # fmt: skip
        return [PointRow(sizes, lambda each: each.size, 0.0, -1.0)]
    by_jobs, by_depth, every = (PointRow(some, lambda each: each.level) for some in (
        [each for each in alike if each.jobs == point.jobs], [each for each in alike if each.depth == point.depth],
        alike))  # fmt: skip
    return [row for row in (by_jobs, by_depth) if row.encloses(point)] or [every]
