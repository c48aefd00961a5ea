"""ATCA, reconstructed: entries with a long access time stay longer, but not for ever."""

from collections.abc import Callable, Hashable, Sequence

from sim.eviction.greedy_dual import GreedyDual, cost_alone
from sim.eviction.partitions import DynamicMaximum, Maximum, Partitions
from sim.eviction.policy import MayGo, Traffic


class Atca:
    """Arfan, Kim and Kwon, IEICE Electronics Express 9, 2012, as described by Kim (FAC, 2014): temporal locality
    combined with access time. Its own text was not at hand.

    This reconstruction is GreedyDual whose costs are the partitions of the access times, computed as in FAC.
    An entry keeps the partition of its fetch. O(log n) an operation.
    """

    def __init__(self, maximum: Callable[[], Maximum] = DynamicMaximum, partitions: int = 10) -> None:
        self._partitions = Partitions(maximum(), partitions)
        self._entries = GreedyDual(cost_alone)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._entries.insert(key, size)
        if cost:
            self.accessed((key,), cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._entries.touch(key)

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        if traffic is Traffic.FETCH and seconds > 0.0:
            self._entries.accessed(keys, self._partitions.number(seconds))
            self._partitions.note(seconds)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._entries.choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._entries.remove(key, evicted)

    def __len__(self) -> int:
        return len(self._entries)
