"""StripeCache writes to RAID 5 and 6: it finds the rows of pages that a write touches, and updates their parity."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from spindle.sim.clock import Account
from spindle.sim.disc.raid.layout import ParityLayout, RaidType, fragments
from spindle.sim.disc.raid.members import CountDown, Members
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Access, Request, Span

# The rules are those of Linux's md, drivers/md/raid5.c: ``handle_stripe_dirtying`` counts the reads that
# read-modify-write and reconstruct-write would take, and takes the former where it needs fewer (PARITY_ENABLE_RMW, the
# default). A row of pages is worked on by one write at a time, and there are stripe_cache_size of them. What must be
# read is read at once, as ``raid5_make_request`` has it for REQ_SYNC, which direct writes are; for others see
# ``delayed.py``. Not followed: that a row stays in the cache after its write, and is not read again for the next.

Trail = tuple[Request, ...]
"""Requests of members one after another, each of which the next one waited for."""
Then = Callable[[], None]
FULL, MODIFY, RECONSTRUCT = "full_writes", "read_modify_writes", "reconstruct_writes"
WAYS = (FULL, MODIFY, RECONSTRUCT)
"""Ways to write a band, by the reads before it: none; old data and parity; the other data."""


class Piece(NamedTuple):
    """A piece of a write: bytes *first* to *end* of chunk number *chunk* of a row."""

    chunk: int
    first: int
    end: int


class Band(NamedTuple):
    """Pages of a *row* that one write treats alike: the bytes *first* to *end* of each chunk.

    It overwrites the chunks *whole*, and writes some bytes of a page of the chunks *partly*.
    """

    row: int
    first: int
    end: int
    whole: tuple[int, ...]
    partly: tuple[int, ...]

    def overlaps(self, other: "Band") -> bool:
        return self.row == other.row and self.first < other.end and other.first < self.end


def rows_of(span: Span, data: int, chunk: int) -> Iterator[tuple[int, list[Piece]]]:
    """The rows of an array with *data* chunks a row that *span* touches, and its pieces in each."""
    for row, parts in groupby(fragments(span, chunk), key=lambda each: each.chunk // data):
        yield row, [Piece(each.chunk % data, each.offset, each.offset + each.length) for each in parts]


def bands_of(row: int, pieces: Sequence[Piece], page: int) -> Iterator[Band]:
    """The bands of a write of *pieces*, no two of which adjoin, to a *row*."""
    edges = {edge for _, *both in pieces for each in both for edge in (each // page, -(-each // page))}
    for low, high in pairwise(sorted(edges)):
        first, end = low * page, high * page
        touched: dict[int, bool] = {}
        for index, begin, stop in pieces:
            if begin < end and first < stop:
                touched[index] = begin <= first and end <= stop
        if touched:
            yield Band(row, first, end, tuple(index for index, all_ in touched.items() if all_),
                       tuple(index for index, all_ in touched.items() if not all_))  # fmt: skip


class Branches:
    """A counter of *left* branches of a write, which calls *then* with the trail of the last to end."""

    __slots__ = ("left", "_then")

    def __init__(self, left: int, then: Callable[[Trail], None]) -> None:
        self.left = left
        self._then = then

    def end(self, trail: Trail, ended: int = 1) -> None:
        self.left -= ended
        if not self.left:
            self._then(trail)

    def one(self, request: Request) -> None:
        self.end((request,))


class StripeWrite(NamedTuple):
    """A *band* to write; *then* is called with the trail of its waits."""

    band: Band
    account: Account
    durable: bool
    then: Callable[[Trail], None]


class StripeCache:
    """The rows of pages whose parity is being updated, *kind.stripes* at most, in the order of their writes.

    *step* begins the writes that follow reads: at once, or when the array's thread waits for no bitmap page.
    """

    def __init__(self, kind: RaidType, layout: ParityLayout, members: Members, step: Callable[[Then], None]) -> None:
        self.ways: Counter[str] = Counter()
        self.waits = 0
        self._kind = kind
        self._layout = layout
        self._members = members
        self._step = step
        self._waiting: deque[StripeWrite] = deque()
        self._active: list[Band] = []
        self._used = 0

    def write(self, access: Access, then: Callable[[Trail], None]) -> None:
        """Write the span of *access*, and call *then* with the trail of the last of its waits."""
        page, found = self._kind.page, rows_of(access.span, self._layout.data, self._kind.chunk)
        parts = [band for row, pieces in found for band in bands_of(row, pieces, page)]
        task = Branches(len(parts), then)
        for band in parts:
            self._begin_or_queue(StripeWrite(band, access.account, access.durable, task.end))

    def _begin_or_queue(self, one: StripeWrite) -> None:
        """Begin *one* as soon as there is room, and no earlier write is in progress on its pages."""
        if self._waiting or not self._free(one.band):
            self.waits += 1
            self._waiting.append(one)
        else:
            self._begin(one)

    def _pages(self, band: Band) -> int:
        """Rows of pages; a band larger than all of the cache takes all of it."""
        return min((band.end - band.first) // self._kind.page, self._kind.stripes)

    def _free(self, band: Band) -> bool:
        room = self._used + self._pages(band) <= self._kind.stripes
        return room and not any(band.overlaps(each) for each in self._active)

    def _begin(self, one: StripeWrite) -> None:
        self._active.append(one.band)
        self._used += self._pages(one.band)
        way, wanted = self._way(one.band)
        if way:
            self.ways[way] += 1
        if wanted:
            self._read(one, wanted)
        else:
            self._write(one, ())

    def _read(self, one: StripeWrite, wanted: Sequence[int]) -> None:
        count_down = CountDown(len(wanted), lambda last: self._step(partial(self._write, one, (last,))))
        for drive in wanted:
            self._members.ask(drive, READ, self._span(one.band), one.account, count_down)

    def _write(self, one: StripeWrite, trail: Trail) -> None:
        """Write data and parity to their drives, except those that have failed."""
        band, span = one.band, self._span(one.band)
        drives = [self._layout.drive(band.row, index) for index in (*band.whole, *band.partly)]
        drives += self._layout.parity(band.row)
        working = [drive for drive in drives if self._members.is_readable(drive, span.end)]
        count_down = CountDown(len(working), lambda last: self._end(one, (*trail, last)))
        for drive in working:
            self._members.ask(drive, WRITE, span, one.account, count_down, one.durable)

    def _end(self, one: StripeWrite, trail: Trail) -> None:
        self._active.remove(one.band)
        self._used -= self._pages(one.band)
        self._begin_waiting(one.band)
        one.then(trail)

    def _begin_waiting(self, _: Band) -> None:
        """Begin the writes that waited for a band, which has been written."""
        while self._waiting and self._free(self._waiting[0].band):
            self._begin(self._waiting.popleft())

    def _span(self, band: Band) -> Span:
        return Span(band.row * self._kind.chunk + band.first, band.end - band.first)

    def _way(self, band: Band) -> tuple[str, list[int]]:
        """Return the way of *band* that takes fewer reads, empty without parity, and the drives that must be read."""
        layout, end = self._layout, self._span(band).end
        place = {index: layout.drive(band.row, index) for index in range(layout.data)}
        touched = {*band.whole, *band.partly}
        has = {drive: self._members.is_readable(drive, end) for drive in range(layout.drives)}
        parity = [drive for drive in layout.parity(band.row) if has[drive]]
        if not parity:
            return "", [place[index] for index in band.partly if has[place[index]]]
        modify = [place[index] for index in sorted(touched)] + parity
        reconstruct = [place[index] for index in range(layout.data) if index not in band.whole]
        ways = [way for way in (reconstruct, modify) if all(has[drive] for drive in way)]
        if not ways:
            return RECONSTRUCT, self._survivors(has)
        chosen = min(ways, key=len)
        return FULL if not chosen else MODIFY if chosen is modify else RECONSTRUCT, chosen

    def _survivors(self, has: dict[int, bool]) -> list[int]:
        """List the drives that are left, all read to compute the missing ones; UserError if data is lost."""
        working = [drive for drive, left in has.items() if left]
        if len(working) < self._layout.data:
            raise UserError(f"raid {self._kind.level}: data is lost: {len(has) - len(working)} drives of a row failed")
        return working
