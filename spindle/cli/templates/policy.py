"""An eviction policy of your own: it ranks resident entries, and knows neither time nor the disc.

spindle check policy.py:Mine
spindle run hp3000 --policy policy.py:Mine
spindle curve TRACE --policy lru,policy.py:Mine
"""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import MayGo


class Mine:
    """LRU, to begin with: the entry goes whose last use is longest ago."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, None] = OrderedDict()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        """Enter *key* after a miss; ValueError where it is here already."""
        if key in self._entries:
            raise ValueError(f"{key!r} is here already")
        self._entries[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        """Note a hit; KeyError where *key* is not here."""
        self._entries.move_to_end(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Return the key to evict for *incoming*; remove() forgets it, not this. None where none *may_go*."""
        return next((key for key in self._entries if may_go is None or may_go(key)), None)

    def remove(self, key: Hashable, evicted: bool) -> None:
        """Forget *key*; KeyError where it is not here."""
        del self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)
