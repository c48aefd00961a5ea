"""Points whose worker has died: which of them is to blame, and which was only near."""

from collections import Counter
from collections.abc import Collection, Iterator
from math import ceil

from sim.sweep.chunk import Chunk

MOST_DEATHS = 3
"""A point that was being computed at so many deaths of workers is computed alone next; if its worker dies again, that
point is the cause."""
PIECES = 8


class Suspects:
    """The chunks of one round that have ended their workers, and how many workers ended with each point so far."""

    def __init__(self) -> None:
        self._deaths: Counter[int] = Counter()
        self._lost: list[Chunk] = []
        self._alone: set[int] = set()

    def add(self, chunk: Chunk, workers: int) -> None:
        self._lost.append(chunk)
        for index in chunk.indices:
            self._deaths[index] += workers

    def convicted(self) -> list[tuple[int, int]]:
        """(point, dead workers) of the points of the last round that were done alone and died again."""
        lost = [chunk.indices[0] for chunk in self._lost if len(chunk) == 1]
        return [(index, self._deaths[index]) for index in lost if index in self._alone]

    def rounds(self, pending: Collection[int]) -> list[list[Chunk]]:
        """What to do next, one after the other: pieces of what was lost and is still *pending*."""
        wanted = set(pending)
        pieces = [piece for chunk in self._lost for piece in _pieces(chunk, wanted)]
        alone = [piece for piece in pieces if self._deaths[piece.indices[0]] >= MOST_DEATHS]
        self._lost = []
        self._alone = {piece.indices[0] for piece in alone}
        return [[piece for piece in pieces if piece not in alone], *([piece] for piece in alone)]


def _pieces(chunk: Chunk, wanted: set[int]) -> Iterator[Chunk]:
    """The first point alone: where finished points are kept, that is the one that has ended the worker."""
    left = [place for place, index in enumerate(chunk.indices) if index in wanted]
    size = ceil(len(left) / PIECES)
    for first, end in [(0, 1), *((first, first + size) for first in range(1, len(left), size or 1))]:
        if part := left[first:end]:
            yield chunk.part(part)
