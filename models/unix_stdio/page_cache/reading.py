"""Reads of an open file through Linux's page cache or past it: folios of pages, the kernel's search for pages that
are not cached, its read-ahead, and an oracle's."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait
from spindle.sim.request import Request, wait_for

# Where the pages of a file are cached: folios, which are up to 512 pages that came together.

MAX_FOLIO_ORDER = 9
"""A folio has at most two to the power of this pages (2 MiB); what a page table of x86 holds."""


class Folio:
    """*pages* pages from page *first* on, a power of two and aligned to it.

    To touch a *marked* folio triggers further read-ahead. It is on its way while *request* is under way.
    """

    __slots__ = ("first", "pages", "marked", "request")

    def __init__(self, first: int, pages: int, marked: bool = False) -> None:
        self.first = first
        self.pages = pages
        self.marked = marked
        self.request: Request | None = None

    @property
    def is_read(self) -> bool:
        return self.request is None or self.request.processed


class Folios:
    """The folios of one file, by page."""

    def __init__(self) -> None:
        self.by_page: dict[int, Folio] = {}

    def __contains__(self, page: int) -> bool:
        return page in self.by_page

    def get(self, page: int) -> Folio | None:
        return self.by_page.get(page)

    def add(self, folio: Folio) -> None:
        for page in range(folio.first, folio.first + folio.pages):
            self.by_page[page] = folio

    def free(self, first: int, pages: int) -> bool:
        """Tell if none of these pages is cached."""
        return not any(page in self.by_page for page in range(first, first + pages))


def largest(page: int, end: int, most: int = MAX_FOLIO_ORDER) -> int:
    """Return the pages of the largest folio, at most 2 to the power *most*, that begins at *page* and ends by *end*."""
    alignment = (page & -page).bit_length() - 1 if page else most
    return 1 << min(most, alignment, (end - page).bit_length() - 1)


# How the kernel looks for the nearest page that is not cached; it miscounts where it begins within a large folio.
#
# A file's folios hang in a tree whose leaves have 64 slots, a folio of up to 32 pages having one slot a page, and a
# larger one a slot of its parent for each 64. To look up a page within a folio leads to the folio's first slot; the
# walk goes on from there, slot by slot, while its page numbers go on from the page that was looked up. So it reports
# a gap as many pages too far away as it began within a folio, until it crosses into another leaf, where slot and
# number agree again. So the kernel's tree behaves (lib/xarray.c, read for its rules), which the counts of device
# reads confirm: without it 10 of the 51 measured cells miss by 13 to 35 %.

LEAF = 64
"""Slots of a leaf."""


class CacheWalk:
    """A walk over cached pages: *page* is its place as computed, *slot* the actual one, which holds a folio or not."""

    def __init__(self, folios: Folios, page: int) -> None:
        self._folios = folios
        folio = folios.get(page)
        self.page = page
        self.is_cached = folio is not None
        self._slot = page if folio is None else folio.first
        self._in_parent = folio is not None and folio.pages >= LEAF

    def step(self, by: int) -> None:
        """Go one page on (*by* 1) or back (-1)."""
        self.page += by
        if self._in_parent:
            if self._slot // LEAF != self.page // LEAF:
                self._enter(self._slot // LEAF + by)
        elif (self._slot + by) // LEAF == self._slot // LEAF:
            self._slot += by
            self.is_cached = self._slot in self._folios
        else:
            self._enter(self._slot // LEAF + by)

    def _enter(self, leaf: int) -> None:
        """Enter another leaf, at the place of the computed page; or a large folio in its stead."""
        self._slot = leaf * LEAF
        large = self._folios.get(self._slot)
        self._in_parent = large is not None and large.pages >= LEAF
        if not self._in_parent:
            self._slot += self.page % LEAF
        self.is_cached = self._slot in self._folios


def next_gap(folios: Folios, page: int, most: int) -> int:
    """Return the first page from *page* on that seems absent; ``page + most`` if none of *most* pages does."""
    walk = CacheWalk(folios, page)
    for _ in range(most):
        if not walk.is_cached:
            return walk.page
        walk.step(1)
    return page + most


def previous_gap(folios: Folios, page: int, most: int) -> int:
    """Return the same going backwards; -1 where all pages down to the front of the file are cached."""
    walk = CacheWalk(folios, page)
    for _ in range(most):
        if not walk.is_cached or walk.page < 0:
            return walk.page
        walk.step(-1)
    return page - most


# Read-ahead: Linux's window that grows while a reader goes on in order, moved by a mark; and an oracle's.

class ReadAheadLimits(NamedTuple):
    """Pages: of the file, of the largest *window* (none at 0), and of the largest *request* that the disc takes."""

    file: int
    window: int
    request: int


class PageReadAhead(Protocol):
    """Pages to read beside the requested ones: runs of new folios, one run a device read, already entered."""

    previous: int
    """The page of the byte that follows the last one read."""

    def on_miss(self, page: int, wanted: int) -> Iterator[list[Folio]]:
        """Read for *page*, which is absent; *wanted* pages from there on are requested."""

    def on_mark(self, folio: Folio, wanted: int) -> Iterator[list[Folio]]:
        """Read ahead as a marked *folio* is reached; *wanted* pages from its first on are requested."""


class OracleReadAhead:
    """The lecture's exact predictor: a program will read all of its file, so all of it is requested at once."""

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
    """Linux's read-ahead of one open file: a window of *size* pages from *start* on, of which the program has not
    requested the last *ahead*."""

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
        """Read *pages* pages one by one, except cached ones; the mark is *ahead* pages before the end."""
        pages = min(pages, self._limits.file - page)
        mark = page + pages - ahead if ahead else -1
        run: list[Folio] = []
        for each in range(page, page + pages):
            if each not in self._folios:
                run.append(Folio(each, 1, each == mark))
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


class ReadCall(Protocol):
    """The kernel's part of read(2)."""

    def read(self, first: int, length: int) -> Wait: ...

    def alike(self, first: int, length: int) -> int:
        """Return the number of further reads of *length* bytes, from byte *first* on, that are sure to touch nothing
        new.
        """

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
    """read(2) past the page cache: each is a read of the disc."""

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


def warm_folios(pages: int) -> Iterator[Folio]:
    """Return the folios of a file that was read before."""
    return (Folio(page, 1) for page in range(pages))
