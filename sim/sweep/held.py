"""A sweep whose rows are held in memory and die with it."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from sim.error import PointFailed
from sim.sweep.chunk import Chunk
from sim.sweep.grid import Grid, Point
from sim.sweep.point import Row

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ChunkRows:
    """What came of a chunk."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Send:
    """A worker sends the rows back."""

    answer: Callable[[Point], Row]

    def __call__(self, chunk: Chunk) -> ChunkRows:
        began = perf_counter()
        rows = [self.answer(point) for point in chunk.points]
        return ChunkRows(rows, perf_counter() - began)


class ChunkResults:
    """The first failure ends it all, for there is nothing to go on with."""

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
        # Imported here, so that workers, which import this module, start without it: half a second and 70 MB each.
        import pandas as pd

        return pd.DataFrame(self._rows)

    def interrupted(self) -> str:
        return "interrupted"

    def close(self) -> None:
        """Nothing is left of it."""

    def remove(self) -> None:
        """Nothing is left of it."""
