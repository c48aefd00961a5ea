"""LRU-K evicts the entry whose K-th last use is longest ago, and entries used fewer than K times before all others."""

from collections import OrderedDict, deque
from collections.abc import Hashable

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import MayGo, Ranking, refuse_twice


class LruK:
    """O'Neil, O'Neil and Weikum, "The LRU-K page replacement algorithm for database disk buffering", SIGMOD 1993.

    The entry goes whose *k*-th last use is farthest back; those that have fewer uses go before, the least recently
    used of them first, as the paper proposes. With *k* = 1 this is LRU. Each use counts: the paper's Correlated
    Reference Period is 0 here, because references have no clock. For the same reason its Retained Information
    Period is counted in entries: the uses of as many that have gone are remembered as there ever were at once
    (assumed; the paper leaves it to the system). O(log n) an operation.
    """

    def __init__(self, k: int = 2) -> None:
        if k < 1:
            raise UserError(f"policy LruK looks at one use at least, not {k!r}")
        self._k = k
        self._ranks = Ranking()
        self._uses: dict[Hashable, deque[int]] = {}
        self._ghosts: OrderedDict[Hashable, None] = OrderedDict()
        self._most_ghosts = 0
        self._now = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ranks:
            raise refuse_twice(key)
        self._ghosts.pop(key, None)
        self._use(key)
        self._most_ghosts = max(self._most_ghosts, len(self._ranks))

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._ranks:
            raise KeyError(key)
        self._use(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._ranks.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._ranks.remove(key)
        if not evicted:
            del self._uses[key]
            return
        self._ghosts[key] = None
        if len(self._ghosts) > self._most_ghosts:
            oldest, _ = self._ghosts.popitem(last=False)
            del self._uses[oldest]

    def __len__(self) -> int:
        return len(self._ranks)

    def _use(self, key: Hashable) -> None:
        self._now += 1
        times = self._uses.setdefault(key, deque(maxlen=self._k))
        times.append(self._now)
        self._ranks.put(key, times[0] if len(times) == self._k else 0)
