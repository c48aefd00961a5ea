"""Hyperbolic caching evicts, from a sample, the entry with the fewest uses per unit of time since its insertion."""

from collections.abc import Hashable

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import MayGo, refuse_twice


class Hyperbolic:
    """Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching for web applications", USENIX ATC 2017.

    Priority is the uses since an entry came over the time since it came. It falls for all at different speeds, so that
    no order stays valid: the lowest of a *sample* goes, 64 entries as in the paper, and of equals the first that came.
    The paper's sample is random; this one is entries of a list from a hand on, in which the last entry takes the place
    of an evicted one (assumed: runs are reproducible, and all are looked at equally often). Time is counted in uses.
    """

    def __init__(self, sample: int = 64) -> None:
        if sample < 1:
            raise UserError(f"policy Hyperbolic has a sample of one entry at least, not {sample!r}")
        self._sample = sample
        self._keys: list[Hashable] = []
        self._places: dict[Hashable, int] = {}
        self._uses: dict[Hashable, int] = {}
        self._came: dict[Hashable, int] = {}
        self._hand = 0
        self._now = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._places:
            raise refuse_twice(key)
        self._now += 1
        self._places[key] = len(self._keys)
        self._keys.append(key)
        self._uses[key], self._came[key] = 1, self._now

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._uses[key] += 1
        self._now += 1

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        count = len(self._keys)
        looked, best, lowest = 0, None, (2.0, 0)
        for step in range(count):
            key = self._keys[(self._hand + step) % count]
            if may_go is None or may_go(key):
                priority = self._uses[key] / (self._now + 1 - self._came[key]), self._came[key]
                if priority < lowest:
                    best, lowest = key, priority
                looked += 1
                if looked == self._sample:
                    break
        return best

    def remove(self, key: Hashable, evicted: bool) -> None:
        place = self._places.pop(key)
        last = self._keys.pop()
        if last != key:
            self._keys[place], self._places[last] = last, place
        del self._uses[key], self._came[key]
        if evicted:
            self._hand += self._sample

    def __len__(self) -> int:
        return len(self._keys)
