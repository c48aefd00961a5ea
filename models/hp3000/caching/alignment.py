"""Places a fetch around the requested bytes, by one of three rules; which rule MPE had is not published."""

from collections.abc import Callable, Mapping
from typing import Protocol

from spindle.sim.request import Span

SECTOR = 256
"""Bytes of a sector of the HP3000's discs."""


class Alignment(Protocol):
    """A rule that decides which bytes around a request are fetched."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        """Return about *size* bytes around *absent*; beyond *extent* they are clipped later, and absent ones added."""


class FromRequest:
    """A fetch starts at the first absent byte, as "record #1 and the next 20 Kbytes or so" (McBride) suggests."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        return Span(absent.first, size)


class InMultiples:
    """A fetch starts and ends at a multiple of its size within the extent, so that blocks do not straddle domains."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        before = (absent.first - extent.first) % size
        length = before + absent.length
        return Span(absent.first - before, length + -length % size)


class Centred:
    """A fetch has as many sectors before the absent bytes as after them."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        room = max(0, size - absent.length)
        return Span(absent.first - room // 2 // SECTOR * SECTOR, absent.length + room)


ALIGNMENTS: Mapping[str, Callable[[], Alignment]] = {
    "from-request": FromRequest, "in-multiples": InMultiples, "centred": Centred,
}  # fmt: skip
