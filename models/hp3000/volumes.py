"""Where files lie: extents handed out one after the other on discs in turn, as FILE BUILD finds room."""

from collections.abc import Sequence

from sim.file import File
from sim.mistake import Mistake
from sim.request import BlockDevice, Span

EXTENTS = 8
"""MPE's default number of extents of a file."""


class Volumes:
    """*storages* of *sizes* bytes each, the first *reserved* of which belong to the system.

    Only one byte in *spacing* belongs to the files built here; what lies between the extents is other people's.
    """

    def __init__(self, storages: Sequence[BlockDevice], sizes: Sequence[int], reserved: int, spacing: float) -> None:
        self._storages = list(storages)
        self._sizes = list(sizes)
        self._next = [reserved] * len(self._storages)
        self._turn = 0
        self._spacing = spacing

    def build(self, name: str, size: int, extents: int = EXTENTS) -> File:
        """A file of at least *size* bytes in *extents* contiguous pieces, on the disc whose turn it is."""
        disc = self._turn % len(self._storages)
        self._turn += 1
        length = -(-size // extents // 1024) * 1024
        spans = []
        for _ in range(extents):
            spans.append(Span(self._next[disc], length))
            self._next[disc] += int(length * self._spacing) // 1024 * 1024
        if spans[-1].end > self._sizes[disc]:
            raise Mistake(
                f"discs: file {name} does not fit on disc {disc + 1} of {self._sizes[disc]} bytes; use more discs"
            )
        return File(name, self._storages[disc], spans)
