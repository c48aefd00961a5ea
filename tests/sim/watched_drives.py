"""Small drives that record which bytes were read and written, and when."""

from dataclasses import replace

import simpy

from spindle.sim.clock import Wait
from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType, Nand, sata
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import Access, AccessTiming, Op, Request, Span
from spindle.sim.units import MS

SECTOR = 256
FLASH = FlashType("flash", Nand(2, 1, 1, 16, 4, 1024, 0.1 * MS, 1 * MS, 3 * MS, 1e6), sata(1e6, 0.1 * MS), 51_200, 512,
                  SECTOR, 2048, 1)
DISC = DiscType("small", uniform(10, 2, 10, SECTOR), 6000, LinearSeek(1 * MS, 10 * MS, 10))


class Watched(Drive):
    """A drive that remembers what it was asked for, which bytes it was given to write, and when that was done."""

    def __init__(
        self, env: simpy.Environment, scheduler: Scheduler | None = None, buffer: Buffer | None = None,
        disc: DiscType = DISC,
    ) -> None:  # fmt: skip
        super().__init__(env, disc if buffer is None else Settling(replace(disc, buffer=buffer), buffer), scheduler)
        self.written: list[tuple[Span, float]] = []
        self.transferred: list[tuple[Span, float]] = []
        self.asked: list[Access] = []
        self.flushed: list[Span] = []
        self.discarded: list[Span] = []

    def flush(self, span: Span) -> Wait:
        self.flushed.append(span)
        return super().flush(span)

    def discard(self, span: Span) -> None:
        self.discarded.append(span)

    def start(self, access: Access) -> Request:
        self.asked.append(access)
        request = super().start(access)
        done = self.written if access.op is Op.WRITE else self.transferred
        request.callbacks.append(lambda _: done.append((access.span, self.env.now)))
        return request

    def has(self, span: Span, since: float) -> bool:
        """Whether all of *span* has been written since then, and is on the medium now."""
        written = self.mechanism.written if isinstance(self.mechanism, Settling) else self.written
        now = self.env.now + 1e-9
        return covered(span, [each for each, when in written if since <= when <= now])


class Settling(BufferedArm):
    """An arm with a buffer that remembers which bytes it was given to write, and when they are on the medium."""

    def __init__(self, disc: DiscType, buffer: Buffer) -> None:
        super().__init__(disc, buffer)
        self.written: list[tuple[Span, float]] = []

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        served = super().serve(arm, now, op, span, queue)
        assert min(served[0]) >= 0.0, "a phase that takes less than no time"
        if op is Op.WRITE:
            self.written.append((span, self.settled_at()))
        return served


class WatchedFlash(FlashDrive):
    """A solid-state drive that remembers which bytes it was given to write, and when they were programmed."""

    def __init__(self, env: simpy.Environment, tags: int) -> None:
        super().__init__(env, replace(FLASH, front=replace(FLASH.front, tags=tags)))
        self.written: list[tuple[Span, float]] = []
        self.transferred: list[tuple[Span, float]] = []
        self._programs, self.flash.serve = self.flash.serve, self._noted  # type: ignore[method-assign]

    def start(self, access: Access) -> Request:
        request = super().start(access)
        if access.op is Op.READ:
            request.callbacks.append(lambda _: self.transferred.append((access.span, self.env.now)))
        return request

    def _noted(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        served = self._programs(arm, now, op, span, queue)
        assert min(served[0]) >= 0.0, "a phase that takes less than no time"
        if op is Op.WRITE:
            self.written.append((span, self.flash.settled_at()))
        return served

    def has(self, span: Span, since: float) -> bool:
        """Whether all of *span* has been written since then, and is on the flash now."""
        now = self.env.now + 1e-9
        return covered(span, [each for each, when in self.written if since <= when <= now])


def covered(span: Span, spans: list[Span]) -> bool:
    left = set(range(span.first, span.end))
    for each in spans:
        left -= set(range(each.first, each.end))
    return not left
