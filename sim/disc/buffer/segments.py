"""What a drive's buffer holds: segments of blocks in a row, the one used longest ago replaced first."""


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
