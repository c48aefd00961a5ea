"""FIFO evicts the entry that was inserted longest ago, LRU the one that was last used longest ago."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice

from spindle.sim.eviction.policy import MayGo, Oldest, refuse_twice


class Fifo:
    """FIFO: entries in the order of their arrival; a hit changes nothing.

    An OrderedDict and not a dict: finding the first key of a dict walks over all that were deleted
    in front of it, which makes a queue on a plain dict some fifty times slower.

    >>> policy = Fifo()
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'a'
    """

    def __init__(self) -> None:
        self._order: OrderedDict[Hashable, None] = OrderedDict()
        self._oldest = Oldest(self._order)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._order:
            raise refuse_twice(key)
        self._order[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._order:
            raise KeyError(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._oldest.find(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._order[key]

    def __len__(self) -> int:
        return len(self._order)


class Lru(Fifo):
    """LRU: entries in the order of their last use.

    >>> policy = Lru()
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._order.move_to_end(key)

    def coming(self, most: int) -> Iterator[Hashable]:
        return islice(self._order, most)

    def replay(self, keys: Sequence[Hashable], capacity: int) -> int:
        """Reference *keys* in a cache of *capacity* entries, as the methods above would; return the hits."""
        order = self._order
        move_to_end, popitem = order.move_to_end, order.popitem
        room = capacity - len(order)
        hits = 0
        for key in keys:
            if key in order:
                move_to_end(key)
                hits += 1
                continue
            if room:
                room -= 1
            else:
                popitem(False)
            order[key] = None
        return hits
