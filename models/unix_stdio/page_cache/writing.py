"""Performs writes of an open file: into Linux's page cache, through it to the disc (O_SYNC), or past it (O_DIRECT)."""

from typing import Protocol

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.page_cache.folios import MAX_FOLIO_ORDER, Folio, Folios, largest
from spindle.models.unix_stdio.page_cache.write_back import PageWriteBack
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait


class Writing(Protocol):
    """The kernel's part of write(2)."""

    def write(self, first: int, length: int) -> Wait: ...

    def alike(self, first: int, length: int) -> int:
        """Return the number of further writes of *length* bytes from byte *first* that only copy their bytes."""

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        """Make *calls* such writes, one after the other."""


class CachedWriting:
    """write(2) that copies bytes into pages, which become dirty; the program goes on."""

    def __init__(self, work: ProgramWork, folios: Folios, write_back: PageWriteBack) -> None:
        self._work = work
        self._folios = folios
        self._write_back = write_back

    def write(self, first: int, length: int) -> Wait:
        self._work.called_write(length)
        self._allocate(first, length)
        yield from self._copy(first, length)

    def alike(self, first: int, length: int) -> int:
        return -first % PAGE // length

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        self._work.called_write(length, calls)
        yield from self._copy(first, length * calls)

    def _copy(self, first: int, length: int) -> Wait:
        self._work.note_copy(length)
        yield from self._work.pay()
        for page, filled in by_page(first, length):
            self._write_back.wrote(page, filled)
        yield from self._write_back.balance(self._work.account)

    def _allocate(self, first: int, length: int) -> None:
        """Allocate pages that the file did not have, in folios as large as the call lets them be."""
        page, end = first // PAGE, -(-(first + length) // PAGE)
        pages = folios = 0
        while page < end:
            if page in self._folios:
                page += 1
                continue
            folio = Folio(page, largest(page, end, MAX_FOLIO_ORDER))
            while not self._folios.free(folio.first, folio.pages):
                folio = Folio(page, folio.pages // 2)
            self._folios.add(folio)
            page, pages, folios = page + folio.pages, pages + folio.pages, folios + 1
        self._work.note_allocation(pages, folios)


class SynchronousWriting:
    """write(2) with O_SYNC: cached as by *caching*, then sent to the disc, and waited for with its metadata."""

    def __init__(self, work: ProgramWork, disc: FileDisc, caching: CachedWriting, write_back: PageWriteBack) -> None:
        self._work = work
        self._disc = disc
        self._caching = caching
        self._write_back = write_back
        self._blocks: set[int] = set()

    def write(self, first: int, length: int) -> Wait:
        pages = [page for page, _ in by_page(first, length)]
        yield from self._caching.write(first, length)
        parameters = self._work.parameters
        new = not self._blocks.issuperset(pages)
        self._blocks.update(pages)
        self._work.kernel(parameters.write_out + (parameters.allocate if new else 0.0))
        yield from self._work.pay()
        yield from self._write_back.write_out(pages, self._work.account, _note_nothing)
        yield from self._disc.commit.wait(self._work.account)
        self._write_back.commit(pages)

    def alike(self, first: int, length: int) -> int:
        return 0

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        raise AssertionError("no synchronous write is like another")


class DirectWriting:
    """write(2) with O_DIRECT: each is a write of the disc; with *durable* (O_SYNC) it waits for metadata as well."""

    def __init__(self, work: ProgramWork, disc: FileDisc, at_risk: WriteHistory, durable: bool) -> None:
        self._work = work
        self._disc = disc
        self._at_risk = at_risk
        self._durable = durable
        self._filled: dict[int, int] = {}
        self.sizes: list[int] = []

    def write(self, first: int, length: int) -> Wait:
        work, disc = self._work, self._disc
        work.called_write(length)
        touched = by_page(first, length)
        work.kernel(work.parameters.allocate if any(page not in self._filled for page, _ in touched) else 0.0)
        yield from work.pay()
        self.sizes.append(length)
        yield from disc.write(first, length, work.account, self._durable)
        if self._durable:
            yield from disc.commit.wait(work.account)
        for page, filled in touched:
            self._filled[page] = self._filled.get(page, 0) + filled
        self._at_risk.note_stored(self._safe_at(), [(page, self._filled[page]) for page, _ in touched])

    def _safe_at(self) -> float:
        """Return when the bytes are safe: without O_SYNC the file's length is in memory until the journal commits."""
        permanent = self._disc.permanent_at()
        every = self._work.parameters.commit
        return permanent if self._durable else (permanent // every + 1) * every

    def alike(self, first: int, length: int) -> int:
        return 0

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        raise AssertionError("no write past the page cache is like another")


def _note_nothing(pages: object) -> None:
    """Note nothing: written pages count only once their metadata are written."""


def by_page(first: int, length: int) -> list[tuple[int, int]]:
    """Return the pages of *length* bytes from *first* on, each with the number of them in it."""
    end = first + length
    return [
        (page, min(end, (page + 1) * PAGE) - max(first, page * PAGE)) for page in range(first // PAGE, -(-end // PAGE))
    ]
