"""FAC: LFU in which each use counts the more, the longer the disc took for the entry."""

from collections.abc import Hashable, Sequence

from sim.eviction.fac_reading import Reading
from sim.eviction.partitions import Partitions
from sim.eviction.policy import MayGo, Traffic, refuse_twice
from sim.eviction.ranking import Ranking


class _Entry:
    """When it came, and its last access to the disc: seconds and N, 0 while it has none."""

    __slots__ = ("arrival", "number", "seconds")

    def __init__(self, arrival: int) -> None:
        self.arrival = arrival
        self.seconds = 0.0
        self.number = 0.0


class Fac:
    """Kim, "Frequency-based NCQ-aware disk cache algorithm", IEICE Electronics Express 11(11), 2014.

    Each entry has a worth, to which its first access and each hit add; the lowest goes. Where the paper is open,
    the *reading* decides. A worth lasts as long as its entry and does not age. O(log n) an operation.

    While an entry's access time is not known, its N is 0; when it becomes known, the worth is made up for it once.
    """

    def __init__(self, reading: Reading | None = None) -> None:
        self._reading = reading or Reading()
        self._partitions = Partitions(self._reading.maximum(), self._reading.partitions, self._reading.rounding)
        self._worths = Ranking()
        self._entries: dict[Hashable, _Entry] = {}
        self._arrivals = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._entries:
            raise refuse_twice(key)
        self._arrivals += 1
        self._entries[key] = _Entry(self._arrivals)
        self._set(key, self._reading.first(0.0))
        if cost:
            self.accessed((key,), cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        entry = self._entries[key]
        if cost and cost != entry.seconds:
            self._note(key, cost, self._partitions.number(cost))
        number = self._reading.used(self._partitions, entry.seconds, entry.number)
        self._set(key, self.worth(key) + self._reading.again(number))

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        if traffic not in self._reading.heeded or seconds <= 0.0:
            return
        for unit in self._reading.unit(keys):
            number = self._partitions.number(seconds)
            for key in unit:
                if key in self._entries:
                    self._note(key, seconds, number)
            self._partitions.note(seconds)

    def worth(self, key: Hashable) -> float:
        return self._worths.rank(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._worths.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._entries[key]
        self._worths.remove(key)

    def __len__(self) -> int:
        return len(self._entries)

    def _note(self, key: Hashable, seconds: float, number: float) -> None:
        entry = self._entries[key]
        more = 0.0 if entry.seconds else self._reading.first(number) - self._reading.first(0.0)
        if more:  # else its place among equals stays
            self._set(key, self.worth(key) + more)
        entry.seconds, entry.number = seconds, number

    def _set(self, key: Hashable, worth: float) -> None:
        self._worths.put(key, worth, self._reading.tie(self._entries[key].arrival))
