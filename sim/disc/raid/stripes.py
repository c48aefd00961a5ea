"""Writes to RAID 5 and 6: the rows of pages that a write touches, and how their parity is brought up to date.

The rules are those of Linux's md, drivers/md/raid5.c: ``handle_stripe_dirtying`` counts the reads that
read-modify-write and reconstruct-write would take, and takes the former where it needs fewer (PARITY_ENABLE_RMW, the
default). A row of pages is worked on by one write at a time, and there are stripe_cache_size of them. What must be read
is read at once, as ``raid5_make_request`` has it for REQ_SYNC, which direct writes are. Not followed: that other writes
are delayed (``raid5_activate_delayed``) and joined with those of their row meanwhile; the write-intent bitmap.
"""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from spindle.sim.clock import Account
from spindle.sim.disc.raid.layout import ParityLayout, RaidType, fragments
from spindle.sim.disc.raid.members import Gathering, Members
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Request, Span

Trail = tuple[Request, ...]
"""Requests of members one after another, each of which the next one waited for."""


class Band(NamedTuple):
    """Pages of a *row*, the bytes *first* to *end* of each chunk, to which one write does the same in each page.

    It overwrites the chunks *whole*, and writes some bytes of a page of the chunks *partly*.
    """

    row: int
    first: int
    end: int
    whole: tuple[int, ...]
    partly: tuple[int, ...]

    def overlaps(self, other: "Band") -> bool:
        return self.row == other.row and self.first < other.end and other.first < self.end


def bands(span: Span, data: int, chunk: int, page: int) -> Iterator[Band]:
    """The bands of a write to *span* of an array with *data* chunks a row."""
    for row, parts in groupby(fragments(span, chunk), key=lambda each: each.chunk // data):
        pieces = [(each.chunk % data, each.offset, each.offset + each.length) for each in parts]
        edges = {edge for _, *both in pieces for each in both for edge in (each // page, -(-each // page))}
        for low, high in pairwise(sorted(edges)):
            first, end = low * page, high * page
            touched = [(index, begin <= first and end <= stop) for index, begin, stop in pieces
                       if begin < end and first < stop]  # fmt: skip
            if touched:
                yield Band(row, first, end, tuple(index for index, all_ in touched if all_),
                           tuple(index for index, all_ in touched if not all_))  # fmt: skip


class StripeWrite(NamedTuple):
    """A *band* to write; *then* is called with the trail of its waits."""

    band: Band
    account: Account
    durable: bool
    then: Callable[[Trail], None]


class StripeCache:
    """Rows of pages whose parity is being brought up to date, *kind.stripes* at most, in the order of their writes."""

    def __init__(self, kind: RaidType, layout: ParityLayout, members: Members) -> None:
        self.full_writes = self.read_modify_writes = self.reconstruct_writes = 0
        """Bands by what had to be read for them: nothing; old data and parity; the other data."""
        self.waits = 0
        self._kind = kind
        self._layout = layout
        self._members = members
        self._waiting: deque[StripeWrite] = deque()
        self._active: list[Band] = []
        self._used = 0

    def write(self, one: StripeWrite) -> None:
        """Begin *one* as soon as there is room, and nothing before it is at work on its pages."""
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
        wanted = self._reads(one.band)
        if not wanted:
            self._write(one, ())
            return
        gathering = Gathering(len(wanted), lambda last: self._write(one, (last,)))
        for drive in wanted:
            self._members.ask(drive, READ, self._span(one.band), one.account, gathering)

    def _write(self, one: StripeWrite, trail: Trail) -> None:
        """Data and parity go to their drives, those that have not failed."""
        band, span = one.band, self._span(one.band)
        drives = [self._layout.drive(band.row, index) for index in (*band.whole, *band.partly)]
        there = [drive for drive in (*drives, *self._layout.parity(band.row)) if self._members.has(drive, span.end)]
        gathering = Gathering(len(there), lambda last: self._end(one, (*trail, last)))
        for drive in there:
            self._members.ask(drive, WRITE, span, one.account, gathering, one.durable)

    def _end(self, one: StripeWrite, trail: Trail) -> None:
        self._active.remove(one.band)
        self._used -= self._pages(one.band)
        while self._waiting and self._free(self._waiting[0].band):
            self._begin(self._waiting.popleft())
        one.then(trail)

    def _span(self, band: Band) -> Span:
        """The same on each drive."""
        return Span(band.row * self._kind.chunk + band.first, band.end - band.first)

    def _reads(self, band: Band) -> list[int]:
        """The drives that must be read before *band* can be written, by the way that takes fewer reads."""
        layout, end = self._layout, self._span(band).end
        place = {index: layout.drive(band.row, index) for index in range(layout.data)}
        touched = {*band.whole, *band.partly}
        has = {drive: self._members.has(drive, end) for drive in range(layout.drives)}
        parity = [drive for drive in layout.parity(band.row) if has[drive]]
        if not parity:
            return [place[index] for index in band.partly if has[place[index]]]
        modify = [place[index] for index in sorted(touched)] + parity
        reconstruct = [place[index] for index in range(layout.data) if index not in band.whole]
        ways = [way for way in (reconstruct, modify) if all(has[drive] for drive in way)]
        if not ways:
            self.reconstruct_writes += 1
            return self._all(has)
        chosen = min(ways, key=len)
        if not chosen:
            self.full_writes += 1
        elif chosen is modify:
            self.read_modify_writes += 1
        else:
            self.reconstruct_writes += 1
        return chosen

    def _all(self, has: dict[int, bool]) -> list[int]:
        """List the drives that are left, all of which are read to compute the missing ones; UserError if data is lost.
        """
        there = [drive for drive, left in has.items() if left]
        if len(there) < self._layout.data:
            raise UserError(f"raid {self._kind.level}: data is lost, for {len(has) - len(there)} drives of a row are")
        return there
