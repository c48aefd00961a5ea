"""ARC and CAR divide a cache between entries used once and entries used often, by which evicted ones are missed.

A ghost is the key of an evicted entry; a miss of a ghost gives more room to the list from which it was evicted.
"""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import Bounded, MayGo, Oldest, first_that_may_go

_Queue = OrderedDict[Hashable, bool]


class _Adaptive(Bounded):
    """The lists of ARC and CAR: entries used once and entries used more often, with the ghosts of either.

    *target* is p of the papers, a real number: how many of the *capacity* entries are meant for the once-used.
    """

    def __init__(self, capacity: int) -> None:
        self.target = 0.0
        super().__init__(capacity)
        self._once: _Queue = OrderedDict()  # T1
        self._often: _Queue = OrderedDict()  # T2
        self._once_ghosts: _Queue = OrderedDict()  # B1
        self._often_ghosts: _Queue = OrderedDict()  # B2

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._once or key in self._often)
        if self._adapt(key):
            self._forget_ghost(key)
            self._often[key] = False
        else:
            self._drop_a_ghost()
            self._once[key] = False

    def remove(self, key: Hashable, evicted: bool) -> None:
        once = key in self._once
        del (self._once if once else self._often)[key]
        if evicted:
            (self._once_ghosts if once else self._often_ghosts)[key] = False

    def __len__(self) -> int:
        return len(self._once) + len(self._often)

    def _adapt(self, key: Hashable) -> bool:
        """Give the once-used more room if *key* is a ghost of theirs, less if another ghost; False if it is none."""
        once, often = len(self._once_ghosts), len(self._often_ghosts)
        if key in self._once_ghosts:
            self.target = min(self.target + max(1.0, often / once), float(self._capacity))
        elif key in self._often_ghosts:
            self.target = max(self.target - max(1.0, once / often), 0.0)
        else:
            return False
        return True

    def _drop_a_ghost(self) -> None:
        """Keep the once-used and their ghosts within one capacity, and all four lists within two."""
        once = len(self._once) + len(self._once_ghosts)
        if once >= self._capacity:
            self._forget_ghost(next(iter(self._once_ghosts)))
        elif once + len(self._often) + len(self._often_ghosts) >= 2 * self._capacity:
            self._forget_ghost(next(iter(self._often_ghosts)))

    def _forget_ghost(self, key: Hashable) -> None:
        del (self._once_ghosts if key in self._once_ghosts else self._often_ghosts)[key]


class Arc(_Adaptive):
    """Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003, figure 4.

    Every list runs from LRU to MRU. The paper handles a miss in one step, here it comes as choose, remove and
    insert, with misses of other entries between them where fetches overlap:

    - the target is adapted in ``choose``, once for each arrival, because it depends on the lengths of
      the ghost lists before REPLACE (in ``insert``, where nothing was evicted);
    - ghosts too many are dropped in ``insert``, not before REPLACE. The victim is added at the other end
      of its list, so the same ghost is dropped; and where the once-used fill the whole cache (case IV A of the
      paper, which keeps no ghost), the dropped ghost is the victim's own. A ghost that is dropped while
      its entry is being fetched is forgotten: the entry is entered as a new one.

    >>> policy = Arc(2)
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._oldest_once, self._oldest_often = Oldest(self._once), Oldest(self._often)
        self._adapted: set[Hashable] = set()  # ghosts on their way back, for which the target was adapted

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key in self._once:
            del self._once[key]
            self._often[key] = False
        else:
            self._often.move_to_end(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Choose as REPLACE of the paper; from the other list, if no entry of the list to evict from may go."""
        self._adapt(incoming)
        count = len(self._once)
        once_gives = count > self.target or (count == self.target and incoming in self._often_ghosts)
        once, often = self._oldest_once, self._oldest_often
        first, second = (once, often) if once_gives else (often, once)
        key = first.find(may_go)
        return second.find(may_go) if key is None else key

    def _adapt(self, key: Hashable) -> bool:
        """Adapt as in cases II and III of the paper, once for each arrival."""
        if key not in self._adapted and super()._adapt(key):
            self._adapted.add(key)
        return key in self._adapted

    def _forget_ghost(self, key: Hashable) -> None:
        super()._forget_ghost(key)
        self._adapted.discard(key)


# CAR: ARC with clocks in place of its two lists, so that a hit is a mark and nothing moves.

class Car(_Adaptive):
    """Bansal and Modha, "CAR: clock with adaptive replacement", FAST 2004, figure 2.

    Both clocks run from the hand on; a mark is a use since the hand was there. The target is adapted when the entry
    comes, after the eviction, and ghosts too many are dropped then. Where the entry under the hand must stay, the
    first without a mark goes, or the first at all.
    """

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        clock = self._once if key in self._once else self._often
        if key not in clock:
            raise KeyError(key)
        clock[key] = True

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Choose as the paper's replace(): a marked entry loses its mark, and moves behind those used often."""
        if not len(self):
            return None
        while True:
            once = len(self._once) >= max(1.0, self.target) or not self._often
            clock = self._once if once else self._often
            key, marked = next(iter(clock.items()))
            if not marked:
                break
            del clock[key]
            self._often[key] = False
        if may_go is None or may_go(key):
            return key
        both = [*self._once.items(), *self._often.items()]
        return first_that_may_go([key for marked in (False, True) for key, mark in both if mark is marked], may_go)
