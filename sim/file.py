"""A file is a list of extents on a storage; an open file adds a position and a hint about the order of reads."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from spindle.sim.account import Account
from spindle.sim.error import UserError
from spindle.sim.request import Access, BlockDevice, Hint, Op, Span, capacity_of


class File:
    """*extents* of a *storage*, one after the other from the reader's point of view."""

    def __init__(self, name: str, storage: BlockDevice, extents: Sequence[Span]) -> None:
        if not extents or any(extent.first < 0 or extent.length <= 0 for extent in extents):
            raise ValueError(f"file {name}: every extent must have a place and a length, not {list(extents)!r}")
        room = capacity_of(storage)
        for first, length in extents:
            if first + length > room:
                raise UserError(f"file {name}: {length} bytes at {first} are not on a disc of {room} bytes")
        self.name = name
        self.storage = storage
        self.extents = tuple(extents)
        ends = [*accumulate(extent.length for extent in extents)]
        self.size = ends[-1]
        self._starts = [0, *ends[:-1]]
        # Each with how far the device's addresses are ahead of the file's, and where in the file it ends.
        shifts = [extent.first - start for extent, start in zip(extents, self._starts, strict=True)]
        self._pieces = list(zip(self.extents, shifts, ends, strict=True))


class OpenFile:
    """An open file; reads go on from *position* unless they name a place."""

    def __init__(self, file: File, hint: Hint = Hint.NONE) -> None:
        self.file = file
        self.hint = hint
        self.position = 0

    def accesses(
        self, op: Op, first: int, length: int, account: Account, durable: bool = False
    ) -> list[Access]:
        """The accesses that *length* bytes of the file from *first* on take, one an extent; moves the position."""
        file = self.file
        end = first + length
        if first < 0 or length <= 0 or end > file.size:
            raise ValueError(f"{file.name}: bytes {first} to {end} are not within its {file.size} bytes")
        self.position = end
        accesses = []
        index = bisect_right(file._starts, first) - 1
        while first < end:
            extent, shift, until = file._pieces[index]
            if until > end:
                until = end
            # Span(...) and Access(...) would do the same in twice the time.
            span = tuple.__new__(Span, (first + shift, until - first))
            access = tuple.__new__(Access, (op, span, extent, self, self.hint, durable, account))
            accesses.append(access)
            first = until
            index += 1
        return accesses
