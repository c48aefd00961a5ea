"""A file is a list of extents on a storage; an open file adds where its reader stands and what he said about order."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from sim.account import Account
from sim.request import Access, BlockDevice, Hint, Op, Span


class File:
    """*extents* of a *storage*, one after the other from the reader's point of view."""

    def __init__(self, name: str, storage: BlockDevice, extents: Sequence[Span]) -> None:
        if not extents or any(extent.first < 0 or extent.length <= 0 for extent in extents):
            raise ValueError(f"file {name}: every extent must have a place and a length, not {list(extents)!r}")
        self.name = name
        self.storage = storage
        self.extents = tuple(extents)
        self._starts = [0, *accumulate(extent.length for extent in extents)]
        self.size = self._starts.pop()


class OpenFile:
    """A file opened by somebody, who reads on from *position* unless he says where."""

    def __init__(self, file: File, hint: Hint = Hint.NONE) -> None:
        self.file = file
        self.hint = hint
        self.position = 0

    def accesses(
        self, op: Op, first: int, length: int, account: Account, durable: bool = False
    ) -> list[Access]:
        """The accesses that *length* bytes of the file from *first* on take, one an extent; moves the position."""
        file = self.file
        if first < 0 or length <= 0 or first + length > file.size:
            raise ValueError(f"{file.name}: bytes {first} to {first + length} are not within its {file.size} bytes")
        self.position = first + length
        starts = file._starts
        index = bisect_right(starts, first) - 1
        pieces = []
        while length > 0:
            extent = file.extents[index]
            offset = first - starts[index]
            piece = min(length, extent.length - offset)
            pieces.append(Access(op, Span(extent.first + offset, piece), extent, self, self.hint, durable, account))
            first += piece
            length -= piece
            index += 1
        return pieces
