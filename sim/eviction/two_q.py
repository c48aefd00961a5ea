"""2Q inserts new entries into a queue; only those requested again after leaving it enter the main queue, an LRU."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import Bounded, MayGo, Oldest

_Queue = OrderedDict[Hashable, None]


class TwoQ(Bounded):
    """The full version of Johnson and Shasha, "2Q: a low overhead high performance buffer management ...", VLDB 1994.

    *k_in*, how many of the *capacity* entries the newcomers may have while the main queue has a victim, and *k_out*,
    how many ghosts of newcomers are kept, are by default a quarter and a half of the capacity, as in the paper. A
    hit among the newcomers changes nothing. Entries evicted from the main queue leave no ghost.
    Surplus ghosts are dropped in ``insert``, once the newcomer's own was looked for.

    >>> policy = TwoQ(10)
    >>> policy.insert("a"); policy.insert("b"); policy.choose()
    'a'
    """

    def __init__(self, capacity: int, k_in: int | None = None, k_out: int | None = None) -> None:
        super().__init__(capacity)
        self._k_in = max(1, capacity // 4) if k_in is None else k_in
        self._k_out = max(1, capacity // 2) if k_out is None else k_out
        self._newcomers: _Queue = OrderedDict()  # A1in of the paper
        self._ghosts: _Queue = OrderedDict()  # A1out
        self._main: _Queue = OrderedDict()  # Am
        self._oldest_newcomer, self._oldest = Oldest(self._newcomers), Oldest(self._main)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._newcomers or key in self._main)
        queue = self._main if key in self._ghosts else self._newcomers
        while len(self._ghosts) > self._k_out:
            self._ghosts.popitem(last=False)
        self._ghosts.pop(key, None)
        queue[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._newcomers:
            self._main.move_to_end(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        newcomers_give = len(self._newcomers) > self._k_in
        newcomer, old = self._oldest_newcomer, self._oldest
        first, second = (newcomer, old) if newcomers_give else (old, newcomer)
        key = first.find(may_go)
        return second.find(may_go) if key is None else key

    def remove(self, key: Hashable, evicted: bool) -> None:
        if key not in self._newcomers:
            del self._main[key]
            return
        del self._newcomers[key]
        if evicted:
            self._ghosts[key] = None

    def __len__(self) -> int:
        return len(self._newcomers) + len(self._main)
