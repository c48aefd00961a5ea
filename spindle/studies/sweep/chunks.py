"""Cuts the points of a sweep into chunks for workers; retries a chunk in pieces if its worker dies; collects rows."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING

from spindle.sim.error import PointFailed
from spindle.studies.sweep.grid import Grid, Point, Row

if TYPE_CHECKING:
    import pandas as pd


# Points that are sent to a worker together: how many, and which of them is the cause if a worker dies.

CHUNK_SECONDS = 0.2
"""Seconds of a chunk: shorter ones take longer to send than to compute, longer ones are lost if a worker is killed."""
MAX_GROWTH = 10
"""Largest factor of a chunk on the one before, whose first point may have taken time to import modules."""
MAX_DEATHS = 3
"""Deaths of workers after which a point is computed alone; if its worker dies again, the point is the cause."""
RETRY_PIECES = 8


@dataclass(frozen=True)
class Chunk:
    """Points of a grid that are sent to a worker together: their *indices* and keys."""

    indices: Sequence[int]
    points: Sequence[dict[str, object]]
    keys: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.indices)

    def part(self, places: Sequence[int]) -> "Chunk":
        indices, points, keys = self.indices, self.points, self.keys
        return Chunk([indices[at] for at in places], [points[at] for at in places], [keys[at] for at in places])


class Chunks:
    """Cuts the *pending* points of *grid* into chunks on demand; their size follows from times of earlier chunks."""

    def __init__(self, grid: Grid, pending: Sequence[int], workers: int, key: Callable[[int], bytes]) -> None:
        self._grid = grid
        self._pending = pending
        self._workers = workers
        self._key = key
        self._next = 0
        self._size = 1

    def __iter__(self) -> Iterator[Chunk]:
        while left := len(self._pending) - self._next:
            # Fewer towards the end, so that no worker is busy for long while the others are idle.
            size = max(1, min(self._size, left // (2 * self._workers)))
            indices = list(self._pending[self._next : self._next + size])
            self._next += size
            yield Chunk(indices, [self._grid[index] for index in indices], [self._key(index) for index in indices])

    def took(self, points: int, seconds: float) -> None:
        """Record the cost of a chunk of *points*."""
        enough = CHUNK_SECONDS * points / seconds if seconds > 0.0 else MAX_GROWTH * points
        self._size = max(1, min(int(enough) + 1, MAX_GROWTH * points))


class Suspects:
    """The chunks of one round whose workers died, and how many workers have died of each point so far."""

    def __init__(self) -> None:
        self._deaths: Counter[int] = Counter()
        self._lost: list[Chunk] = []
        self._alone: set[int] = set()

    def add(self, chunk: Chunk, workers: int) -> None:
        self._lost.append(chunk)
        for index in chunk.indices:
            self._deaths[index] += workers

    def culprits(self) -> list[tuple[int, int]]:
        """Return (point, dead workers) of the points of the last round whose workers died although they were alone."""
        lost = [chunk.indices[0] for chunk in self._lost if len(chunk) == 1]
        return [(index, self._deaths[index]) for index in lost if index in self._alone]

    def rounds(self, pending: Collection[int]) -> list[list[Chunk]]:
        """Return the next rounds: pieces of the lost chunks, of points that are still *pending*."""
        wanted = set(pending)
        pieces = [piece for chunk in self._lost for piece in _pieces(chunk, wanted)]
        alone = [piece for piece in pieces if self._deaths[piece.indices[0]] >= MAX_DEATHS]
        self._lost = []
        self._alone = {piece.indices[0] for piece in alone}
        return [[piece for piece in pieces if piece not in alone], *([piece] for piece in alone)]


def _pieces(chunk: Chunk, wanted: set[int]) -> Iterator[Chunk]:
    """Cut a lost *chunk*, its first point alone: if finished points are kept, the worker has died of that one."""
    left = [place for place, index in enumerate(chunk.indices) if index in wanted]
    size = ceil(len(left) / RETRY_PIECES)
    for first, end in [(0, 1), *((first, first + size) for first in range(1, len(left), size or 1))]:
        if part := left[first:end]:
            yield chunk.part(part)


@dataclass(frozen=True)
class ChunkRows:
    """The rows of a chunk, and the seconds that they took."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Send:
    """A worker's task: compute the rows of a chunk, and send them back."""

    answer: Callable[[Point], Row]

    def __call__(self, chunk: Chunk) -> ChunkRows:
        began = perf_counter()
        rows = [self.answer(point) for point in chunk.points]
        return ChunkRows(rows, perf_counter() - began)


class ChunkResults:
    """The rows of a sweep in memory; the first failure ends the sweep, since it could not be resumed."""

    def __init__(self, grid: Grid, answer: Callable[[Point], Row]) -> None:
        self.do = Send(answer)
        self._rows: list[Row | None] = [None] * len(grid)

    def key(self, index: int) -> bytes:
        return b""

    def pending(self) -> list[int]:
        return [index for index, row in enumerate(self._rows) if row is None]

    def take(self, chunk: Chunk, done: ChunkRows) -> None:
        for index, row in zip(chunk.indices, done.rows, strict=True):
            self._rows[index] = row

    def fail(self, index: int, why: str) -> None:
        raise PointFailed(why)

    def frame(self) -> "pd.DataFrame":
        # Imported here, so that workers, which import this module, start without it: it takes half a second and 70 MB.
        import pandas as pd

        return pd.DataFrame(self._rows)

    def interrupt_text(self) -> str:
        return "interrupted"

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def remove(self) -> None:
        """Do nothing: nothing is on disc."""
