"""Simulates read-ahead: Linux's window of pages, which grows while a program reads in order, and an exact predictor."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from spindle.models.unix_stdio.page_cache.folios import MAX_FOLIO_ORDER, Folio, Folios, largest
from spindle.models.unix_stdio.page_cache.gaps import next_gap, previous_gap


class ReadAheadLimits(NamedTuple):
    """Limits in pages: of the file, of the largest *window* (none at 0), and of the largest *request* to the disc."""

    file: int
    window: int
    request: int


class PageReadAhead(Protocol):
    """A rule of read-ahead: yields runs of folios, already entered in the cache, each to be read in one device read."""

    previous: int
    """The page of the byte that follows the last one read."""

    def on_miss(self, page: int, wanted: int) -> Iterator[list[Folio]]:
        """Read for *page*, which is absent; *wanted* pages from there on are requested."""

    def on_mark(self, folio: Folio, wanted: int) -> Iterator[list[Folio]]:
        """Read ahead as a marked *folio* is reached; *wanted* pages from its first on are requested."""


class OracleReadAhead:
    """The exact predictor of the lecture: a program will read all of its file, so all of it is requested at once."""

    def __init__(self, folios: Folios, limits: ReadAheadLimits) -> None:
        self._folios = folios
        self._limits = limits
        self.previous = 0

    def on_miss(self, page: int, wanted: int) -> Iterator[list[Folio]]:
        run = [Folio(each, 1) for each in range(self._limits.file)]
        for folio in run:
            self._folios.add(folio)
        yield run

    def on_mark(self, folio: Folio, wanted: int) -> Iterator[list[Folio]]:
        raise AssertionError("nothing is left to be read ahead, so nothing is marked")


class FileReadAhead:
    """Linux's read-ahead of an open file: a window of *size* pages from *start*, the last *ahead* not requested."""

    def __init__(self, folios: Folios, limits: ReadAheadLimits) -> None:
        self._folios = folios
        self._limits = limits
        self._start = self._size = self._ahead = 0
        self._order = 0
        self.previous = 0
        """The page of the byte that follows the last one read; a miss there or one page on is a read in order."""

    def on_miss(self, page: int, wanted: int) -> Iterator[list[Folio]]:
        """Read for *page*, which is absent; *wanted* pages from there on are requested."""
        if not self._limits.window:
            yield from self._read_singly(page, wanted)
            return
        most = self._max_window(wanted)
        if page == 0 or wanted > most or 0 <= page - self.previous <= 1:
            size = _first_window(wanted, most)
            self._move(page, size, size - wanted if size > wanted else size // 2)
        else:
            gap = previous_gap(self._folios, page - 1, most)
            behind = page - gap - 1
            if behind <= wanted:  # random reads: the window stays where it is
                yield from self._read_singly(page, wanted)
                return
            self._move(page, min(2 * behind + wanted if gap < 0 else behind + wanted, most), 1)
        self._order = 0
        yield from self._fill()

    def on_mark(self, folio: Folio, wanted: int) -> Iterator[list[Folio]]:
        """Read the next window as a marked *folio* is reached; *wanted* pages from its first on are requested."""
        folio.marked = False
        most = self._max_window(wanted)
        mark = self._start + self._size - self._ahead
        if folio.first == mark - mark % folio.pages:
            start, size = self._start + self._size, max(self._size, _next_window(self._size, most))
        else:  # a mark of another window: go on where the cached pages seem to end
            start = next_gap(self._folios, folio.first + 1, most)
            if start - folio.first > most:
                return
            size = _next_window(start - folio.first + wanted, most)
        self._order += 2
        alignment = 1 << min(self._order, (most & -most).bit_length() - 1)
        end = (start + size) // alignment * alignment
        size = end - start if end > start else size
        self._move(start, size, size)
        yield from self._fill()

    def _max_window(self, wanted: int) -> int:
        """Return the pages of the largest window; a larger request may have as much as the disc takes at once."""
        window, request = self._limits.window, self._limits.request
        return min(wanted, request) if wanted > window < request else window

    def _move(self, start: int, size: int, ahead: int) -> None:
        self._start, self._size, self._ahead = start, size, ahead

    def _fill(self) -> Iterator[list[Folio]]:
        """Read the window in folios as large as its order; from the first cached page on, the rest page by page."""
        page, end = self._start, min(self._limits.file, self._start + self._size)
        mark = self._start + self._size - self._ahead
        self._order = min(MAX_FOLIO_ORDER, self._order, self._size.bit_length() - 1)
        run: list[Folio] = []
        while page < end:
            pages = largest(page, end, self._order)
            if not self._folios.free(page, pages):
                break
            run.append(Folio(page, pages, page == mark - mark % pages))
            self._folios.add(run[-1])
            page += pages
        if run:
            yield run
        if page < end:
            yield from self._read_singly(page, self._size - (page - self._start), self._ahead)

    def _read_singly(self, page: int, pages: int, ahead: int = 0) -> Iterator[list[Folio]]:
        """Read *pages* pages one by one, except cached ones; the mark, if any, is *ahead* pages before the end."""
        pages = min(pages, self._limits.file - page)
        mark = page + pages - ahead
        run: list[Folio] = []
        for number in range(page, page + pages):
            if number not in self._folios:
                run.append(Folio(number, 1, number == mark))
                self._folios.add(run[-1])
            elif run:
                yield run
                run = []
        if run:
            yield run


def _first_window(wanted: int, most: int) -> int:
    size = 1 << (wanted - 1).bit_length()
    if size <= most // 32:
        return 4 * size
    return 2 * size if size <= most // 4 else most


def _next_window(size: int, most: int) -> int:
    if size < most // 16:
        return 4 * size
    return 2 * size if size <= most // 2 else most
