"""FAC: LFU in which each use counts the more, the longer the disc took for the entry."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from sim.eviction.partitions import DynamicMaximum, Maximum, Partitions
from sim.eviction.policy import MayGo, Traffic, refuse_twice
from sim.eviction.ranking import Ranking

Gain = Callable[[float], float]
"""What an access in partition N adds to an entry's worth."""


def count_alone(number: float) -> float:
    """LFU."""
    return 1.0


def number_alone(number: float) -> float:
    """Both at first and again, the worth is N times the number of uses."""
    return number


def count_and_number(number: float) -> float:
    return 1.0 + number


@dataclass(frozen=True)
class Reading:
    """Kim adds a "normalized value of access time" to "the access frequency update of the worth value".

    Left open, and by default: what the *maximum* is measured from (dynamic, begun anew with each average; the
    static one is the paper's first policy), what a block is worth at *first* (its first use and its N), and what a
    hit adds *again* (one use and N, that of the last access to the disc). Of equals the least recent goes, N is
    rounded up, the counter advances by request, and of the traffic fetches alone are heeded.
    """

    maximum: Callable[[], Maximum] = DynamicMaximum
    partitions: int = 10
    first: Gain = count_and_number
    again: Gain = count_and_number


@dataclass(slots=True)
class _Access:
    """An entry's last to the disc: seconds and N, 0 while it has none."""

    seconds: float = 0.0
    number: float = 0.0


class Fac:
    """Kim, "Frequency-based NCQ-aware disk cache algorithm", IEICE Electronics Express 11(11), 2014.

    Each entry has a worth, to which its first access and each hit add; the lowest goes. Where the paper is open,
    the *reading* decides. A worth lasts as long as its entry and does not age. O(log n) an operation.

    While an entry's access time is not known, its N is 0; when it becomes known, the worth is made up for it once.
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
            self.accessed((key,), cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        last = self._last[key]
        if cost and cost != last.seconds:
            self._note(key, cost, self._partitions.number(cost))
        self._worths.put(key, self.worth(key) + self._reading.again(last.number))

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
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
