"""FIFO: evicts the earliest entry, however often it was used."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import MayGo, Oldest, refuse_twice


class Fifo:
    """Entries in the order of their arrival; a hit changes nothing.

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
