"""Performs reads of an open file through Linux's page cache, or directly from the disc."""

from collections.abc import Iterable
from typing import Protocol

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.page_cache.folios import Folio, Folios
from spindle.models.unix_stdio.page_cache.read_ahead import PageReadAhead
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait
from spindle.sim.request import wait_for


class ReadCall(Protocol):
    """The kernel's part of read(2)."""

    def read(self, first: int, length: int) -> Wait: ...

    def alike(self, first: int, length: int) -> int:
        """Return the number of further reads of *length* bytes from byte *first* that touch nothing new."""

    def repeat(self, length: int, calls: int) -> None:
        """Count *calls* reads that touch nothing new."""

    def note_end(self, end: int) -> None:
        """Note that the last of such reads ended before byte *end*."""


class CachedReading:
    """read(2) page by page: an absent page is fetched and waited for, a marked one begins the next window."""

    def __init__(self, work: ProgramWork, disc: FileDisc, folios: Folios, read_ahead: PageReadAhead, size: int) -> None:
        self._work = work
        self._disc = disc
        self._folios = folios
        self._read_ahead = read_ahead
        self._size = size
        self.sizes: list[int] = []
        """Bytes of each read of the disc, in order."""

    def read(self, first: int, length: int) -> Wait:
        work, end = self._work, first + length
        page, last = first // PAGE, -(-end // PAGE)
        work.called_read(length)
        while page < last:
            folio = self._folios.get(page)
            if folio is None:
                yield from work.pay()
                self._fetch(self._read_ahead.on_miss(page, last - page))
                folio = self._folios.get(page)
                assert folio is not None
            if folio.marked:
                yield from work.pay()
                self._fetch(self._read_ahead.on_mark(folio, last - folio.first))
            if not folio.is_read:
                yield from work.pay()
                assert folio.request is not None
                yield from wait_for(folio.request, work.account)
            page = folio.first + folio.pages
        work.note_copy(length)
        self._read_ahead.previous = end // PAGE

    def _fetch(self, runs: Iterable[list[Folio]]) -> None:
        for run in runs:
            first = run[0].first * PAGE
            length = min((run[-1].first + run[-1].pages) * PAGE, self._size) - first
            requests = self._disc.fetch(first, length)
            self.sizes += [request.access.span.length for request in requests]
            for folio in run:
                last = min((folio.first + folio.pages) * PAGE, self._size) - 1 - first
                folio.request = requests[last // self._disc.most]

    def alike(self, first: int, length: int) -> int:
        return -first % PAGE // length

    def repeat(self, length: int, calls: int) -> None:
        self._work.called_read(length, calls)
        self._work.note_copy(calls * length)

    def note_end(self, end: int) -> None:
        self._read_ahead.previous = end // PAGE


class DirectReading:
    """read(2) that bypasses the page cache: each is a read of the disc."""

    def __init__(self, work: ProgramWork, disc: FileDisc) -> None:
        self._work = work
        self._disc = disc
        self.sizes: list[int] = []

    def read(self, first: int, length: int) -> Wait:
        self._work.called_read(length)
        yield from self._work.pay()
        self.sizes.append(length)
        yield from self._disc.read(first, length, self._work.account)

    def alike(self, first: int, length: int) -> int:
        return 0

    def repeat(self, length: int, calls: int) -> None:
        raise AssertionError("no read past the page cache is like another")

    def note_end(self, end: int) -> None:
        pass
