"""Points that are sent to a worker together, and how many: enough for a fifth of a second."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sim.sweep.grid import Grid

CHUNK_SECONDS = 0.2
"""Below this, sending costs more than computing; above, a bar stands still and a killed worker loses time."""
GROWTH = 10
"""At most so many times as many points as last time, whose first one may have had much to import."""


@dataclass(frozen=True)
class Chunk:
    """The points *indices* of a grid, and their keys."""

    indices: Sequence[int]
    points: Sequence[dict[str, object]]
    keys: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.indices)

    def part(self, places: Sequence[int]) -> "Chunk":
        indices, points, keys = self.indices, self.points, self.keys
        return Chunk([indices[at] for at in places], [points[at] for at in places], [keys[at] for at in places])


class Chunks:
    """The *pending* points of *grid*, cut on demand, by the time of the chunks before."""

    def __init__(self, grid: Grid, pending: Sequence[int], workers: int, key: Callable[[int], bytes]) -> None:
        self._grid = grid
        self._pending = pending
        self._workers = workers
        self._key = key
        self._next = 0
        self._size = 1

    def __iter__(self) -> Iterator[Chunk]:
        while left := len(self._pending) - self._next:
            # Towards the end ever fewer, so that no worker has much to do while the others have nothing.
            size = max(1, min(self._size, left // (2 * self._workers)))
            indices = list(self._pending[self._next : self._next + size])
            self._next += size
            yield Chunk(indices, [self._grid[index] for index in indices], [self._key(index) for index in indices])

    def took(self, points: int, seconds: float) -> None:
        """What a chunk of so many *points* cost."""
        enough = CHUNK_SECONDS * points / seconds if seconds > 0.0 else GROWTH * points
        self._size = max(1, min(int(enough) + 1, GROWTH * points))
