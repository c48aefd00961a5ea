"""What a drive's moving parts do with a request: how long it takes follows from arm and time alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from spindle.sim.disc.buffer.sheet import Buffer
from spindle.sim.disc.layout import Layout, SectorPlace, SectorRun
from spindle.sim.disc.passing import Pass
from spindle.sim.disc.seek import SeekCurve, least_table, seek_table, settled
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.request import READ, WRITE, Op, Service, Span


class ArmPosition(NamedTuple):
    """The cylinder of the arm and the selected head. The angle is not part of it: it follows from the clock."""

    cylinder: int
    head: int


Ready = Callable[[SectorRun, int], float]
"""The instant from which a run, whose first block is given, can be passed over."""


class Mechanism(Protocol):
    """The moving part of a drive, as the drive and its scheduler need it."""

    @property
    def capacity(self) -> int:
        """Bytes."""

    @property
    def sector_bytes(self) -> int:
        """What can be written at once; 1 where any byte can."""

    @property
    def least(self) -> "tuple[float, Sequence[float]] | None":
        """Seconds of any positioning, and what so many cylinders or more add at least; None where some take no time."""

    def locate(self, address: int) -> SectorPlace:
        """Where byte *address* lies, for schedulers."""

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        """Seconds to get to the track of *place*."""

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        """Seconds from *now* until *place*, where *span* begins, is under the head, if it were served next.

        Where a buffer has the beginning of a read, until what is missing of it is.
        """

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        """What serving *span* from *now* on takes, and where it leaves the arm; *queue* only passes through."""

    def settled(self) -> float:
        """The instant from which everything that was written is on the medium; it may have gone by long ago."""

    def reading(self) -> dict[str, float]:
        """What it counts of its own, by name."""


@dataclass(frozen=True)
class DiscType:
    """The data sheet of a drive. *sources* has for each of its numbers the source, or why it was assumed.

    A move of the arm takes the longer of the seek and, where another head is selected, *head_switch*; before
    writing, *write_settle* is added to it (a negative one, as some fitted sheets have it, shortens it).
    *overhead* is what a command costs before anything else; a drive with a *buffer* has more of its own.
    """

    name: str
    layout: Layout
    rpm: float
    seek: SeekCurve
    head_switch: float = 0.0
    write_settle: float = 0.0
    overhead: float = 0.0
    buffer: Buffer | None = None
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)
    notes: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 0.0 < self.rpm < inf:
            raise UserError(f"disc {self.name}: rpm {self.rpm} must be positive and finite")
        for name in ("head_switch", "overhead"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"disc {self.name}: {name} {getattr(self, name)} s must be finite and not negative")
        if not -inf < self.write_settle < inf:
            raise UserError(f"disc {self.name}: write_settle {self.write_settle} s must be finite")

    @property
    def revolution(self) -> float:
        """Seconds."""
        return 60.0 / self.rpm


LATEST = 2e9
"""Seconds, 63 years: from here on the clock's steps are a quarter of a microsecond and coarser, too coarse for the
angle of a disc."""


class MovingArm:
    """The mechanism of a DiscType. At time 0 the arm is on cylinder 0 and angle 0 is under the heads.

    Where the wanted angle has only just gone by, by no more than the clock's own rounding, it has not gone by:
    the transfer is shortened by as much, so that rounding neither adds up nor costs a revolution. UserError after the
    LATEST instant, when rounding would be more than a transfer.
    """

    def __init__(self, disc: DiscType) -> None:
        self.disc = disc
        self.capacity = disc.layout.capacity
        self.sector_bytes = disc.layout.sector_bytes
        self._sector = disc.layout.locate
        self._run = disc.layout.run
        self._overhead = disc.overhead
        self._revolution = disc.revolution
        cylinders, settle = disc.layout.cylinders, disc.write_settle
        # Seconds by distance, and seconds to select another head, for each Op.
        self._reading = seek_table(disc.seek, cylinders, 0.0), disc.head_switch
        self._writing = seek_table(disc.seek, cylinders, settle), settled(disc.head_switch, settle)

    @property
    def least(self) -> tuple[float, Sequence[float]]:
        return self._overhead, least_table(self.disc.seek, len(self._reading[0]), min(self.disc.write_settle, 0.0))

    def locate(self, address: int) -> SectorPlace:
        return self._sector(address // self.sector_bytes)

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return self._approach(arm, 0.0, place, READ)[0]

    def _approach(self, arm: tuple[int, int], start: float, place: SectorPlace, op: Op) -> tuple[float, float]:
        """Seconds to move from *start* on, and then to wait for *place*; the wait is negative by the clock's rounding.

        A billionth of a revolution, and a few units in the last place of the count of revolutions, are rounding.
        """
        seeks, switch = self._reading if op is READ else self._writing
        cylinder, head, _, angle, _ = place
        revolution = self._revolution
        move = seeks[abs(cylinder - arm[0])]
        if head != arm[1] and move < switch:
            move = switch
        turns = (start + move) / revolution
        wait = (angle - turns) % 1.0
        if wait >= 1.0 - 1e-9 - 1e-15 * turns:
            wait -= 1.0
        return move, wait * revolution

    def approach(self, arm: ArmPosition, start: float, place: SectorPlace, op: Op) -> float:
        """Seconds from *start* until *place* is under the head, if the arm sets out at once."""
        move, wait = self._approach(arm, start, place, op)
        return move + wait

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        overhead = self._overhead
        move, wait = self._approach(arm, now + overhead, place, op)
        return overhead + move + wait

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        if now > LATEST:
            raise self._too_late(now)
        first, length = span
        size = self.sector_bytes
        if first % size or length % size:
            return self._serve_runs(arm, now, op, span, queue)
        wanted = length // size
        place, blocks, passed = self._run(first // size, wanted)
        if blocks < wanted:
            return self._serve_runs(arm, now, op, span, queue)
        overhead = self._overhead
        move, wait = self._approach(arm, now + overhead, place, op)
        transfer = passed / place.sectors_per_track * self._revolution
        if wait < 0.0:
            transfer += wait
            wait = 0.0
        return Service(queue, overhead, move, wait, transfer, 0.0), ArmPosition(place.cylinder, place.head)

    def _serve_runs(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float
    ) -> tuple[Service, ArmPosition]:
        """The same for a span of several tracks, or one that begins or ends within a sector."""
        moves = waits = transfers = 0.0
        for place, _, _, move, wait, transfer, _ in self.passes(arm, now + self._overhead, op, span):
            moves, waits, transfers = moves + move, waits + wait, transfers + transfer
            arm = ArmPosition(place.cylinder, place.head)
        return Service(queue, self._overhead, moves, waits, transfers, 0.0), arm

    def passes(self, arm: tuple[int, int], start: float, op: Op, span: Span, ready: Ready | None = None) -> list[Pass]:
        """The passes that *span* takes from the instant *start* on; no run of blocks begins before it is *ready*."""
        size, (first, length) = self.sector_bytes, span
        # Only where the span begins and where it ends can a block be covered in part.
        partly = op is WRITE and (first % size or length % size)
        first, stop = first // size, -(-(first + length) // size)
        passes = []
        while first < stop:
            each = self.over(arm, start, op, first, stop, ready)
            if partly and self._partly(span, first, each.stop):
                # The sectors on this track are read as they pass, and written when they come round again.
                each = each.later(self._revolution)
            passes.append(each)
            place, first, start = each.place, each.stop, each.end
            arm = place.cylinder, place.head
        return passes

    def over(
        self, arm: tuple[int, int], start: float, op: Op, first: int, stop: int, ready: Ready | None = None
    ) -> Pass:
        """The first of the passes that the blocks *first* up to *stop* take."""
        if start > LATEST:
            raise self._too_late(start)
        run = self._run(first, stop - first)
        place, blocks, passed = run
        move, wait = self._approach(arm, start, place, op)
        if ready is not None:
            idle = ready(run, first) - (start + move)
            if idle > 0.0:
                # The arm is there, and waits for the blocks before it waits for their angle.
                wait = idle + self._approach(place[:2], start + move + idle, place, op)[1]
        transfer = passed / place.sectors_per_track * self._revolution
        if wait < 0.0:
            transfer += wait
            wait = 0.0
        # In half the time of Pass(...): a request takes several, those of the read-ahead among them.
        end = start + move + wait + transfer
        return tuple.__new__(Pass, (place, first, first + blocks, move, wait, transfer, end))

    def _too_late(self, now: float) -> UserError:
        return UserError(f"disc {self.disc.name}: the clock is at {now:.6g} s; after {LATEST:g} s, 63 years, it is too "
                         "coarse to tell the angle of a disc")  # fmt: skip

    def settled(self) -> float:
        """A write is done when it is on the medium."""
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}

    def _partly(self, span: Span, first: int, stop: int) -> bool:
        """Whether *span* covers one of the blocks from *first* up to *stop* only partly."""
        size = self.sector_bytes
        covered_from, covered_to = max(span.first, first * size), min(span.end, stop * size)
        return covered_from % size > 0 or covered_to % size > 0
