"""Clock sweep: CLOCK with a count of uses in place of its bit."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from itertools import islice

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import MayGo, refuse_twice


class ClockSweep:
    """The buffer pool of PostgreSQL: StrategyGetBuffer (freelist.c) and PinBuffer (bufmgr.c).

    An entry comes with a count of one, and a hit adds one, up to *most* (BM_MAX_USAGE_COUNT). The hand takes one from
    the count of each entry that it passes, and stops at the first that has none left. An entry that may not go keeps
    its count. The ring is a queue that begins where the hand points; newcomers enter behind the hand.
    """

    def __init__(self, most: int = 5) -> None:
        if most < 1:
            raise UserError(f"policy ClockSweep counts up to one use at least, not {most!r}")
        self._most = most
        self._ring: OrderedDict[Hashable, int] = OrderedDict()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ring:
            raise refuse_twice(key)
        self._ring[key] = 1

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        uses = self._ring[key]
        if uses < self._most:
            self._ring[key] = uses + 1

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Turn the hand to the entry that should go. A whole turn that lowers no count finds none."""
        took = True
        while took:
            took, passed = False, list[Hashable]()
            for key, uses in self._ring.items():
                if may_go is None or may_go(key):
                    if not uses:
                        for each in passed:
                            self._ring.move_to_end(each)
                        return key
                    self._ring[key] = uses - 1
                    took = True
                passed.append(key)
        return None

    def coming(self, most: int) -> Iterator[Hashable]:
        return islice((key for key, uses in self._ring.items() if not uses), most)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._ring[key]

    def __len__(self) -> int:
        return len(self._ring)
