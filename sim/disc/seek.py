"""Seek curves give the seconds of an arm's move by its distance in cylinders: by formulas, or by measured points."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import inf, sqrt
from typing import Protocol

from spindle.sim.error import UserError


class SeekCurve(Protocol):
    """A function: seconds to move *distance* cylinders and settle there; 0 for no distance."""

    def __call__(self, distance: int) -> float: ...


def _check(what: str, minimum: float, maximum: float, cylinders: int) -> None:
    if not 0.0 <= minimum <= maximum < inf:
        raise UserError(f"{what}: minimum {minimum} s must lie between 0 and maximum {maximum} s, and both be finite")
    if cylinders < 1:
        raise UserError(f"{what}: cylinders {cylinders} must be at least 1")


@dataclass(frozen=True)
class PowerSeek:
    """A power law of the distance: a move to the next cylinder takes *minimum*, one over all cylinders *maximum*.

    ``minimum + (maximum - minimum) * ((distance - 1) / (stroke - 1)) ** exponent``; *stroke* is ``cylinders - 1``.

    >>> PowerSeek(minimum=5 * MS, maximum=45 * MS, exponent=0.5, cylinders=1000)(999)
    0.045
    """

    minimum: float
    maximum: float
    exponent: float
    cylinders: int

    def __post_init__(self) -> None:
        _check("seek curve", self.minimum, self.maximum, self.cylinders)
        if not 0.0 < self.exponent < inf:
            raise UserError(f"seek curve: exponent {self.exponent} must be positive and finite")

    @classmethod
    def fit(cls, minimum: float, average: float, maximum: float, cylinders: int) -> "PowerSeek":
        """The curve through the three times that a data sheet prints.

        Between two random cylinders the mean of (d/D)**p is 2/((p+1)(p+2)). Where that is to be r, the share of
        the way from *minimum* to *maximum* at which *average* lies, p is (sqrt(1 + 8/r) - 3) / 2.
        """
        _check("seek curve", minimum, maximum, cylinders)
        if not minimum < average < maximum:
            raise UserError(f"seek curve: average {average} s must lie between minimum {minimum} s "
                          f"and maximum {maximum} s")
        share = (average - minimum) / (maximum - minimum)
        return cls(minimum, maximum, (sqrt(1.0 + 8.0 / share) - 3.0) / 2.0, cylinders)

    def __call__(self, distance: int) -> float:
        if distance == 0:
            return 0.0
        share = ((distance - 1) / max(1, self.cylinders - 2)) ** self.exponent
        return self.minimum + (self.maximum - self.minimum) * float(share)


@dataclass(frozen=True)
class LinearSeek:
    """A straight line: ``minimum + (maximum - minimum) * distance / stroke``; *stroke* is ``cylinders - 1``."""

    minimum: float
    maximum: float
    cylinders: int

    def __post_init__(self) -> None:
        _check("seek curve", self.minimum, self.maximum, self.cylinders)

    def __call__(self, distance: int) -> float:
        if distance == 0:
            return 0.0
        return self.minimum + (self.maximum - self.minimum) * distance / (self.cylinders - 1)


@dataclass(frozen=True)
class TableSeek:
    """A curve through measured (distance, seconds) *points*, (0, 0) first; straight lines between and beyond them.

    The points are taken as they are: measured curves have steps down, and smoothing them would lose them.
    """

    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        if len(self.points) < 2 or self.points[0] != (0, 0.0):
            raise UserError(f"seek table: points must begin with (0, 0) and have another, not {self.points[:2]}")
        for (before, _), (after, seconds) in pairwise(self.points):
            if after <= before:
                raise UserError(f"seek table: points: distance {after} must be more than {before} before it")
            if not 0.0 <= seconds < inf:
                raise UserError(f"seek table: points: {seconds} s at distance {after} must be finite and not negative")

    def __call__(self, distance: int) -> float:
        after = min(max(1, bisect_left(self.points, (distance,))), len(self.points) - 1)
        (near, early), (far, late) = self.points[after - 1], self.points[after]
        return max(0.0, early + (late - early) * (distance - near) / (far - near))


@dataclass(frozen=True)
class TwoPartSeek:
    """A curve of *first* seconds for distances 1, 2 and so on, then a root up to *bend*, and a line from there.

    *root* (a, b) is a + b sqrt(distance) seconds, *line* (c, e) is c + e distance (Ruemmler & Wilkes 1994).
    """

    first: tuple[float, ...]
    bend: int
    root: tuple[float, float]
    line: tuple[float, float]

    def __post_init__(self) -> None:
        for distance, seconds in enumerate(self.first, 1):
            if not 0.0 <= seconds < inf:
                raise UserError(f"two-part seek: {seconds} s at distance {distance} must be finite and not negative")
        if self.bend < 1:
            raise UserError(f"two-part seek: bend {self.bend} must be at least 1")
        for name in ("root", "line"):
            constant, growth = getattr(self, name)
            if not (-inf < constant < inf and 0.0 <= growth < inf):
                raise UserError(
                    f"two-part seek: {name} {constant, growth} s must be finite, and grow with the distance"
                )

    def __call__(self, distance: int) -> float:
        if distance <= len(self.first):
            return self.first[distance - 1] if distance else 0.0
        if distance < self.bend:
            return max(0.0, self.root[0] + self.root[1] * sqrt(distance))
        return max(0.0, self.line[0] + self.line[1] * distance)


def add_settle(seconds: float, settle: float) -> float:
    """The *seconds* of a move with *settle* more after it; nothing settles that did not move."""
    return max(0.0, seconds + settle) if seconds > 0.0 else 0.0


def seek_table(seek: SeekCurve, cylinders: int, settle: float) -> list[float]:
    """Seconds by distance, with *settle* at the end of each move: one table for all drives of a type."""
    try:
        return _shared_table(seek, cylinders, settle)  # type: ignore[arg-type]
    except TypeError:  # a user's curve that cannot be hashed
        return _table(seek, cylinders, settle)


def _table(seek: SeekCurve, cylinders: int, settle: float) -> list[float]:
    if settle == 0.0:
        return [seconds if seconds > 0.0 else 0.0 for seconds in map(seek, range(cylinders))]
    return [add_settle(seconds, settle) for seconds in seek_table(seek, cylinders, 0.0)]


def shortest_moves(seek: SeekCurve, cylinders: int, settle: float) -> list[float]:
    """Return by number of cylinders the seconds of the shortest move over at least that many; one table as above."""
    try:
        return _shared_shortest(seek, cylinders, settle)  # type: ignore[arg-type]
    except TypeError:
        return _shortest(seek, cylinders, settle)


def _shortest(seek: SeekCurve, cylinders: int, settle: float) -> list[float]:
    return list(accumulate(reversed(seek_table(seek, cylinders, settle)), min))[::-1]


SHARED_TABLES = 8
"""Tables of a kind that are kept: one for a quarter of a million cylinders takes 8 MB, and a tenth of a second."""
_shared_table = lru_cache(maxsize=SHARED_TABLES)(_table)
_shared_shortest = lru_cache(maxsize=SHARED_TABLES)(_shortest)
