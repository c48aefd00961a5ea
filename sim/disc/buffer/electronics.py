"""What a drive's electronics make of its sheet: what a command takes, after which, and how soon a write may settle."""

from dataclasses import replace

from sim.disc.buffer.sheet import Buffer
from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, DiscType
from sim.request import READ, Op


class Electronics:
    """Knows the request before: whether it *wrote*, and the block at which it came to a *stop*.

    A hit takes what a sheet gives for it after a read only where it goes on where that ended, for so it was measured;
    elsewhere it takes *at_rest* more, the difference to what it takes after a write. A *miss* always finds the drive
    at rest, and takes the lesser of a sheet's two numbers, whatever came before. A write after a write is *cheaper*
    than one after a read only on the arm's track. Each of these was found on the nine measured drives (DESIGN.md).
    """

    def __init__(self, buffer: Buffer) -> None:
        overheads = buffer.overheads
        self.buffer = buffer
        self.wrote = False
        self.stop = 0
        self.at_rest = self.rest(buffer)
        self.miss = min(overheads.read_miss) + self.at_rest
        self.commanded = overheads.write if buffer.reports is None else overheads.report
        self.cheaper = self.commanded.write < self.commanded.read

    def rest(self, buffer: Buffer) -> float:
        """What it takes to begin; one that reads on after every hit has never stopped."""
        hit = buffer.overheads.read_hit
        return 0.0 if buffer.goes_on else max(0.0, hit.write - hit.read)

    def mechanics(self, disc: DiscType) -> DiscType:
        """No write settles sooner than a read, though sheets that are fitted to times may say so."""
        return disc if disc.write_settle >= 0.0 else replace(disc, write_settle=0.0)

    def hit(self, first: int) -> float:
        """What it takes before the first block leaves."""
        overheads = self.buffer.overheads
        elsewhere = 0.0 if self.wrote or first == self.stop else self.at_rest
        return overheads.read_hit[self.wrote] + elsewhere + overheads.preparation

    def near(self, place: SectorPlace, at: ArmPosition) -> bool:
        """Whether a write to *place*, while the arm is *at* a track, takes what it takes after a write."""
        return self.wrote and (not self.cheaper or (place.cylinder, place.head) == at)

    def done(self, op: Op, stop: int) -> None:
        self.wrote, self.stop = op is not READ, stop
