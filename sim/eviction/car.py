"""CAR: ARC with clocks in place of its two lists, so that a hit is a mark and nothing moves."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import MayGo, at_least_one, first_that_may_go, refuse_overflow, refuse_twice

_Clock = OrderedDict[Hashable, bool]
_Ghosts = OrderedDict[Hashable, None]


class Car:
    """Bansal and Modha, "CAR: clock with adaptive replacement", FAST 2004, figure 2.

    Both clocks run from the hand on; a mark is a use since the hand was there. *target* is the paper's p: how many of
    the *capacity* entries are meant for those that came once. It is adapted when the entry comes, after the eviction,
    and ghosts too many are dropped then. Where the entry under the hand must stay, the first without a mark goes,
    or the first at all.
    """

    def __init__(self, capacity: int) -> None:
        self.target = 0.0
        self._capacity = at_least_one(self, capacity)
        self._once: _Clock = OrderedDict()  # T1 of the paper
        self._often: _Clock = OrderedDict()  # T2
        self._once_ghosts: _Ghosts = OrderedDict()  # B1
        self._often_ghosts: _Ghosts = OrderedDict()  # B2

    def fixed_capacity(self) -> int:
        return self._capacity

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._once or key in self._often:
            raise refuse_twice(key)
        if len(self) >= self._capacity:
            raise refuse_overflow(key, self._capacity)
        once, often = len(self._once_ghosts), len(self._often_ghosts)
        if key in self._once_ghosts:
            self.target = min(self.target + max(1.0, often / once), float(self._capacity))
            del self._once_ghosts[key]
        elif key in self._often_ghosts:
            self.target = max(self.target - max(1.0, once / often), 0.0)
            del self._often_ghosts[key]
        else:
            self._drop_a_ghost()
            self._once[key] = False
            return
        self._often[key] = False

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        clock = self._once if key in self._once else self._often
        if key not in clock:
            raise KeyError(key)
        clock[key] = True

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """The paper's replace(): marks are taken off, and who had one moves behind those used often."""
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

    def remove(self, key: Hashable, evicted: bool) -> None:
        once = key in self._once
        del (self._once if once else self._often)[key]
        if evicted:
            (self._once_ghosts if once else self._often_ghosts)[key] = None

    def __len__(self) -> int:
        return len(self._once) + len(self._often)

    def _drop_a_ghost(self) -> None:
        """Keep what came once, with its ghosts, at one capacity, and all four lists at two."""
        once = len(self._once) + len(self._once_ghosts)
        if once >= self._capacity and self._once_ghosts:
            self._once_ghosts.popitem(last=False)
        elif once + len(self._often) + len(self._often_ghosts) >= 2 * self._capacity:
            self._often_ghosts.popitem(last=False)
