"""LFU evicts the entry with the fewest uses since its insertion; of equals, the first to reach that count."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Self

from spindle.sim.eviction.policy import MayGo, Oldest, refuse_twice


class _Rank:
    """The entries of one count, in the order in which they reached it; ranks form a ring of ascending counts."""

    __slots__ = ("count", "higher", "keys", "lower")

    def __init__(self, count: int) -> None:
        self.count = count
        self.keys: OrderedDict[Hashable, None] = OrderedDict()
        self.lower: _Rank = self
        self.higher: _Rank = self

    def link_above(self, lower: "_Rank") -> Self:
        self.lower, self.higher = lower, lower.higher
        lower.higher.lower = self
        lower.higher = self
        return self

    def unlink(self) -> None:
        self.lower.higher = self.higher
        self.higher.lower = self.lower


class Lfu:
    """LFU with counts from 1 at insertion, one more with each hit, forgotten with the entry's eviction; no ageing.

    Ranks of equal count in a linked list make every operation O(1) (Shah, Mitra and Matani, 2010).

    >>> policy = Lfu()
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def __init__(self) -> None:
        self._base = _Rank(0)
        self._ranks: dict[Hashable, _Rank] = {}
        self._oldest = Oldest(self)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ranks:
            raise refuse_twice(key)
        self._enter(key, self._base)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        rank = self._ranks[key]
        if len(rank.keys) == 1 and rank.higher.count != rank.count + 1:
            rank.count += 1  # Alone between its neighbours: the whole rank moves up.
            return
        self._enter(key, rank)
        self._leave(key, rank)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._oldest.find(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._leave(key, self._ranks.pop(key))

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[Hashable]:
        """The keys by their counts, the lowest first."""
        rank = self._base.higher
        while rank is not self._base:
            yield from rank.keys
            rank = rank.higher

    def _enter(self, key: Hashable, below: _Rank) -> None:
        """Put *key* into the rank next above *below*, which is made if there is none."""
        rank = below.higher
        if rank.count != below.count + 1:
            rank = _Rank(below.count + 1).link_above(below)
        rank.keys[key] = None
        self._ranks[key] = rank

    def _leave(self, key: Hashable, rank: _Rank) -> None:
        del rank.keys[key]
        if not rank.keys:
            rank.unlink()
