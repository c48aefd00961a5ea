"""GreedyDual and GDSF keep entries longer that are costly, small or often used; ranks age with each eviction."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from spindle.sim.eviction.policy import MayGo, Ranking, Traffic, refuse_twice

Weight = Callable[[float, int, int], float]
"""Function of an entry's cost, size and uses that returns its worth; uses count from 1 when the entry comes."""


def cost_alone(cost: float, size: int, uses: int) -> float:
    """Weight of GreedyDual (Young): the cost."""
    return cost


def cost_for_size(cost: float, size: int, uses: int) -> float:
    """Weight of GreedyDual-Size (Cao and Irani): the cost for each byte."""
    return cost / size


def uses_for_size(cost: float, size: int, uses: int) -> float:
    """Weight of GreedyDual-Size-Frequency (Cherkasova) for entries of equal cost: the uses for each byte."""
    return uses / size


@dataclass(slots=True)
class _Entry:
    cost: float
    size: int
    uses: int = 1


class GreedyDual:
    """Young, "The k-server dual and loose competitiveness for paging", Algorithmica 11, 1994; with sizes Cao and Irani,
    "Cost-aware WWW proxy caching algorithms", USITS 1997.

    An entry that is fetched or used is ranked its *weight* above the highest rank that has gone. With equal costs
    and sizes, or none known, this is LRU. A cost that becomes known later counts from then on. O(log n) an operation.
    """

    def __init__(self, weight: Weight = cost_for_size) -> None:
        self._weight = weight
        self._ranks = Ranking()
        self._entries: dict[Hashable, _Entry] = {}
        self._gone = 0.0  # L of the papers on costs, Clock of that on frequency

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._entries:
            raise refuse_twice(key)
        self._rank(key, _Entry(cost, size))

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        entry = self._entries[key]
        entry.uses += 1
        if cost:
            entry.cost = cost
        self._rank(key, entry)

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        """Take the seconds of a fetch as the cost of each of *keys*; write-backs are no misses, and do not count."""
        if traffic is Traffic.FETCH and seconds > 0.0:
            for key in keys:
                entry = self._entries.get(key)
                if entry is not None:
                    entry.cost = seconds
                    self._rank(key, entry)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._ranks.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        if evicted:
            self._gone = max(self._gone, self._ranks.rank(key))
        self._ranks.remove(key)
        del self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)

    def _rank(self, key: Hashable, entry: _Entry) -> None:
        self._entries[key] = entry
        self._ranks.put(key, self._gone + self._weight(entry.cost, entry.size, entry.uses))


class Gdsf:
    """Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy", HPL-98-69, 1998.

    GreedyDual whose weight is the uses for each byte. All entries cost the same to fetch, which is the paper's variant
    for the hit ratio, so that fetch times are ignored. Uses are forgotten when an entry goes. With sizes alike it is
    LFU that ages. O(log n) an operation.
    """

    def __init__(self) -> None:
        self._entries = GreedyDual(uses_for_size)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._entries.insert(key, size)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._entries.touch(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._entries.choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._entries.remove(key, evicted)

    def __len__(self) -> int:
        return len(self._entries)
