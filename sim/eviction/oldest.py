"""The first of an order that may go: what it was refused before it passes over at once."""

from collections.abc import Hashable, Iterable
from itertools import islice

from sim.eviction.policy import MayGo


class Oldest:
    """Looks along *keys* from their beginning, and for one MayGo goes on where it was refused.

    A claim of many blocks would otherwise ask about each pinned one again for each of its victims.
    """

    __slots__ = ("_asked", "_keys", "_refused")

    def __init__(self, keys: Iterable[Hashable]) -> None:
        self._keys = keys
        self._asked: MayGo | None = None
        self._refused = 0

    def find(self, may_go: MayGo | None) -> Hashable | None:
        """The first key that *may_go* does not refuse, or None."""
        if may_go is None:
            return next(iter(self._keys), None)
        if may_go is not self._asked:
            self._asked, self._refused = may_go, 0
        for key in islice(self._keys, self._refused, None):
            if may_go(key):
                return key
            self._refused += 1
        return None
