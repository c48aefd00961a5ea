"""FAC and ATCA, eviction policies that keep an entry longer, the longer the disc took to read it.

FAC is Kim's frequency-based algorithm for discs with native command queueing (NCQ), ATCA an earlier one that combines
access time and recency. Access times are sorted into partitions below a static or dynamic maximum. Reading has a
choice for each point that Kim's paper leaves open.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from spindle.sim.error import UserError
from spindle.sim.eviction.greedy_dual import GreedyDual, cost_alone
from spindle.sim.eviction.policy import MayGo, Ranking, Traffic, refuse_twice

# Access times sorted into partitions below a maximum that is given or follows them: figure 2(a) of Kim's FAC paper.

Rounding = Callable[[float], float]
"""A rule that makes a number of a partition from a real number."""


def round_up(number: float) -> float:
    return math.ceil(number)


def identity(number: float) -> float:
    return number


class Maximum(Protocol):
    """A maximum with which access times are compared."""

    def reference(self, seconds: float) -> float:
        """Return the maximum for an access of *seconds*, before it is noted."""

    def note(self, seconds: float) -> None: ...


class StaticMaximum:
    """The longest time in which the head can reach a block, *seconds*, which the paper tried first."""

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise UserError(f"the static maximum of access times must be positive, not {seconds!r}")
        self._seconds = seconds

    def reference(self, seconds: float) -> float:
        return self._seconds

    def note(self, seconds: float) -> None:
        pass


def restart_maximum(maximum: float, seconds: float) -> float:
    """Take the maximum of the accesses since the average was last formed."""
    return seconds


def keep_maximum(maximum: float, seconds: float) -> float:
    """Take the maximum of all accesses."""
    return max(maximum, seconds)


class DynamicMaximum:
    """A weighted *average* of itself and the *maximum* so far, formed anew when *counter* has reached *counter_max*.

    *after* gives the maximum then; figure 2 leaves it open, for both rules give its 2200. By the figure an access is
    measured before the average is formed, and the average takes the maximum before it. The first access is its own
    maximum.
    """

    def __init__(
        self, after: Callable[[float, float], float] = restart_maximum, counter_max: int = 10, old_weight: float = 0.2,
        average: float = 0.0, maximum: float = 0.0, counter: int = 0,
    ) -> None:
        self._after = after
        self._counter_max = counter_max
        self._old_weight = old_weight
        self.average = average  # DynamicAccessTime of the paper
        self.maximum = maximum  # MaxAccessTime
        self.counter = counter

    def reference(self, seconds: float) -> float:
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
    """*count* partitions of equal width below a *maximum*; longer times belong to the last."""

    def __init__(self, maximum: Maximum, count: int = 10, rounding: Rounding = round_up) -> None:
        if count < 1:
            raise UserError(f"access times need at least one partition, not {count!r}")
        self._maximum = maximum
        self._count = count
        self._rounding = rounding

    def number(self, seconds: float) -> float:
        """N of the paper: the partition of an access of *seconds*."""
        return self._rounding(min(self._count, self._count * seconds / self._maximum.reference(seconds)))

    def note(self, seconds: float) -> None:
        """An access took *seconds*; the maximum may follow it."""
        self._maximum.note(seconds)


# ATCA, reconstructed: entries with a long access time stay longer, but not for ever.

class Atca(GreedyDual):
    """Arfan, Kim and Kwon, IEICE Electronics Express 9, 2012, as described by Kim (FAC, 2014): temporal locality
    combined with access time. The text of the paper itself was not available.

    This reconstruction is GreedyDual whose costs are the partitions of the access times, computed as in FAC.
    An entry keeps the partition of its fetch. O(log n) an operation.
    """

    def __init__(self, maximum: Callable[[], Maximum] = DynamicMaximum, partitions: int = 10) -> None:
        super().__init__(cost_alone)
        self._partitions = Partitions(maximum(), partitions)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        super().insert(key, size)
        if cost:
            self.weigh((key,), cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        super().touch(key)

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        if traffic is Traffic.FETCH and seconds > 0.0:
            super().weigh(keys, self._partitions.number(seconds))
            self._partitions.note(seconds)


Gain = Callable[[float], float]
"""Gain of an entry's worth by an access in partition N."""


def count_alone(number: float) -> float:
    """Gain of LFU: each use counts as one."""
    return 1.0


def number_alone(number: float) -> float:
    """Gain of N for each use: with it at *first* and *again*, a worth is N times the number of uses."""
    return number


def count_and_number(number: float) -> float:
    """Gain of one for the use, and of N."""
    return 1.0 + number


@dataclass(frozen=True)
class Reading:
    """An interpretation of FAC where the paper is open.

    Kim adds a "normalized value of access time" to "the access frequency update of the worth value". Open, with the
    default in brackets: the *maximum* of access times (dynamic, begun anew with each average; the static one is the
    paper's first policy), a block's worth at *first* (its first use and its N), and the gain of a hit, *again* (one
    use, and N of the last access to the disc). Of equals the least recent goes, N is rounded up, the counter advances
    by request, and only fetches count, not write-backs.
    """

    maximum: Callable[[], Maximum] = DynamicMaximum
    partitions: int = 10
    first: Gain = count_and_number
    again: Gain = count_and_number


@dataclass(slots=True)
class _Access:
    """The last access to the disc for an entry: its seconds and N, 0 while there was none."""

    seconds: float = 0.0
    number: float = 0.0


class Fac:
    """Kim, "Frequency-based NCQ-aware disk cache algorithm", IEICE Electronics Express 11(11), 2014.

    Each entry has a worth, to which its first access and each hit add; the lowest goes. Where the paper is open,
    the *reading* decides. A worth lasts as long as its entry and does not age. O(log n) an operation.

    While an entry's access time is not known, its N is 0; when it becomes known, the worth is corrected once.
    """

    def __init__(self, reading: Reading | None = None) -> None:
        self._reading = reading or Reading()
        self._partitions = Partitions(self._reading.maximum(), self._reading.partitions)
        self._worths = Ranking()
        self._last: dict[Hashable, _Access] = {}

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._last:
            raise refuse_twice(key)
        self._last[key] = _Access()
        self._worths.put(key, self._reading.first(0.0))
        if cost:
            self.weigh((key,), cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        last = self._last[key]
        if cost and cost != last.seconds:
            self._note(key, cost, self._partitions.number(cost))
        self._worths.put(key, self.worth(key) + self._reading.again(last.number))

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        if traffic is not Traffic.FETCH or seconds <= 0.0:
            return
        number = self._partitions.number(seconds)
        for key in keys:
            if key in self._last:
                self._note(key, seconds, number)
        self._partitions.note(seconds)

    def worth(self, key: Hashable) -> float:
        return self._worths.rank(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._worths.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._last[key]
        self._worths.remove(key)

    def __len__(self) -> int:
        return len(self._last)

    def _note(self, key: Hashable, seconds: float, number: float) -> None:
        last = self._last[key]
        more = 0.0 if last.seconds else self._reading.first(number) - self._reading.first(0.0)
        if more:  # else its place among equals stays
            self._worths.put(key, self.worth(key) + more)
        last.seconds, last.number = seconds, number
