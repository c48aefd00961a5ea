"""Writes of an open file: into the page cache, through it to the disc, or past it."""

from typing import Protocol

from models.unix_stdio.at_risk import WriteHistory
from models.unix_stdio.discs.disc import FileDisc
from models.unix_stdio.page_cache.folios import LARGEST, Folio, Folios, largest
from models.unix_stdio.page_cache.write_back import PageWriteBack
from models.unix_stdio.parameters import PAGE
from models.unix_stdio.work import ProgramWork
from sim.clock import Wait


class Writing(Protocol):
    """What write(2) does once it is in the kernel."""

    def write(self, first: int, length: int) -> Wait: ...

    def alike(self, first: int, length: int) -> int:
        """How many more writes of *length* bytes, from byte *first* on, are sure to need nothing but their bytes."""

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        """*calls* such writes, one after the other."""


class CachedWriting:
    """The bytes are copied into pages, which become dirty; the program goes on."""

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
        self._work.copied(length)
        yield from self._work.pay()
        for page, filled in by_page(first, length):
            self._write_back.wrote(page, filled)
        yield from self._write_back.balance(self._work.account)

    def _allocate(self, first: int, length: int) -> None:
        """Pages for what was not in the file before, in folios as large as the call lets them be."""
        page, end = first // PAGE, -(-(first + length) // PAGE)
        pages = folios = 0
        while page < end:
            if page in self._folios:
                page += 1
                continue
            folio = Folio(page, largest(page, end, LARGEST))
            while not self._folios.free(folio.first, folio.pages):
                folio = Folio(page, folio.pages // 2)
            self._folios.add(folio)
            page, pages, folios = page + folio.pages, pages + folio.pages, folios + 1
        self._work.allocated(pages, folios)


class SynchronousWriting:
    """Each write is cached as by *caching*, then sent to the disc, and waited for together with its metadata."""

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
        yield from self._write_back.write_out(pages, self._work.account, _told_later)
        yield from self._disc.commit.wait(self._work.account)
        self._write_back.committed(pages)

    def alike(self, first: int, length: int) -> int:
        return 0

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        raise AssertionError("no synchronous write is like another")


class DirectWriting:
    """Each write is one of the disc's; with *durable* its metadata are waited for as well."""

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
        self._at_risk.stored(self._safe_at(), [(page, self._filled[page]) for page, _ in touched])

    def _safe_at(self) -> float:
        """Without O_SYNC the file's new length is in memory until the journal's next commit."""
        permanent = self._disc.permanent_at()
        every = self._work.parameters.commit
        return permanent if self._durable else (permanent // every + 1) * every

    def alike(self, first: int, length: int) -> int:
        return 0

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        raise AssertionError("no write past the page cache is like another")


def _told_later(pages: object) -> None:
    """What is written counts when its metadata are, too."""


def by_page(first: int, length: int) -> list[tuple[int, int]]:
    """The pages of *length* bytes from *first* on, each with how many of them are in it."""
    end = first + length
    return [
        (page, min(end, (page + 1) * PAGE) - max(first, page * PAGE)) for page in range(first // PAGE, -(-end // PAGE))
    ]
