"""The drive's prefetch: computed when the next command comes, so that it costs no events."""

from collections.abc import Iterator

from sim.disc.buffer.head import Head
from sim.disc.buffer.segments import BufferSegment
from sim.disc.mechanism import ArmPosition
from sim.disc.passing import Pass
from sim.request import READ


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
