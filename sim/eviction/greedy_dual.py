"""GreedyDual: entries that cost much to fetch stay longer; the credit is used up as others are evicted."""

from collections.abc import Callable, Hashable, Sequence

from sim.eviction.policy import MayGo, Traffic, refuse_twice
from sim.eviction.ranking import Ranking

Weight = Callable[[float, int], float]
"""What the cost and the size of an entry are worth together."""


def cost_alone(cost: float, size: int) -> float:
    """GreedyDual of Young."""
    return cost


def cost_for_size(cost: float, size: int) -> float:
    """GreedyDual-Size of Cao and Irani."""
    return cost / size


def one_for_size(cost: float, size: int) -> float:
    """GreedyDual-Size(1) of Cao and Irani, which counts misses, whatever they cost."""
    return 1 / size


class GreedyDual:
    """Young, "The k-server dual and loose competitiveness for paging", Algorithmica 11, 1994; with sizes Cao and Irani,
    "Cost-aware WWW proxy caching algorithms", USITS 1997.

    An entry that is fetched or used is ranked its *weight* above the highest rank that has gone. With equal costs
    and sizes, or none known, this is LRU. A cost that becomes known later counts from then on. O(log n) an operation.
    """

    def __init__(self, weight: Weight = cost_for_size) -> None:
        self._weight = weight
        self._ranks = Ranking()
        self._costs: dict[Hashable, float] = {}
        self._sizes: dict[Hashable, int] = {}
        self._gone = 0.0  # L of both papers

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ranks:
            raise refuse_twice(key)
        self._costs[key], self._sizes[key] = cost, size
        self._rank(key)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if cost and key in self._costs:
            self._costs[key] = cost
        self._rank(key)

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        """The seconds of a fetch are the cost of each of *keys*; those of a write-back are not that of a miss."""
        if traffic is Traffic.FETCH and seconds > 0.0:
            for key in keys:
                if key in self._costs:
                    self.touch(key, seconds)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._ranks.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        if evicted:
            self._gone = max(self._gone, self._ranks.rank(key))
        self._ranks.remove(key)
        del self._costs[key], self._sizes[key]

    def __len__(self) -> int:
        return len(self._ranks)

    def _rank(self, key: Hashable) -> None:
        self._ranks.put(key, self._gone + self._weight(self._costs[key], self._sizes[key]))
