"""Linux's mq-deadline scheduler (block/mq-deadline.c): rising addresses, reads before writes, old requests first.

Numbers are the defaults of /sys/block/*/queue/iosched. With reads alone or writes alone, the older deadline scheduler
does the same.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence

from spindle.sim.disc.drive import attach_once
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.request import READ, Request

FIFO_BATCH = 16
"""Requests taken by address in a row, before the other direction or an old request may be taken."""
WRITES_STARVED = 2
"""Batches of reads that may be taken while writes wait."""
READ_EXPIRE, WRITE_EXPIRE = 0.5, 5.0
"""Seconds after which a read and a write have waited too long."""


class _Direction:
    """One direction, reads or writes: waiting requests by address and by age."""

    def __init__(self, expire: float) -> None:
        self._expire = expire
        self._queue: list[tuple[int, int, Request]] = []
        self._oldest: dict[int, Request] = {}
        self._number = self._at = 0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, request: Request) -> None:
        self._number += 1
        self._oldest[self._number] = request
        insort(self._queue, (request.access.span.first, self._number, request))

    def goes_on(self) -> bool:
        """Tell if a request waits at or above the address of the last one."""
        return bisect_left(self._queue, (self._at,)) < len(self._queue)

    def take_next(self) -> Request:
        return self._take(bisect_left(self._queue, (self._at,)))

    def take_first(self, now: float) -> Request:
        """Take the oldest if it has waited too long, or if none is above the last address; else the next above."""
        oldest = next(iter(self._oldest.values()))
        if self.goes_on() and now < oldest.submitted + self._expire:
            return self.take_next()
        return self._take(bisect_left(self._queue, (oldest.access.span.first,)))

    def _take(self, index: int) -> Request:
        self._at, number, request = self._queue.pop(index)
        del self._oldest[number]
        return request


class MqDeadline:
    """A scheduler that takes batches of one direction by rising address; writes wait for two batches of reads at most.

    >>> Computer().drive(HP7933, MqDeadline()).name
    'drive1'
    """

    via: Sequence[SectorPlace] = ()
    unordered = True

    def __init__(self) -> None:
        self._reads, self._writes = _Direction(READ_EXPIRE), _Direction(WRITE_EXPIRE)
        self._last = self._reads
        self._in_row = self._starved = 0
        self._mechanism: Mechanism | None = None

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = attach_once(self._mechanism, mechanism)

    def __len__(self) -> int:
        return len(self._reads) + len(self._writes)

    def add(self, request: Request) -> None:
        (self._reads if request.access.op is READ else self._writes).add(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        if self._in_row < FIFO_BATCH and self._last.goes_on():
            self._in_row += 1
            return self._last.take_next()
        self._last, self._in_row = self._direction(), 1
        return self._last.take_first(now)

    def _direction(self) -> _Direction:
        if len(self._reads) and self._starved < WRITES_STARVED:
            self._starved += len(self._writes) > 0
            return self._reads
        self._starved = 0
        return self._writes
