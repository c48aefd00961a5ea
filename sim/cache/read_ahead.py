"""Read-ahead of a cache: more bytes with a miss, and fetches in the background ahead of a sequential reader."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Protocol

from sim.request import Access, Hint, Span

STREAMS = 4096
"""Readers remembered; the one that has read nothing for longest is forgotten first."""


class ReadAhead(Protocol):
    def fetch(self, access: Access, absent: Span) -> Span:
        """What to fetch when *absent* must be: at least that, and within ``access.within``."""

    def ahead(self, access: Access) -> Span | None:
        """What to fetch in the background after *access*."""


class NoReadAhead:
    """Fetches what is absent and no more."""

    def fetch(self, access: Access, absent: Span) -> Span:
        return absent

    def ahead(self, access: Access) -> Span | None:
        return None


def clip(span: Span, within: Span) -> Span:
    """The part of *span* that lies in *within*."""
    (first, length), (lowest, room) = span, within
    if lowest <= first <= first + length <= lowest + room:
        return span
    end = min(first + length, lowest + room)
    first = max(first, lowest)
    return Span(first, max(0, end - first))


class FetchSize:
    """Fetches *random* bytes from a miss on, or *sequential* bytes where the file was opened to be read in order."""

    def __init__(self, random: int, sequential: int) -> None:
        self._random = random
        self._sequential = sequential

    def fetch(self, access: Access, absent: Span) -> Span:
        size = self._sequential if access.hint is Hint.SEQUENTIAL else self._random
        first, length = absent
        within_first, within_length = access.within
        left = within_first + within_length - first
        return Span(first, max(length, size if size < left else left))

    def ahead(self, access: Access) -> Span | None:
        return None


class Sequential:
    """Keeps *window* bytes ahead of a reader after *after* sequential reads in a row."""

    def __init__(self, window: int, after: int = 1) -> None:
        self._window = window
        self._after = after
        self._readers: OrderedDict[Hashable, tuple[int, int]] = OrderedDict()

    def fetch(self, access: Access, absent: Span) -> Span:
        return absent

    def ahead(self, access: Access) -> Span | None:
        expected, run = self._readers.pop(access.stream, (-1, 0))
        run = run + 1 if access.span.first == expected else 0
        self._readers[access.stream] = (access.span.end, run)
        if len(self._readers) > STREAMS:
            self._readers.popitem(last=False)
        if access.hint is Hint.RANDOM or (run < self._after and access.hint is not Hint.SEQUENTIAL):
            return None
        wanted = clip(Span(access.span.end, self._window), access.within)
        return wanted if wanted.length else None
