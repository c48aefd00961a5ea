"""Fixtures of the tests of buffers: a disc whose times are whole milliseconds, and a client that sends requests."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import pytest

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Span
from spindle.sim.units import MS

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms, another head 2 ms, no skew.
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)


class Host:
    """Asks a drive of blocks of 100 bytes, in milliseconds."""

    def __init__(self, disc: DiscType, buffer: Buffer) -> None:
        self.arm = BufferedArm(disc, buffer)
        self._position = ArmPosition(0, 0)

    def serve(self, op: Op, now: float, first: int, stop: int) -> AccessTiming:
        span = Span(first * 100, (stop - first) * 100)
        service, self._position = self.arm.serve(self._position, now * MS, op, span)
        return service

    def read(self, now: float, first: int, stop: int) -> float:
        """How long it takes to read these blocks."""
        return round(self.serve(READ, now, first, stop).total / MS, 6)

    def write(self, now: float, first: int, stop: int) -> float:
        return round(self.serve(WRITE, now, first, stop).total / MS, 6)

    def phases(self, op: Op, now: float, first: int, stop: int) -> list[float]:
        """Overhead, seek, rotation, transfer and channel."""
        return [round(seconds / MS, 6) for seconds in self.serve(op, now, first, stop)[1:]]

    def holds(self, now: float, first: int) -> bool:
        """Whether this block would be a hit; asking changes nothing."""
        asked = deepcopy(self)
        asked.read(now, first, first + 1)
        return asked.counts()[0] > self.counts()[0]

    def asked(self, op: Op, now: float, first: int, stop: int) -> float:
        """What a scheduler is told that these blocks are away."""
        span = Span(first * 100, (stop - first) * 100)
        return self.arm.positioning(self._position, now * MS, self.arm.locate(span.first), op, span) / MS

    def settled_at(self) -> float:
        return round(self.arm.settled_at() / MS, 6)

    def counts(self) -> list[float]:
        """Hits, late hits and misses."""
        return list(self.arm.reading().values())


@pytest.fixture
def host_of() -> Callable[..., Host]:
    """Makes the host of a drive with this buffer; whatever else is given replaces fields of its DiscType."""

    def make(buffer: Buffer, **fields: object) -> Host:
        return Host(replace(TEN, **fields), buffer)  # type: ignore[arg-type]

    return make
