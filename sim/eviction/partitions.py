"""Access times sorted into partitions below a maximum that is given or follows them: figure 2(a) of Kim's FAC paper."""

import math
from collections.abc import Callable
from typing import Protocol

from sim.error import UserError

Rounding = Callable[[float], float]
"""Makes a partition of a real number of up to as many as there are."""


def round_up(number: float) -> float:
    return math.ceil(number)


def unrounded(number: float) -> float:
    return number


class Maximum(Protocol):
    """What access times are measured against."""

    def against(self, seconds: float) -> float:
        """The maximum that an access of *seconds* is measured against, before it is noted."""

    def note(self, seconds: float) -> None: ...


class StaticMaximum:
    """The longest time in which the head can reach a block, *seconds*; what the paper tried first."""

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise UserError(f"the static maximum of access times must be positive, not {seconds!r}")
        self._seconds = seconds

    def against(self, seconds: float) -> float:
        return self._seconds

    def note(self, seconds: float) -> None:
        pass


def begin_anew(maximum: float, seconds: float) -> float:
    """The maximum is that of the accesses since the average was last formed."""
    return seconds


def go_on(maximum: float, seconds: float) -> float:
    """The maximum is that of all accesses ever."""
    return max(maximum, seconds)


class DynamicMaximum:
    """A weighted *average* of itself and the *maximum* so far, formed anew when *counter* has reached *counter_max*.

    What becomes of the maximum then is *after*, which figure 2 leaves open: both give its 2200. That the access itself
    is measured before the average is formed, and the average with the maximum before it, the figure decides.
    The first access is its own maximum.
    """

    def __init__(
        self, after: Callable[[float, float], float] = begin_anew, counter_max: int = 10, old_weight: float = 0.2,
        average: float = 0.0, maximum: float = 0.0, counter: int = 0,
    ) -> None:
        self._after = after
        self._counter_max = counter_max
        self._old_weight = old_weight
        self.average = average  # DynamicAccessTime of the paper
        self.maximum = maximum  # MaxAccessTime
        self.counter = counter

    def against(self, seconds: float) -> float:
        return self.average or seconds

    def note(self, seconds: float) -> None:
        if not self.average:
            self.average = seconds
        if self.counter < self._counter_max:
            self.counter += 1
            self.maximum = max(self.maximum, seconds)
            return
        self.average = self._old_weight * self.average + (1 - self._old_weight) * self.maximum
        self.maximum = self._after(self.maximum, seconds)
        self.counter = 0


class Partitions:
    """*count* partitions of equal width below a *maximum*; what is above it belongs to the last."""

    def __init__(self, maximum: Maximum, count: int = 10, rounding: Rounding = round_up) -> None:
        if count < 1:
            raise UserError(f"access times need at least one partition, not {count!r}")
        self._maximum = maximum
        self._count = count
        self._rounding = rounding

    def number(self, seconds: float) -> float:
        """N of the paper: the partition of an access of *seconds*."""
        return self._rounding(min(self._count, self._count * seconds / self._maximum.against(seconds)))

    def note(self, seconds: float) -> None:
        """An access took *seconds*; the maximum may follow it."""
        self._maximum.note(seconds)
