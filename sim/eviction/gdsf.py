"""GDSF: who is small and was used often stays longer, but what that is worth is used up as others go."""

from collections.abc import Hashable

from sim.eviction.policy import MayGo, refuse_twice
from sim.eviction.ranking import Ranking


class Gdsf:
    """Cherkasova, "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy", HPL-98-69, 1998.

    An entry is ranked its uses for each byte above the highest rank that has gone; all cost the same to fetch, which
    is the paper's variant for the hit ratio. Uses count from 1 when it comes, and are forgotten when it goes. With
    sizes alike it is LFU that ages. O(log n) an operation.
    """

    def __init__(self) -> None:
        self._ranks = Ranking()
        self._uses: dict[Hashable, int] = {}
        self._sizes: dict[Hashable, int] = {}
        self._gone = 0.0  # Clock of the paper

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ranks:
            raise refuse_twice(key)
        self._uses[key], self._sizes[key] = 0, size
        self._use(key)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._use(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._ranks.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        if evicted:
            self._gone = max(self._gone, self._ranks.rank(key))
        self._ranks.remove(key)
        del self._uses[key], self._sizes[key]

    def __len__(self) -> int:
        return len(self._ranks)

    def _use(self, key: Hashable) -> None:
        self._uses[key] += 1
        self._ranks.put(key, self._gone + self._uses[key] / self._sizes[key])
