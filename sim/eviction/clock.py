"""CLOCK (second chance) evicts the first entry not used since its hand passed the entry; ClockSweep is PostgreSQL's."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from itertools import islice

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import MayGo, refuse_twice


class _Frame:
    referenced = False


class Clock:
    """CLOCK: the ring of entries is a queue that begins where the hand points; newcomers enter behind the hand.

    An entry begins without its reference bit; a hit only sets the bit, so that CLOCK is cheap. An entry that may
    not be evicted is passed over, and loses its bit as any other does.

    >>> policy = Clock()
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def __init__(self) -> None:
        self._ring: OrderedDict[Hashable, _Frame] = OrderedDict()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._ring:
            raise refuse_twice(key)
        self._ring[key] = _Frame()

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._ring[key].referenced = True

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Turn the hand to the entry that should go, clearing reference bits on the way.

        The hand stays there, so that asking again gives the same answer. After one turn no bit is
        left; what the second turn does not find may not go.
        """
        for _ in range(2):
            passed: list[Hashable] = []
            for key, frame in self._ring.items():
                if frame.referenced:
                    frame.referenced = False
                elif may_go is None or may_go(key):
                    self._turn(passed)
                    return key
                passed.append(key)
            # A whole turn has brought the hand back to where it was: nothing to move.
        return None

    def _turn(self, passed: list[Hashable]) -> None:
        for key in passed:
            self._ring.move_to_end(key)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._ring[key]

    def __len__(self) -> int:
        return len(self._ring)


# Clock sweep: CLOCK with a count of uses in place of its bit.

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
        """Turn the hand to the entry that should go; None after a whole turn that lowers no count."""
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
