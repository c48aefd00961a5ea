"""A ranking: the key of the lowest rank is found first, among equals the one that was ranked first."""

from collections.abc import Hashable
from heapq import heapify, heappop, heappush

from sim.cache.eviction.policy import MayGo

_Entry = tuple[tuple[float, ...], int, Hashable]


class Ranking:
    """A heap in which ranks that hold no longer are left until they come up, or until they are the most of it.

    Each operation costs O(log n), amortised; ``lowest`` as many times that as keys may not go.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._heap: list[_Entry] = []
        self._puts = 0

    def put(self, key: Hashable, *rank: float) -> None:
        """Rank *key*, anew where it has a rank. Numbers after the first decide between equals."""
        self._puts += 1
        entry = self._entries[key] = (rank, self._puts, key)
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + 64:
            self._heap = list(self._entries.values())
            heapify(self._heap)

    def rank(self, key: Hashable) -> float:
        return self._entries[key][0][0]

    def remove(self, key: Hashable) -> None:
        del self._entries[key]

    def lowest(self, may_go: MayGo | None) -> Hashable | None:
        """The key of the lowest rank that may go, or None."""
        refused: list[_Entry] = []
        chosen = None
        while self._heap:
            entry = self._heap[0]
            if self._entries.get(entry[2]) is entry:
                if may_go is None or may_go(entry[2]):
                    chosen = entry[2]
                    break
                refused.append(entry)
            heappop(self._heap)
        for entry in refused:
            heappush(self._heap, entry)
        return chosen

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
