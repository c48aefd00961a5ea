"""A ranking: gives the key of the lowest rank; of equals, the one that was ranked first."""

from bisect import insort
from collections.abc import Hashable
from heapq import heapify, heappop, heappush

from sim.eviction.policy import MayGo

_Entry = tuple[tuple[float, ...], int, Hashable]


class Ranking:
    """A heap in which ranks that hold no longer are left until they come up, or until they are the most of it.

    Each operation costs O(log n), amortised. Keys that may not go are put aside in order, and tried again first by
    every ``lowest``, for the cost of the test.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._heap: list[_Entry] = []
        self._aside: list[_Entry] = []
        self._puts = 0

    def put(self, key: Hashable, *rank: float) -> None:
        """Rank *key*, anew where it has a rank. Numbers after the first decide between equals."""
        self._puts += 1
        entry = self._entries[key] = (rank, self._puts, key)
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + 64:
            self._heap, self._aside = list(self._entries.values()), []
            heapify(self._heap)

    def rank(self, key: Hashable) -> float:
        return self._entries[key][0][0]

    def remove(self, key: Hashable) -> None:
        del self._entries[key]

    def lowest(self, may_go: MayGo | None) -> Hashable | None:
        """The key of the lowest rank that may go, or None."""
        entries, heap = self._entries, self._heap
        self._aside = [entry for entry in self._aside if entries.get(entry[2]) is entry]
        best = next((entry for entry in self._aside if may_go is None or may_go(entry[2])), None)
        while heap and (best is None or heap[0] < best):
            entry = heap[0]
            if entries.get(entry[2]) is entry:
                if may_go is None or may_go(entry[2]):
                    return entry[2]
                insort(self._aside, entry)
            heappop(heap)
        return None if best is None else best[2]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
