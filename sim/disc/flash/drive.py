"""A solid-state drive: a drive that serves as many requests at a time as its front has tags."""

import simpy

from sim.disc.buffer.arm import mechanism_of
from sim.disc.drive import Drive
from sim.disc.flash.counts import ParallelCounts
from sim.disc.flash.mechanism import Flash
from sim.disc.flash.sheet import FlashType
from sim.disc.mechanism import DiscType, Mechanism
from sim.disc.scheduling import Scheduler
from sim.request import Request, Span

DriveType = DiscType | FlashType
"""The sheet of a drive of either kind."""


class FlashDrive(Drive):
    """A Drive whose host keeps what has no tag, in the order of its scheduler; one access, one event."""

    def __init__(
        self, env: simpy.Environment, sheet: FlashType, scheduler: Scheduler | None = None, name: str = "drive"
    ) -> None:
        self.flash = Flash(sheet)
        super().__init__(env, self.flash, scheduler, name)
        self.counts = ParallelCounts(env.now, sheet.sector_bytes)
        self._tags = sheet.front.tags
        self._under_way = 0

    def _serve(self, now: float) -> None:
        super()._serve(now)
        self._under_way += 1
        self._idle = self._under_way < self._tags

    def _complete(self, request: Request) -> None:
        self._under_way -= 1
        super()._complete(request)

    def faults(self) -> list[str]:
        return self.flash.faults()

    def discard(self, span: Span) -> None:
        """Trim *span*: its units are valid no more, and need not be copied."""
        self.flash.discard(span)


def drive_of(
    env: simpy.Environment, sheet: DriveType | Mechanism, scheduler: Scheduler | None = None, name: str = "drive"
) -> Drive:
    """A drive of the *sheet*, be it a disc or flash."""
    if isinstance(sheet, FlashType):
        return FlashDrive(env, sheet, scheduler, name)
    return Drive(env, sheet, scheduler, name)


def mechanism_in(sheet: DriveType) -> Mechanism:
    """What a drive of the *sheet* is built on, be it a disc or flash."""
    return Flash(sheet) if isinstance(sheet, FlashType) else mechanism_of(sheet)
