"""DelayedStripes delays writes to RAID 5 and 6 without REQ_SYNC, so that others to the same rows can join them."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import simpy

from spindle.sim.clock import Account, pause
from spindle.sim.disc.raid import stripes
from spindle.sim.disc.raid.layout import ParityLayout, RaidType
from spindle.sim.disc.raid.members import Members
from spindle.sim.request import Access

# The rules are those of Linux's md, drivers/md/raid5.c. What a process asks for before it waits is looked at together
# (``release_stripe_plug``, ``raid5_unplug``). A row of which all data are there is written at once. One of which
# something must be read first is delayed (``handle_stripe_dirtying`` without STRIPE_PREREAD_ACTIVE), until no row is
# being read for a write (``raid5_activate_delayed``, IO_THRESHOLD): then all of them are. They let full rows go first,
# and wait for these, unless others passed them meanwhile (``__get_priority_stripe``, preread_bypass_threshold). Not
# followed: that a write to bytes that wait waits for them (R5_Overlap); that a process which found no row free goes on
# only when a quarter is.

BYPASS_THRESHOLD = 1
"""Rows of pages that may pass those delayed; md's default of preread_bypass_threshold."""


class DelayedPiece(NamedTuple):
    """What a delayed write has for a chunk: a *piece* of a row, and the *task* that ends when all of it is written."""

    piece: stripes.Piece
    account: Account
    durable: bool
    task: stripes.Branches


class RowWrite(NamedTuple):
    row: int
    pieces: list[DelayedPiece]


