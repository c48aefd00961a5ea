"""DiscType describes a disc; MovingArm, its mechanism, computes the phases of a request by arm position and clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.kernel.arm import (
    LATEST_INSTANT,
    ArmTimes,
    LateClockError,
    Pass,
    TrackRun,
    approach,
    covers_partly,
    delayed_pass,
    new_tuple,
    pass_over,
    run_at,
    serve,
)
from spindle.sim.disc.layout import Layout, SectorPlace
from spindle.sim.disc.seek import SeekCurve, add_settle, seek_table, shortest_moves
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.request import WRITE, AccessTiming, Op, Span


class ArmPosition(NamedTuple):
    """The cylinder of the arm and the selected head. The angle is not part of it: it follows from the clock."""

    cylinder: int
    head: int


Ready = Callable[[TrackRun], float]
"""The instant from which a run of sectors may pass under the head."""


class Mechanism(Protocol):
    """The part of a drive that computes times, an arm or flash, as the drive and its scheduler call it."""

    @property
    def capacity(self) -> int:
        """Bytes."""

    @property
    def sector_bytes(self) -> int:
        """Unit of writing in bytes; 1 if any byte can be written."""

    @property
    def lower_bound(self) -> "tuple[float, Sequence[float]] | None":
        """Lower bounds in seconds: of any positioning, and by cylinders moved the least that the move adds; or None."""

    def locate(self, address: int) -> SectorPlace:
        """Return the place of byte *address*, for schedulers."""

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        """Seconds to get to the track of *place*."""

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        """Seconds from *now* until *place*, where *span* begins, is under the head, if it were served next.

        If a buffer has the beginning of a read, the seconds are until its first missing block is there.
        """

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        """Serve *span* from *now* on; return its phases and the arm's new position. *queue* is passed on to them."""

    def settled_at(self) -> float:
        """The instant, possibly past, from which everything that was written is on the medium."""

    def reading(self) -> dict[str, float]:
        """Return the mechanism's counters by name."""


@dataclass(frozen=True)
class DiscType:
    """A type of disc drive. *sources* has for each number its source, or why it was assumed.

    A move of the arm takes the longer of the seek and, where another head is selected, *head_switch*; before writing,
    *write_settle* is added to it (a negative one, as some fitted sheets have it, shortens it). *overhead* is the cost
    of a command before anything else; a drive with a *buffer* has more of them.

    >>> HP7933.rpm, all(isinstance(each, DiscType) for each in SHEETS)
    (2700, True)
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
    year: int | None = field(default=None, compare=False, repr=False, metadata={"added": True})
    """Year of the drive, if its sheet has one."""

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


class MovingArm:
    """The mechanism of a DiscType. At time 0 the arm is on cylinder 0 and angle 0 is under the heads.

    UserError after LATEST_INSTANT, when rounding would be more than a transfer.
    """

    def __init__(self, disc: DiscType) -> None:
        self.disc = disc
        self.capacity = disc.layout.capacity
        self.sector_bytes = disc.layout.sector_bytes
        self._locate = disc.layout.locate
        cylinders, settle = disc.layout.cylinders, disc.write_settle
        self.times = ArmTimes(
            disc.layout.blocks, (seek_table(disc.seek, cylinders, 0.0), seek_table(disc.seek, cylinders, settle)),
            (disc.head_switch, add_settle(disc.head_switch, settle)), self.sector_bytes, disc.overhead, disc.revolution,
        )  # fmt: skip

    @property
    def lower_bound(self) -> tuple[float, Sequence[float]]:
        settle = min(self.disc.write_settle, 0.0)
        return self.disc.overhead, shortest_moves(self.disc.seek, self.disc.layout.cylinders, settle)

    def locate(self, address: int) -> SectorPlace:
        return self._locate(address // self.sector_bytes)

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return approach(self.times, 0, abs(place.cylinder - arm.cylinder), place.head != arm.head, 0.0, 0.0)[0]

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        times, (cylinder, head, _, angle, _) = self.times, place
        overhead, distance, other_head = times.overhead, abs(cylinder - arm[0]), head != arm[1]
        move, wait = approach(times, op is WRITE, distance, other_head, now + overhead, angle)
        return overhead + move + wait

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        try:
            overhead, seek, rotation, transfer, channel, cylinder, head = serve(
                self.times, arm[0], arm[1], now, op is WRITE, span[0], span[1])
        except LateClockError:
            raise self.late_start_error(now) from None
        timing = queue, overhead, seek, rotation, transfer, channel
        return new_tuple(AccessTiming, timing), new_tuple(ArmPosition, (cylinder, head))

    def passes(self, arm: tuple[int, int], start: float, op: Op, span: Span, ready: Ready | None = None) -> list[Pass]:
        """The passes that *span* takes from the instant *start* on; no run of blocks begins before it is *ready*."""
        times, size, (first, length) = self.times, self.sector_bytes, span
        block, stop, write = first // size, -(-(first + length) // size), op is WRITE
        passes = []
        while block < stop:
            run = run_at(times.blocks, block, stop)
            try:
                each = pass_over(times, arm[0], arm[1], start, write, run, -inf if ready is None else ready(run))
            except LateClockError:
                raise self.late_start_error(start) from None
            if write and covers_partly(size, first, length, block, run.stop):
                each = delayed_pass(each, times.revolution)
            passes.append(each)
            block, start, arm = each.stop, each.end, (each.cylinder, each.head)
        return passes

    def late_start_error(self, now: float) -> UserError:
        return UserError(f"disc {self.disc.name}: the clock is at {now:.6g} s; after {LATEST_INSTANT:g} s, 63 years, "
                         "it is too coarse to tell the angle of a disc")  # fmt: skip

    def settled_at(self) -> float:
        """A write is done when it is on the medium."""
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}
