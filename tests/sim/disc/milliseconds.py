"""Buffers, links and a scheduler for tests of drives that are worked out by hand, in milliseconds."""

from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.request import Request
from spindle.sim.units import MS

QUIET = Buffer(1, 20)
AHEAD = Buffer(1, 20, read_ahead=BlocksAhead(20))


def link(reading: float, writing: float = 0.0) -> HostLink:
    """Milliseconds a block."""
    return HostLink(reading * MS, writing * MS)


def after(read: float, write: float) -> After:
    return After(read * MS, write * MS)


class Asked(Fcfs):
    """First come, first served; notes for which arm and instant, in ms, it was asked to choose."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[ArmPosition, float]] = []

    def take(self, arm: ArmPosition, now: float) -> Request:
        self.asked.append((arm, round(now / MS, 9)))
        return super().take(arm, now)
