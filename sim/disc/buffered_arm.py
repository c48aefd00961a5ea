"""BufferedArm, an arm with a buffer, is the mechanism of a drive that reads ahead and reports writes early.

``mechanism_of`` builds it, or an arm without a buffer, from a data sheet.
"""

from spindle.sim.disc.buffer_sheet import Buffer, SecondDisconnect
from spindle.sim.disc.kernel.arm import LateClockError, new_tuple
from spindle.sim.disc.kernel.buffer import (
    BY_TRACK,
    NOWHERE,
    BufferSegment,
    BufferState,
    BufferTimes,
    DriveBuffer,
    follow,
)
from spindle.sim.disc.kernel.buffered import look, read_positioning, serve_buffered, write_positioning
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, DiscType, Mechanism, MovingArm
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Span

_NO_SECOND = SecondDisconnect(0.0, 0.0, 0.0, 0.0)


def times_of(buffer: Buffer) -> BufferTimes:
    """Copy the numbers of a data sheet into the flat record that functions of the buffer read."""
    costs, ahead, reports = buffer.overheads, buffer.read_ahead, buffer.reports
    twice = costs.second_disconnect or _NO_SECOND
    return BufferTimes(
        buffer.segments - buffer.own_write_segment, buffer.own_write_segment,
        0 if reports is None else buffer.write_segments if reports.intermixed else 1, ahead.KIND, ahead.blocks,
        buffer.blocks, buffer.write_segments, buffer.keeps_requested and ahead.KIND != BY_TRACK, buffer.keeps_passing,
        buffer.goes_on, buffer.least_ahead, buffer.starts_anywhere, buffer.reads_written, buffer.high_water,
        buffer.holds, costs.read_miss, costs.write if reports is None else costs.report, buffer.link.reading,
        buffer.link.writing, costs.read_hit, costs.reading_off, costs.preparation, costs.reselect,
        costs.reselect_again, costs.read_done, costs.write_done, costs.to_medium, twice is not _NO_SECOND,
        twice.command, twice.disconnect, twice.interval, twice.seek_delay,
    )  # fmt: skip


def empty_buffer(times: BufferTimes) -> DriveBuffer:
    """Make an empty buffer: a segment to read into, even if it keeps none; and ends for more writes than it reports."""
    segments = [BufferSegment() for _ in range(max(1, times.segments) + times.own)]
    return DriveBuffer(times, BufferState(), segments, [0.0] * (times.reports + 2))


class BufferedArm:
    """A mechanism that serves requests from the buffer, from blocks being read ahead, or from the medium.

    Of a request's phases, *overhead* is the command, and the wait for earlier writes to reach the medium; *transfer*
    includes the wait for blocks that the arm is reading ahead; *channel* is the time of electronics and link after the
    medium.
    """

    def __init__(self, disc: DiscType, buffer: Buffer) -> None:
        self.moving = MovingArm(disc)
        self.capacity, self.sector_bytes = self.moving.capacity, self.moving.sector_bytes
        self.locate, self.travel = self.moving.locate, self.moving.travel
        self.lower_bound = None  # as the buffer answers some reads
        self.buffer = empty_buffer(times_of(buffer))
        self._left = ArmPosition(0, 0)
        self._asked = -1.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        """Include the command's overhead, from where the read-ahead has taken the arm, or from an assumed *arm*."""
        times, buffer = self.moving.times, self.buffer
        if now != self._asked:
            look(times, buffer, now)
            self._asked = now
        here, state = arm == self._left, buffer.state
        at = (state.cylinder, state.head) if here else arm
        target = place[0], place[1], place[3]
        if op is WRITE:
            return write_positioning(times, buffer, at, now, target)
        size, (first, length) = self.sector_bytes, span
        block, stop = first // size, -(-(first + length) // size)
        return read_positioning(times, buffer, at, here, now, target, block, stop)

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        times, buffer = self.moving.times, self.buffer
        try:
            if arm != self._left:
                self._move(arm, now)
            overhead, seek, rotation, transfer, channel, cylinder, head = serve_buffered(
                times, buffer, now, op is not READ, span[0], span[1])
        except LateClockError:
            raise self.moving.late_start_error(now) from None
        self._left = new_tuple(ArmPosition, (cylinder, head))
        self._asked = -1.0
        return new_tuple(AccessTiming, (queue, overhead, seek, rotation, transfer, channel)), self._left

    def _move(self, arm: ArmPosition, now: float) -> None:
        """Note that the *arm* was moved from outside between requests, which ends the read-ahead."""
        follow(self.moving.times, self.buffer, now)
        state = self.buffer.state
        state.cylinder, state.head = arm
        state.ahead = NOWHERE

    def settled_at(self) -> float:
        """The instant from which everything that was written is on the medium."""
        return self.buffer.state.settled

    def reading(self) -> dict[str, float]:
        """Return the counters of the buffer: hits, late hits and misses."""
        state = self.buffer.state
        return {f"buffer_{name}": float(getattr(state, name)) for name in ("hits", "late_hits", "misses")}


def mechanism_of(disc: DiscType) -> Mechanism:
    """Build the mechanism of a drive of this type: an arm, with a buffer if the sheet has one."""
    return MovingArm(disc) if disc.buffer is None else BufferedArm(disc, disc.buffer)