class DelayedStripes(stripes.StripeCache):
    """A StripeCache that delays writes, except durable ones, which Linux sends with REQ_SYNC."""

    def __init__(
        self, env: simpy.Environment, kind: RaidType, layout: ParityLayout, members: Members,
        step: Callable[[stripes.Then], None],
    ) -> None:  # fmt: skip
        super().__init__(kind, layout, members, step)
        self._env = env
        self._rows: dict[int, list[DelayedPiece]] = {}
        """What waits to be written, by row."""
        self._held: dict[int, int] = {}
        """By row, the rows of pages that its waiting pieces take."""
        self._come_late: deque[RowWrite] = deque()
        self._plug: dict[int, None] = {}
        self._prereads = self._full = self._passed = 0

    def write(self, access: Access, then: Callable[[stripes.Trail], None]) -> None:
        task = stripes.Branches(access.span.length, then)
        for row, pieces in stripes.rows_of(access.span, self._layout.data, self._kind.chunk):
            one = RowWrite(row, [DelayedPiece(each, access.account, access.durable, task) for each in pieces])
            if self._come_late or not self._has_room(one):
                self.waits += 1
                self._come_late.append(one)
            else:
                self._join(one)

    def _has_room(self, one: RowWrite) -> bool:
        held = self._held.get(one.row, 0)
        more = self._count([*self._rows.get(one.row, ()), *one.pieces]) - held
        return self._used + more <= self._kind.stripes

    def _count(self, waiting: Sequence[DelayedPiece]) -> int:
        """Rows of pages that *waiting* of a row take, at most all."""
        pages = {page for (_, first, end), *_ in waiting
                 for page in range(first // self._kind.page, -(-end // self._kind.page))}  # fmt: skip
        return min(len(pages), self._kind.stripes)

    def _join(self, one: RowWrite) -> None:
        """Put *one* with the other writes that wait in its row, until the process that wrote it waits."""
        self._keep(one.row, [*self._rows.get(one.row, ()), *one.pieces])
        if not self._plug:
            pause(self._env, 0.0).callbacks.append(self._unplug)
        self._plug[one.row] = None

    def _keep(self, row: int, waiting: list[DelayedPiece]) -> None:
        held = self._count(waiting)
        self._used += held - self._held.get(row, 0)
        self._rows[row], self._held[row] = waiting, held
        if not waiting:
            del self._rows[row], self._held[row]

    def _unplug(self, _: simpy.Event) -> None:
        rows, self._plug = self._plug, {}
        if any(row not in rows for row in self._rows):
            self._passed += sum(self._held[row] for row in rows)
        for row in rows:
            self._look_at(row)
        self._activate()

    def _look_at(self, row: int) -> None:
        """Begin the writes in *row* that need no reads or must not be delayed."""
        for band in self._bands(row):
            if not self._way(band)[1] or any(each.durable for each in self._waiting_in(band)):
                self._begin_band(band)

    def _activate(self) -> None:
        """Read for all delayed writes, unless rows are being read already, or full rows go first."""
        if self._prereads or (self._full and self._passed <= BYPASS_THRESHOLD):
            return
        self._passed = 0
        for row in [row for row in self._rows if row not in self._plug]:
            for band in self._bands(row):
                self._begin_band(band)

    def _bands(self, row: int) -> Iterator[stripes.Band]:
        """Yield the bands of what waits in *row* on which no write is at work."""
        pieces = _join_pieces(each.piece for each in self._rows.get(row, ()))
        for band in list(stripes.bands_of(row, pieces, self._kind.page)):
            if not any(band.overlaps(each) for each in self._active):
                yield band

    def _waiting_in(self, band: stripes.Band) -> Iterator[DelayedPiece]:
        """Yield the waiting pieces of writes that lie in *band*, cut at its ends."""
        for waiting in self._rows[band.row]:
            chunk, first, end = waiting.piece
            if first < band.end and band.first < end:
                yield waiting._replace(piece=stripes.Piece(chunk, max(first, band.first), min(end, band.end)))

    def _begin_band(self, band: stripes.Band) -> None:
        """Write the pieces that wait in *band* together; keep those beside it waiting."""
        self._full += self._is_full(band)
        waiting = list(self._waiting_in(band))
        self._keep(band.row, list(self._waiting_beside(band)))
        durable = any(each.durable for each in waiting)
        self._begin(stripes.StripeWrite(band, waiting[0].account, durable, partial(_end_tasks, waiting)))

    def _waiting_beside(self, band: stripes.Band) -> Iterator[DelayedPiece]:
        """Yield the waiting pieces of writes that lie in the row of *band*, but outside it."""
        for waiting in self._rows[band.row]:
            chunk, first, end = waiting.piece
            before, behind = (first, min(end, band.first)), (max(first, band.end), end)
            for piece in (stripes.Piece(chunk, *before), stripes.Piece(chunk, *behind)):
                if piece.first < piece.end:
                    yield waiting._replace(piece=piece)

    def _read(self, one: stripes.StripeWrite, wanted: Sequence[int]) -> None:
        self._prereads += 1
        super()._read(one, wanted)

    def _write(self, one: stripes.StripeWrite, trail: stripes.Trail) -> None:
        super()._write(one, trail)
        if trail:
            self._prereads -= 1
            self._activate()

    def _begin_waiting(self, band: stripes.Band) -> None:
        self._full -= self._is_full(band)
        while self._come_late and self._has_room(self._come_late[0]):
            self._join(self._come_late.popleft())
        if band.row not in self._plug:
            self._look_at(band.row)
        self._activate()

    def _is_full(self, band: stripes.Band) -> bool:
        return len(band.whole) == self._layout.data


def _join_pieces(pieces: Iterator[stripes.Piece]) -> list[stripes.Piece]:
    """Sort *pieces*, and join those that adjoin."""
    joined: list[stripes.Piece] = []
    for piece in sorted(pieces):
        if joined and joined[-1].chunk == piece.chunk and joined[-1].end >= piece.first:
            joined[-1] = stripes.Piece(piece.chunk, joined[-1].first, max(joined[-1].end, piece.end))
        else:
            joined.append(piece)
    return joined


def _end_tasks(waiting: Sequence[DelayedPiece], trail: stripes.Trail) -> None:
    for each in waiting:
        each.task.end(trail, each.piece.end - each.piece.first)
