"""A moving arm behind a buffer: the mechanism of a drive that reads ahead and reports writes early."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from spindle.sim.disc.buffer.segments import BufferSegment, Head, Prefetch, Segments
from spindle.sim.disc.buffer.sheet import Buffer
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, DiscType, Mechanism, MovingArm
from spindle.sim.disc.passing import Pass, together
from spindle.sim.request import READ, Op, Service, Span

# What a drive's electronics make of its sheet: what a command takes, after which, and how soon a write may settle.

class Electronics:
    """Knows the request before: whether it *wrote*, and the block at which it came to a *stop*.

    A hit takes what a sheet gives for it after a read only where it goes on where that ended, for so it was measured;
    elsewhere it takes *at_rest* more, the difference to what it takes after a write. A *miss* always finds the drive
    at rest, and takes the lesser of a sheet's two numbers, whatever came before. A write after a write is *cheaper*
    than one after a read only on the arm's track. Each of these was found on the nine measured drives (DESIGN.md).
    """

    def __init__(self, buffer: Buffer) -> None:
        overheads = buffer.overheads
        self.buffer = buffer
        self.wrote = False
        self.stop = 0
        self.at_rest = self.rest(buffer)
        self.miss = min(overheads.read_miss) + self.at_rest
        self.commanded = overheads.write if buffer.reports is None else overheads.report
        self.cheaper = self.commanded.write < self.commanded.read

    def rest(self, buffer: Buffer) -> float:
        """What it takes to begin; one that reads on after every hit has never stopped."""
        hit = buffer.overheads.read_hit
        return 0.0 if buffer.goes_on else max(0.0, hit.write - hit.read)

    def mechanics(self, disc: DiscType) -> DiscType:
        """No write settles sooner than a read, though sheets that are fitted to times may say so."""
        return disc if disc.write_settle >= 0.0 else replace(disc, write_settle=0.0)

    def hit(self, first: int) -> float:
        """What it takes before the first block leaves."""
        overheads = self.buffer.overheads
        elsewhere = 0.0 if self.wrote or first == self.stop else self.at_rest
        return overheads.read_hit[self.wrote] + elsewhere + overheads.preparation

    def near(self, place: SectorPlace, at: ArmPosition) -> bool:
        """Whether a write to *place*, while the arm is *at* a track, takes what it takes after a write."""
        return self.wrote and (not self.cheaper or (place.cylinder, place.head) == at)

    def done(self, op: Op, stop: int) -> None:
        self.wrote, self.stop = op is not READ, stop


# Blocks on their way between the medium and the host: the link takes them in order, one after the other.

def delivered(begin: float, first: int, stop: int, link: float, passes: Iterable[Pass]) -> float:
    """When the host has the blocks *first* up to *stop*, at *link* seconds a block and not before *begin*.

    Those that *passes* bring in cannot leave before they have passed. Where blocks leave and pass at steady rates,
    the last block of a pass or its first decides.
    """
    end = begin + (stop - first) * link
    for each in passes:
        end = max(end, each.end + (stop - each.stop + 1) * link,
                  each.instant(1) + (stop - max(each.first, first)) * link)
    return end


def gathered(passes: Sequence[Pass], blocks: int) -> float:
    """When the first *blocks* that *passes* bring in are there."""
    for each in passes:
        if blocks <= each.stop - each.first:
            return each.instant(blocks)
        blocks -= each.stop - each.first
    return passes[-1].end


# The writes that a drive has reported to the host and that are not on the medium yet.

class WriteBack:
    """Writes in the buffer, destaged one after the other at instants known when they are accepted.

    Writes that go on where the one before ended share its segment, as long as there is room in it.
    """

    def __init__(self, buffer: Buffer) -> None:
        self._room = buffer.blocks
        self._most = buffer.write_segments if buffer.reports is not None and buffer.reports.intermixed else 1
        self._ends: deque[float] = deque()
        """When each of the segments is on the medium."""
        self._first = self._stop = -1
        """The blocks in the last of them."""

    def acceptance(self, now: float, first: int, stop: int) -> float:
        """The instant, from *now* on, at which a write of these blocks can be taken into the buffer."""
        ends = self._ends
        while ends and ends[0] <= now:
            ends.popleft()
        if not ends or (first == self._stop and stop - self._first <= self._room):
            return now
        self._stop = -1  # it needs a segment of its own, wherever it begins
        return now if len(ends) < self._most else ends[-self._most]

    def add(self, first: int, stop: int, end: float) -> None:
        """These blocks were taken and will be on the medium at *end*."""
        if self._ends and first == self._stop:
            self._ends[-1] = end
        else:
            self._first = first
            self._ends.append(end)
        self._stop = stop


_Phases = tuple[float, float, float, float, float]
"""Overhead, seek, rotation, transfer and channel, as in a Service."""


class BufferedArm:
    """Serves a request from the buffer, from what the arm is just reading ahead, or from the medium.

    What the arm does between requests is followed when the next one comes: it costs no events. The phases of a
    Service are those of its way to completion: *overhead* holds commands, and waiting for earlier writes to reach
    the medium; *transfer* also what is waited for blocks that the arm is reading ahead; *channel* what the
    electronics and the host's link take after the medium.
    """

    def __init__(self, disc: DiscType, buffer: Buffer, electronics: Electronics | None = None) -> None:
        self.buffer = buffer
        self._electronics = electronics or Electronics(buffer)
        self.hits = self.late_hits = self.misses = 0
        moving = MovingArm(self._electronics.mechanics(disc))
        self.capacity, self.sector_bytes = moving.capacity, moving.sector_bytes
        self.locate, self.travel, self._approach = moving.locate, moving.travel, moving.approach
        self.least = None  # as the buffer answers some reads
        self._head = Head(moving, buffer)
        self._layout = disc.layout
        self._overhead = disc.overhead
        self._revolution = disc.revolution
        own = buffer.own_write_segment
        self._segments = Segments(buffer.segments - own, buffer.write_segments, buffer.blocks)
        self._written = Segments(1, 1, buffer.blocks) if own else self._segments
        self._waiting = None if buffer.reports is None else WriteBack(buffer)
        self._ahead: Prefetch | None = None
        self._left = self._head.arm
        self._settled = 0.0
        self._asked, self._reads_from, self._writes_from = -1.0, -1.0, (-1.0, -1.0)

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        """With the command's overhead; from where the read-ahead has taken the arm, or from another *arm* in mind."""
        if now != self._asked:
            self._look(now)
        at = self._head.arm if arm == self._left else arm
        if op is READ:
            size = self.sector_bytes
            first, stop = span.first // size, -(-(span.first + span.length) // size)
            segment = self._holding(first, stop) or self._coming(first)
            if segment is not None:
                return self._until_missing(segment, first, stop, at, now)
            begin = self._reads_from
        else:
            begin = self._writes_from[self._electronics.near(place, at)]
        return begin - now + self._approach(at, begin, place, op)

    def _look(self, now: float) -> None:
        """What is true of each request that may come next: when the arm is free, and may set out for it."""
        self._follow(now)
        self._asked = now
        command, free, electronics = now + self._overhead, self._head.free, self._electronics
        if self._ahead is not None and self.buffer.least_ahead:
            free = max(free, self._ahead.leaves(now))
        self._reads_from = max(command + electronics.miss, free)
        elsewhere, near = electronics.commanded
        self._writes_from = max(command + elsewhere, free), max(command + near, free)

    def _until_missing(
        self, segment: BufferSegment, first: int, stop: int, at: ArmPosition, now: float
    ) -> float:
        """Seconds until what *segment* lacks of the blocks before *stop* begins to pass; the command, if nothing."""
        command = self._overhead + self._electronics.hit(first)
        if stop <= segment.stop:
            return command
        ahead = self._ahead
        if ahead is not None and ahead.segment is segment and at is self._head.arm:
            return max(command, ahead.comes(now) - now)
        begin = self._reads_from
        return max(command, begin - now + self._approach(at, begin, self._layout.locate(segment.stop), READ))

    def settled(self) -> float:
        """The instant from which everything that was written is on the medium."""
        return self._settled

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        self._follow(now)
        if arm != self._left:
            # Between requests it was moved from outside.
            self._head.arm, self._ahead = arm, None
        begin, size = now + self._overhead, self.sector_bytes
        first, stop = span.first // size, -(-(span.first + span.length) // size)
        phases = self._read(begin, first, stop) if op is READ else self._write(begin, span, first, stop)
        overhead, seek, rotation, transfer, channel = phases
        self._electronics.done(op, stop)
        self._left = self._head.arm
        self._asked = -1.0
        timing = (queue, overhead + self._overhead, seek, rotation, transfer, channel)
        return tuple.__new__(Service, timing), self._left

    def _follow(self, now: float) -> None:
        """Where the read-ahead has come to at *now*."""
        if self._ahead is not None and not self._ahead.follow(now):
            self._ahead = None

    def _leave(self, now: float) -> None:
        """Stop reading ahead, but not before the least that the drive reads."""
        if self._ahead is not None and self.buffer.least_ahead:
            leaves = self._ahead.leaves(now)
            self._ahead.follow(leaves)
            self._head.free = max(self._head.free, leaves)
        self._ahead = None

    def _read(self, now: float, first: int, stop: int) -> _Phases:
        segment = self._holding(first, stop) or self._coming(first)
        if segment is None:
            return self._miss(now, first, stop)
        if not segment.written:
            self._segments.use(segment)
        overheads = self.buffer.overheads
        overhead = self._electronics.hit(first)
        begin = now + overhead
        late = stop > segment.stop
        passes = self._await(segment, now, stop) if late else []
        self.late_hits += late
        self.hits += not late
        sent = (stop - first) * self.buffer.link.reading
        waited = delivered(begin, first, stop, self.buffer.link.reading, passes) - (begin + sent) if late else 0.0
        if late or self.buffer.goes_on or (self._ahead is not None and self._ahead.segment is segment):
            self._read_on(segment, first, stop, now, True)
        return overhead, 0.0, 0.0, max(0.0, waited), sent + overheads.read_done

    def _holding(self, first: int, stop: int) -> BufferSegment | None:
        """The segment that has all of these blocks, or else one that has the first."""
        segment = self._segments.holding(first, stop)
        if self._written is not self._segments and (segment is None or stop > segment.stop):
            written = self._written.holding(first, stop)
            return written if written is not None and (segment is None or stop <= written.stop) else segment
        return segment

    def _coming(self, first: int) -> BufferSegment | None:
        """The segment into which the arm is just reading ahead, if block *first* is the next that will be in it."""
        ahead = self._ahead
        return ahead.segment if ahead is not None and ahead.segment.stop == first < ahead.limit else None

    def _await(self, segment: BufferSegment, now: float, stop: int) -> list[Pass]:
        """The passes that bring in the rest of a request of which the buffer has the beginning."""
        if self._ahead is None or self._ahead.segment is not segment:
            begin = max(self._head.free, now + self._electronics.miss)
            self._ahead = Prefetch(self._head, segment, begin, stop)
        return list(self._ahead.until(stop))

    def _miss(self, now: float, first: int, stop: int) -> _Phases:
        self.misses += 1
        buffer, overheads = self.buffer, self.buffer.overheads
        command = self._electronics.miss
        self._leave(now)
        begin = max(now + command, self._head.free)
        passes = self._head.read(begin, first, stop)
        medium = self._head.free
        needs = max(1, int(min(stop - first, buffer.blocks) * buffer.high_water))
        on_bus = max(gathered(passes, needs), now + command + overheads.reading_off[self._electronics.wrote])
        on_bus += overheads.reselect + overheads.preparation
        end = delivered(on_bus, first, stop, buffer.link.reading, passes) + overheads.read_done
        before = self._segments.ending_at(first)
        if before is None:
            segment = self._keep(passes[0], first, stop)
        else:
            segment = before
            segment.extend(stop)
            self._segments.use(segment)
        self._read_on(segment, first, stop, medium, before is not None)
        return begin - now, *together(passes), end - medium

    def _keep(self, opening: Pass, first: int, stop: int) -> BufferSegment:
        """A segment for what was read; perhaps also for what went by while the arm waited for it."""
        if self.buffer.keeps_passing:
            gone_by = int(opening.wait / self._revolution * opening.place.sectors_per_track)
            first = max(self._layout.track(first).start, first - gone_by)
        return self._segments.fill(first, stop)

    def _read_on(self, segment: BufferSegment, first: int, stop: int, begin: float, sequential: bool) -> None:
        """Go on reading into *segment* after the blocks from *first* up to *stop*."""
        buffer = self.buffer
        limit = min(buffer.read_ahead.limit(self._layout, range(segment.first, stop), sequential), self._layout.sectors)
        if buffer.keeps_requested:
            limit = max(stop, min(limit, first + buffer.blocks))
        least = min(limit, stop + buffer.least_ahead)
        if self._ahead is not None and self._ahead.segment is segment:
            self._ahead.limit, self._ahead.least = max(self._ahead.limit, limit), least
        elif limit > segment.stop:
            self._ahead = Prefetch(self._head, segment, max(begin, self._head.free), limit, least)

    def _write(self, now: float, span: Span, first: int, stop: int) -> _Phases:
        self._leave(now)
        self._segments.forget(first, stop)
        if self._waiting is None:
            phases = self._write_through(now, span, first)
        else:
            phases = self._report(now, span, first, stop, self._waiting)
        if self.buffer.reads_written:
            self._written.fill(first, stop, written=True)
        self._settled = self._head.free
        return phases

    def _write_command(self, span: Span) -> float:
        electronics = self._electronics
        near = electronics.wrote and electronics.near(self.locate(span.first), self._head.arm)
        return electronics.commanded[near]

    def _write_through(self, now: float, span: Span, first: int) -> _Phases:
        overheads, electronics = self.buffer.overheads, self._electronics
        command = self._write_command(span)
        data, back = now + command, overheads.reselect
        twice = overheads.second_disconnect
        if twice is not None and electronics.wrote and first != electronics.stop:
            command = twice.command + twice.seek_delay
            data = now + twice.command + twice.disconnect + twice.interval + overheads.reselect
            back = overheads.reselect_again
        begin = max(now + command, self._head.free)
        passes = self._head.write(begin, data + overheads.preparation, span)
        return begin - now, *together(passes), back + overheads.write_done

    def _report(self, now: float, span: Span, first: int, stop: int, waiting: WriteBack) -> _Phases:
        overheads = self.buffer.overheads
        command = self._write_command(span)
        begin = max(now + command, waiting.acceptance(now, first, stop))
        data = begin + overheads.preparation
        self._head.write(max(begin, self._head.free), data, span)
        waiting.add(first, stop, self._head.free)
        channel = (stop - first) * self.buffer.link.writing + overheads.write_done
        return data - now, 0.0, 0.0, 0.0, channel

    def reading(self) -> dict[str, float]:
        """What the buffer has counted."""
        return {f"buffer_{name}": float(getattr(self, name)) for name in ("hits", "late_hits", "misses")}


def mechanism_of(disc: DiscType) -> Mechanism:
    """What moves inside a drive of this type."""
    return MovingArm(disc) if disc.buffer is None else BufferedArm(disc, disc.buffer)
