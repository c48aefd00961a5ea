"""The writes that a drive has reported to the host and that are not on the medium yet."""

from collections import deque

from sim.disc.buffer.sheet import Buffer


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
