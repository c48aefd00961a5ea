"""Writes of an open file into the page cache, through it (O_SYNC) or past it (O_DIRECT); write-back of dirty pages; and
the bytes that a power failure would lose."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import floor
from typing import NamedTuple, Protocol

import simpy

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.page_cache.folios import MAX_FOLIO_ORDER, Folio, Folios, largest
from spindle.models.unix_stdio.parameters import PAGE, UnixParameters
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Account, Daemon, Gate, Phase, Wait, pause
from spindle.sim.parts import register
from spindle.sim.request import Request, wait_for

# Data at risk: bytes that a program has written, and where they would be if the power failed now.

class WriteMoment(NamedTuple):
    """Bytes that the program had handed over by an *instant*, and of those, what the kernel had been given."""

    instant: float
    handed_over: int
    in_kernel: int


class BytesLeft(NamedTuple):
    """The bytes that a failure of the power leaves.

    *handed_over* is what the program has written; *in_library* of it lay in its own memory, and is lost with the
    program alone. *on_disc* bytes can be read again, the first *whole* of them without a gap.
    """

    handed_over: int
    in_library: int
    on_disc: int
    whole: int

    @property
    def lost_bytes(self) -> int:
        return self.handed_over - self.on_disc


class PageStored(NamedTuple):
    """The *bytes* of a *page* that are on the medium, with their metadata, from *instant* on."""

    instant: float
    page: int
    bytes: int


class WriteHistory:
    """The history of a run: when bytes were handed over, and when they were permanent."""

    def __init__(self) -> None:
        self._moments = [WriteMoment(0.0, 0, 0)]
        self._stored: list[PageStored] = []

    def handed_over(self, instant: float, in_all: int, in_kernel: int) -> None:
        self._moments.append(WriteMoment(instant, in_all, in_kernel))

    def note_stored(self, instant: float, pages: Iterable[tuple[int, int]]) -> None:
        """Note that these *pages*, each with its bytes, are safe from *instant* on."""
        self._stored += [PageStored(instant, page, filled) for page, filled in pages]

    def left_at(self, instant: float) -> BytesLeft:
        """Return the bytes left if the power fails at *instant*."""
        pages: dict[int, int] = {}
        for each in self._stored:
            if each.instant <= instant:
                pages[each.page] = max(each.bytes, pages.get(each.page, 0))
        moment = self._last(instant)
        # Of a page that was sent before its last bytes were counted, the disc may have more than was acknowledged.
        on_disc = min(sum(pages.values()), moment.handed_over)
        whole = min(_unbroken_length(pages), on_disc)
        return BytesLeft(moment.handed_over, moment.handed_over - moment.in_kernel, on_disc, whole)

    def curve(self, instants: Iterable[float]) -> Iterator[tuple[float, int]]:
        """Yield each of the rising *instants* with the bytes at risk then."""
        coming = iter(sorted(self._stored))
        each = next(coming, None)
        pages: dict[int, int] = {}
        safe = 0
        for now in instants:
            while each is not None and each.instant <= now:
                safe += max(0, each.bytes - pages.get(each.page, 0))
                pages[each.page] = max(each.bytes, pages.get(each.page, 0))
                each = next(coming, None)
            yield now, max(0, self._last(now).handed_over - safe)

    def max_risk(self) -> int:
        """Return the most bytes that were ever at risk."""
        return max((risk for _, risk in self.curve(moment.instant for moment in self._moments)), default=0)

    def safe_at(self) -> float:
        """Return the instant from which nothing is at risk any more."""
        return max((each.instant for each in self._stored), default=0.0)

    def _last(self, instant: float) -> WriteMoment:
        return self._moments[bisect_right(self._moments, instant, key=lambda each: each.instant) - 1]


def _unbroken_length(pages: dict[int, int]) -> int:
    """Return the length of the file from its front to the first gap."""
    page = whole = 0
    while page in pages:
        whole = page * PAGE + pages[page]
        if pages[page] < PAGE:
            break
        page += 1
    return whole


# Write-back: dirty pages stay in memory until they are old or many; a writer of too many waits for the disc.

AT_A_TIME = 1024
"""Pages of a file that the kernel writes before it checks again if that is enough."""


Filled = tuple[int, int]
"""A page, and how many bytes it has."""


class PageWriteBack:
    """The dirty pages of one file, and the daemon that writes them.

    It looks every *period* seconds and writes all of them once the first is older than *expiry*; beyond *background*
    bytes, dirty or under way, it writes at once; beyond *limit* the program waits for it.
    """

    name = "page cache"

    def __init__(
        self, env: simpy.Environment, disc: FileDisc, parameters: UnixParameters, at_risk: WriteHistory
    ) -> None:
        self._env = env
        self._disc = disc
        self._parameters = parameters
        self._at_risk = at_risk
        self._limit = parameters.limit * parameters.memory
        background = parameters.background * parameters.memory
        self._background = background if background < self._limit else self._limit / 2
        self._dirty: dict[int, float] = {}
        self._under_way = 0
        self._filled: dict[int, int] = {}
        self._busy = False
        self._gate: Gate | None = None
        self.sizes: list[int] = []
        """Bytes of each write to the disc, in order."""
        Daemon(env, self._look())
        register(env, self)

    def wrote(self, page: int, length: int) -> None:
        """Note *length* more bytes in *page*."""
        self._filled[page] = self._filled.get(page, 0) + length
        self._dirty.setdefault(page, self._env.now)

    @property
    def unsafe(self) -> bool:
        """True if anything is dirty or under way."""
        return bool(self._dirty or self._under_way)

    def balance(self, account: Account) -> Wait:
        """Start writing back after a write if much is dirty, and wait if too much is."""
        if self._bytes() > self._background and not self._busy:
            self._env.process(self._write_most())
        if self._bytes() > self._limit:
            start = self._env.now
            while self._bytes() > self._limit:
                if self._gate is None:
                    self._gate = Gate(self._env, "dirty pages to be written")
                yield self._gate
            account.charge(Phase.WRITE_WAIT, start, self._env.now)

    def _bytes(self) -> int:
        return (len(self._dirty) + self._under_way) * PAGE

    def _look(self) -> Wait:
        while True:
            yield pause(self._env, self._parameters.period)
            oldest = next(iter(self._dirty.values()), self._env.now)
            # An age of exactly *expiry* is enough; the clock's rounding must not make pages wait another period.
            if self._env.now - oldest >= self._parameters.expiry - 1e-6 and not self._busy:
                yield from self._write_until(0.0)

    def _write_most(self) -> Wait:
        yield from self._write_until(self._background)

    def _write_until(self, enough: float) -> Wait:
        self._busy = True
        while self._dirty and self._bytes() > enough:
            yield from self.write_out(sorted(self._dirty)[:AT_A_TIME], self._disc.background, self._at_next_commit)
        self._busy = False

    def write_out(self, pages: Sequence[int], account: Account, written: Callable[[list[Filled]], None]) -> Wait:
        """Write sorted *pages*, neighbours together, and wait for the disc; pass each request's pages to *written*."""
        requests: list[tuple[Request, range]] = []
        for first, many in _runs(pages):
            for request in self._disc.store(first * PAGE, many * PAGE):
                span = request.access.span
                begin = (span.first - self._disc.start) // PAGE
                requests.append((request, range(begin, begin + span.length // PAGE)))
                self.sizes.append(span.length)
        for page in pages:
            self._dirty.pop(page, None)
        self._under_way += len(pages)
        filled = {page: self._filled[page] for page in pages}
        for request, these in requests:
            yield from wait_for(request, account)
            self._under_way -= len(these)
            written([(page, filled[page]) for page in these])
            if self._gate is not None:
                self._gate.succeed()
                self._gate = None

    def _at_next_commit(self, pages: list[Filled]) -> None:
        every = self._parameters.commit
        self._at_risk.note_stored((floor(self._disc.permanent_at() / every) + 1) * every, pages)

    def levels(self) -> dict[str, float]:
        return {"unwritten_bytes": float(self._bytes())}

    def commit(self, pages: Sequence[int]) -> None:
        """Note that the metadata of *pages*, already written, are on the disc now."""
        self._at_risk.note_stored(self._env.now, [(page, self._filled[page]) for page in pages])


def _runs(pages: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted *pages* as (first, how many) of neighbours."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((page, 1))
    return runs


class Writing(Protocol):
    """The kernel's part of write(2)."""

    def write(self, first: int, length: int) -> Wait: ...

    def alike(self, first: int, length: int) -> int:
        """Return the number of further writes of *length* bytes, from byte *first* on, that need nothing but their
        bytes.
        """

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
