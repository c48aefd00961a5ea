"""What a drive's buffer holds: segments of blocks in a row, the one used longest ago replaced first."""

from collections.abc import Iterator

from spindle.sim.disc.buffer.sheet import Buffer
from spindle.sim.disc.layout import SectorRun
from spindle.sim.disc.mechanism import ArmPosition, MovingArm
from spindle.sim.disc.passing import Pass
from spindle.sim.request import READ, WRITE, Span

# The arm under a buffer: where it stands, from when on it is free, and how it reads and writes.

class Head:
    """Performs the commands of the electronics one after the other; *free* is the end of the last."""

    def __init__(self, moving: MovingArm, buffer: Buffer) -> None:
        self.moving = moving
        self.arm = ArmPosition(0, 0)
        self.free = 0.0
        self._revolution = moving.disc.revolution
        self._anywhere = buffer.starts_anywhere
        self._link = buffer.link.writing
        self._to_medium = buffer.overheads.to_medium
        self._holds = buffer.holds

    def read(self, begin: float, first: int, stop: int) -> list[Pass]:
        """The passes over blocks. If it may start anywhere, one is over a revolution after the head has come in."""
        passes = []
        while first < stop:
            each = self.moving.over(self.arm, begin, READ, first, stop)
            if self._anywhere and each.wait + each.transfer > self._revolution:
                each = each.within(self._revolution)
            passes.append(each)
            place, _, first, _, _, _, begin = each
            self.arm = ArmPosition(place.cylinder, place.head)
        self.free = begin
        return passes

    def write(self, begin: float, data: float, span: Span) -> list[Pass]:
        """The passes over *span*, whose first block leaves the host at *data*; the arm moves from *begin* on."""
        size, link = self.moving.sector_bytes, self._link
        start, stop = span.first // size, -(-span.end // size)

        def ready(run: SectorRun, first: int) -> float:
            """From when on the head can pass over *run* and never be ahead of the link."""
            sector = self._revolution / run.place.sectors_per_track
            held = min(first + self._holds, stop) - start
            last = (first + run.blocks - start) * link - (run.blocks - 1) * sector
            return data + max(held * link, last) + self._to_medium

        passes = self.moving.passes(self.arm, begin, WRITE, span, ready)
        place, self.free = passes[-1].place, passes[-1].end
        self.arm = ArmPosition(place.cylinder, place.head)
        return passes


class BufferSegment:
    """Blocks *first* up to *stop*, at most *room* of them: what more comes in pushes out the first."""

    __slots__ = ("first", "stop", "room", "written")

    def __init__(self, first: int, stop: int, room: int, written: bool) -> None:
        self.room = room
        self.written = written
        self.first = first
        self.extend(stop)

    def extend(self, stop: int) -> None:
        """Take in the blocks up to *stop*."""
        self.stop = stop
        if self.first < stop - self.room:
            self.first = stop - self.room


class Segments:
    """At most *number* segments of *room* blocks each, *written* of them filled by writes."""

    def __init__(self, number: int, written: int, room: int) -> None:
        self._number = number
        self._most_written = written
        self._room = room
        self._by_use: list[BufferSegment] = []

    def holding(self, first: int, stop: int) -> BufferSegment | None:
        """The segment that holds the beginning of these blocks; if one has all of them, that."""
        match = None
        for segment in self._by_use:
            if segment.first <= first < segment.stop:
                if stop <= segment.stop:
                    return segment
                match = segment
        return match

    def ending_at(self, block: int) -> BufferSegment | None:
        for segment in self._by_use:
            if segment.stop == block:
                return segment
        return None

    def use(self, segment: BufferSegment) -> None:
        """*segment* is the one that was used last."""
        self._by_use.remove(segment)
        self._by_use.append(segment)

    def fill(self, first: int, stop: int, written: bool = False) -> BufferSegment:
        """A segment with these blocks, in place of the one used longest ago if there is no other."""
        segments = self._by_use
        segment = BufferSegment(first, stop, self._room, written)
        if not self._number:
            return segment
        others = [each for each in segments if each.written] if written else []
        if len(others) >= self._most_written:
            segments.remove(others[0])
        elif len(segments) >= self._number:
            del segments[0]
        segments.append(segment)
        return segment

    def forget(self, first: int, stop: int) -> None:
        """Drop every segment that holds one of these blocks."""
        if any(each.first < stop and first < each.stop for each in self._by_use):
            self._by_use = [each for each in self._by_use if each.stop <= first or stop <= each.first]


# The drive's prefetch: computed when the next command comes, so that it costs no events.

class Prefetch:
    """Reads into *segment* from the instant *begin* on, until it has come to *limit* (a block) or is forgotten.

    Before it has come to the block *least*, no other request may have the arm.
    """

    def __init__(self, head: Head, segment: BufferSegment, begin: float, limit: int, least: int = 0) -> None:
        self.segment = segment
        self.limit = limit
        self.least = least
        self._head = head
        self._free = begin
        self._passing: Pass | None = None

    def follow(self, now: float) -> bool:
        """Take into the segment what has passed under the head by *now*; whether there is more to come."""
        segment, passing = self.segment, self._passing
        while True:
            if passing is None:
                if segment.stop >= self.limit:
                    return False
                if self._free > now:
                    return True
                passing = self._next(self.limit)
            if passing.end > now:
                segment.extend(max(segment.stop, passing.passed(now)))
                self._passing = passing
                return True
            segment.extend(passing.stop)
            self._free = passing.end
            passing = self._passing = None

    def _next(self, limit: int) -> Pass:
        head = self._head
        passing = head.moving.over(head.arm, self._free, READ, self.segment.stop, limit)
        place = passing.place
        head.arm = ArmPosition(place.cylinder, place.head)
        return passing

    def comes(self, now: float) -> float:
        """The instant, from *now* on, from which the next block that the segment will get passes; after follow()."""
        passing = self._passing
        if passing is not None:
            return max(now, passing.end - passing.transfer)
        moving, free = self._head.moving, self._free
        place = moving.disc.layout.locate(self.segment.stop)
        return free + moving.approach(self._head.arm, free, place, READ)

    def leaves(self, now: float) -> float:
        """The instant, from *now* on, from which another request may have the arm; after follow()."""
        moving, passing = self._head.moving, self._passing
        stop, free, arm = self.segment.stop, self._free, self._head.arm
        while stop < self.least:
            each = passing or moving.over(arm, free, READ, stop, self.least)
            if each.stop >= self.least:
                return max(now, each.cut(self.least).end)
            stop, free, arm, passing = each.stop, each.end, ArmPosition(*each.place[:2]), None
        return now

    def until(self, stop: int) -> Iterator[Pass]:
        """The passes that bring in what is missing of the blocks up to *stop*; they are in the segment then."""
        while self.segment.stop < stop:
            passing = self._passing or self._next(stop)
            if passing.stop > stop:
                yield passing.cut(stop)
                self.segment.extend(stop)
                self._passing = passing
                return
            yield passing
            self.segment.extend(passing.stop)
            self._free = passing.end
            self._passing = None
