"""Where files lie: on discs in turn, strewn over each disc as files are that have come and gone for years."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, repeat

from sim.file import File
from sim.mistake import Mistake
from sim.request import BlockDevice, Span

EXTENTS = 8
"""MPE's default number of extents of a file."""

GOLDEN = 0.6180339887498949
"""Steps of this share of a disc, over and over, cover it evenly whatever the number of steps."""

SECTOR = 256


class Volumes:
    """*storages* of *sizes* bytes each, the first *reserved* of which belong to the system.

    Those of the first disc are virtual memory; where they do not suffice, so is what else is free there.
    """

    def __init__(self, storages: Sequence[BlockDevice], sizes: Sequence[int], reserved: int) -> None:
        self._storages = list(storages)
        self._sizes = list(sizes)
        self._taken: list[list[Span]] = [[Span(0, reserved)] for _ in self._storages]
        self._reserved = reserved
        self._files = 0
        self._virtual = 0

    def virtual(self, name: str, size: int) -> Span:
        """A place in virtual memory for segment *name*."""
        length = -(-size // SECTOR) * SECTOR
        first: int | None = self._virtual
        if self._virtual + length <= self._reserved:
            self._virtual += length
        else:
            first = self._free(0, self._reserved, length)
        if first is None:
            raise Mistake(f"virtual memory: no room for {name} on disc 1; ask for fewer terminals or larger discs")
        return Span(first, length)

    def build(self, name: str, size: int, extents: int = EXTENTS) -> File:
        """A file of at least *size* bytes in *extents* pieces that lie together, on the disc whose turn it is."""
        turn, disc = divmod(self._files, len(self._storages))
        self._files += 1
        length = -(-size // extents // SECTOR) * SECTOR
        wanted = self._reserved + int((turn + 1) * GOLDEN % 1.0 * (self._sizes[disc] - self._reserved))
        first = self._free(disc, wanted // SECTOR * SECTOR, length * extents)
        if first is None:
            have = self._sizes[disc]
            raise Mistake(f"discs: no room for file {name} on disc {disc + 1} of {have} bytes; use more discs")
        return File(name, self._storages[disc], [Span(first + number * length, length) for number in range(extents)])

    def _free(self, disc: int, wanted: int, size: int) -> int | None:
        """Take the first free place from *wanted* on, or failing that from the beginning of the disc."""
        taken = self._taken[disc]
        start = bisect_left(taken, Span(wanted, 0))
        behind, before = range(start, len(taken) + 1), range(1, start + 1)
        for index, least in chain(zip(behind, repeat(wanted)), zip(before, repeat(0))):
            first: int = max(taken[index - 1].end, least)
            end = taken[index].first if index < len(taken) else self._sizes[disc]
            if first + size <= end:
                taken.insert(index, Span(first, size))
                return first
        return None
