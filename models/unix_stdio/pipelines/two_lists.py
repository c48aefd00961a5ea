"""Simulates the two lists of Linux's page cache, in pieces of files: pieces used once are evicted before others."""

from math import sqrt
from typing import NamedTuple

GB = 1e9


class FilePiece(NamedTuple):
    """A piece of a file: *place* is its number in *file*."""

    file: str
    place: int


class TwoLists:
    """Pieces on an inactive and an active list, oldest first; dirty ones with the instant from which they are dirty.

    A piece that is used again becomes active. Only clean pieces are evicted, inactive ones first; active ones become
    inactive where the inactive list is much the shorter (Linux 4.18, mm/vmscan.c).
    """

    def __init__(self, piece: float) -> None:
        self._piece = piece
        self._inactive: dict[FilePiece, None] = {}
        self._active: dict[FilePiece, None] = {}
        self.dirty: dict[FilePiece, float] = {}

    def __contains__(self, piece: FilePiece) -> bool:
        return piece in self._inactive or piece in self._active

    @property
    def size(self) -> float:
        """Return the bytes of all pieces."""
        return (len(self._inactive) + len(self._active)) * self._piece

    @property
    def dirty_bytes(self) -> float:
        return len(self.dirty) * self._piece

    def use(self, piece: FilePiece) -> None:
        """Note a use of *piece*, which enters the cache by its first use."""
        if piece in self:
            self._inactive.pop(piece, None)
            self._active.pop(piece, None)
            self._active[piece] = None
        else:
            self._inactive[piece] = None

    def evict(self) -> bool:
        """Evict the next piece; return False if all are dirty."""
        total = self.size / GB
        if len(self._inactive) * max(1.0, sqrt(10.0 * total)) < len(self._active):
            piece = next(iter(self._active))
            del self._active[piece]
            self._inactive[piece] = None
        for pieces in (self._inactive, self._active):
            for piece in pieces:
                if piece not in self.dirty:
                    del pieces[piece]
                    return True
        return False
