"""CLOCK, or second chance: a hand goes round and evicts the first entry not used since its last pass."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import MayGo, refuse_twice


class _Frame:
    referenced = False


class Clock:
    """The ring of entries, kept as a queue that begins where the hand points; newcomers enter behind the hand.

    An entry comes without its reference bit; a hit sets it and does nothing else, which is what makes
    CLOCK cheap. An entry that may not go is passed over, and loses its bit as any other does.

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
