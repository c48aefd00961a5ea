"""Linux's kyber scheduler (block/kyber-iosched.c) limits the reads and writes in the drive, so that both stay quick.

A request in the drive has a token of its direction. Where the drive is congested, the direction that is quick loses
tokens to the other. Numbers are those of the file as it is since Linux 4.20; its two tunables are those of
Documentation/block/kyber-iosched.rst. Discards and flushes have tokens of their own there; here they do not queue.
"""

from collections import deque
from collections.abc import Sequence
from functools import partial
from math import ceil, inf

import simpy

from spindle.sim.disc.drive import attach_once
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.error import UserError
from spindle.sim.request import READ, Request
from spindle.sim.units import MS

READ_TOKENS, WRITE_TOKENS = 256, 128
"""Reads and writes that the drive may have at most."""
READ_BATCH, WRITE_BATCH = 16, 8
"""Requests of one direction in a row, while the other has any that may go."""
LOOK_DELAY = 0.1
"""Seconds from a completion until the latencies are looked at, if no look is to come already."""
MIN_LATENCIES, MAX_WAIT_FOR_LATENCIES = 500, 1.0
"""Latencies of which a percentile is taken, and the seconds after which fewer will do."""
LATENCY_BUCKETS, BUCKETS_WITHIN_TARGET = 8, 4
"""Buckets of latencies, each of a quarter of the target, the last without end; and those within the target."""


class _Latencies:
    """A histogram of latencies since the last look, in quarters of the *target*."""

    def __init__(self, target: float) -> None:
        self._quarter = target / BUCKETS_WITHIN_TARGET
        self._counts = [0] * LATENCY_BUCKETS

    @property
    def count(self) -> int:
        return sum(self._counts)

    def add(self, seconds: float) -> None:
        self._counts[min(max(ceil(seconds / self._quarter) - 1, 0), LATENCY_BUCKETS - 1)] += 1

    def take_percentile(self, percent: int) -> int:
        """Return the bucket of a percentile, and forget all."""
        left, bucket = self.count * percent / 100, 0
        while self._counts[bucket] < left:
            left -= self._counts[bucket]
            bucket += 1
        self._counts = [0] * LATENCY_BUCKETS
        return bucket


class _Domain:
    """One direction, reads or writes: the requests that wait, their *tokens*, and the latencies of those done."""

    def __init__(self, target: float, tokens: int, batch: int) -> None:
        self.batch = batch
        self.tokens = self._most = tokens
        self.under_way = 0
        self.waiting: deque[Request] = deque()
        self._in_drive, self._total = _Latencies(target), _Latencies(target)
        self._until: float | None = None
        self._last: int | None = None

    def __len__(self) -> int:
        """The requests that wait and may go."""
        return max(0, min(len(self.waiting), self.tokens - self.under_way))

    def finish(self, in_drive: float, total: float) -> None:
        self.under_way -= 1
        self._in_drive.add(in_drive)
        self._total.add(total)

    def is_congested(self, now: float) -> bool:
        """Tell if more than a tenth took longer than the target in the drive."""
        percentile = self._percentile(self._in_drive, 90, now)
        return percentile is not None and percentile >= BUCKETS_WITHIN_TARGET

    def adjust(self, congested: bool, now: float) -> None:
        """Have tokens in proportion to the 99th percentile; fewer than before only if the drive is *congested*.

        A percentile that there is already is used at the next congestion, and once.
        """
        percentile = self._percentile(self._total, 99, now)
        if congested:
            percentile = self._last if percentile is None else percentile
            self._last = None
        elif percentile is not None:
            self._last = percentile
        if percentile is not None and (congested or percentile >= BUCKETS_WITHIN_TARGET):
            self.tokens = min(max(self.tokens * (percentile + 1) // BUCKETS_WITHIN_TARGET, 1), self._most)

    def _percentile(self, latencies: _Latencies, percent: int, now: float) -> int | None:
        """Return the bucket of a percentile; None where there are too few latencies, and the time is not up."""
        if not latencies.count:
            return None
        if self._until is None:
            self._until = now + MAX_WAIT_FOR_LATENCIES
        if latencies.count < MIN_LATENCIES and now < self._until:
            return None
        self._until = None
        return latencies.take_percentile(percent)


class Kyber:
    """A scheduler with as many reads and writes in the drive as keep the targets of *read* and *write* seconds.

    >>> Computer().drive(HP7933, Kyber(read=1 * MS)).name
    'drive1'
    """

    via: Sequence[SectorPlace] = ()
    unordered = True

    def __init__(self, read: float = 2 * MS, write: float = 10 * MS) -> None:
        for name, target in (("read", read), ("write", write)):
            if not 0.0 < target < inf:
                raise UserError(f"kyber: {name} {target} must be seconds, and more than 0")
        self._reads = _Domain(read, READ_TOKENS, READ_BATCH)
        self._writes = _Domain(write, WRITE_TOKENS, WRITE_BATCH)
        self._current, self._in_row = self._reads, 0
        self._look_at = inf
        self._mechanism: Mechanism | None = None

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = attach_once(self._mechanism, mechanism)

    def __len__(self) -> int:
        return len(self._reads) + len(self._writes)

    def add(self, request: Request) -> None:
        self._look(request.submitted)
        (self._reads if request.access.op is READ else self._writes).waiting.append(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        if self._in_row >= self._current.batch or not len(self._current):
            other = self._writes if self._current is self._reads else self._reads
            self._current, self._in_row = other if len(other) else self._current, 0
        self._in_row += 1
        domain = self._current
        domain.under_way += 1
        request = domain.waiting.popleft()
        # First of all, so that the drive finds the token when it looks for the next request.
        request.callbacks.insert(0, partial(self._finish, domain, now))
        return request

    def _finish(self, domain: _Domain, began: float, request: simpy.Event) -> None:
        assert isinstance(request, Request)
        now: float = request.env._now
        self._look(now)
        domain.finish(now - began, now - request.submitted)
        self._look_at = min(self._look_at, now + LOOK_DELAY)

    def _look(self, now: float) -> None:
        """Adjust the tokens if the time for it has come; before the next act at the drive nothing depends on them."""
        if now < self._look_at:
            return
        at, self._look_at = self._look_at, inf
        both = self._reads, self._writes
        congested = any([domain.is_congested(at) for domain in both])  # noqa: C419 - each forgets what it was asked
        for domain in both:
            domain.adjust(congested, at)
