"""A ranking: gives the key of the lowest rank; of equals, the one that was ranked first."""

from collections.abc import Hashable
from heapq import heapify, heappop, heappush

from sim.eviction.policy import MayGo

_Entry = tuple[tuple[float, ...], int, Hashable]


class Ranking:
    """A heap in which ranks that hold no longer are left until they come up, or until they are the most of it.

    Each operation costs O(log n), amortised. Keys that may not go are put aside, and tried again when ``lowest`` is
    asked by another MayGo.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._heap: list[_Entry] = []
        self._aside: list[_Entry] = []
        self._asked: MayGo | None = None
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
        if may_go is not self._asked:
            self._asked = may_go
            self._try_again(may_go)
        entries, heap = self._entries, self._heap
        while heap:
            entry = heap[0]
            key = entry[2]
            if entries.get(key) is entry:
                if may_go is None or may_go(key):
                    return key
                self._aside.append(entry)
            heappop(heap)
        return None

    def _try_again(self, may_go: MayGo | None) -> None:
        """Put back what may go by now; a rank that holds no longer is forgotten."""
        aside, self._aside = self._aside, []
        for entry in aside:
            key = entry[2]
            if self._entries.get(key) is entry:
                if may_go is None or may_go(key):
                    heappush(self._heap, entry)
                else:
                    self._aside.append(entry)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
