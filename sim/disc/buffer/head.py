"""The arm under a buffer: where it stands, from when on it is free, and how it reads and writes."""

from sim.disc.buffer.sheet import Buffer
from sim.disc.layout import SectorRun
from sim.disc.mechanism import ArmPosition, MovingArm
from sim.disc.passing import Pass
from sim.request import READ, WRITE, Span


class Head:
    """Performs the commands of the electronics one after the other; *free* is the end of the last."""

    def __init__(self, moving: MovingArm, buffer: Buffer) -> None:
        self.moving = moving
        self.arm = ArmPosition(0, 0)
        self.free = 0.0
        self._revolution = moving.disc.revolution
        self._anywhere = buffer.starts_anywhere
        self._link = buffer.link.writing
        self._to_medium = buffer.overheads.to_medium
        self._holds = buffer.holds

    def read(self, begin: float, first: int, stop: int) -> list[Pass]:
        """The passes over blocks. If it may start anywhere, one is over a revolution after the head has come in."""
        passes = []
        while first < stop:
            each = self.moving.over(self.arm, begin, READ, first, stop)
            if self._anywhere and each.wait + each.transfer > self._revolution:
                each = each.within(self._revolution)
            passes.append(each)
            place, _, first, _, _, _, begin = each
            self.arm = ArmPosition(place.cylinder, place.head)
        self.free = begin
        return passes

    def write(self, begin: float, data: float, span: Span) -> list[Pass]:
        """The passes over *span*, whose first block leaves the host at *data*; the arm moves from *begin* on."""
        size, link = self.moving.sector_bytes, self._link
        start, stop = span.first // size, -(-span.end // size)

        def ready(run: SectorRun, first: int) -> float:
            """From when on the head can pass over *run* and never be ahead of the link."""
            sector = self._revolution / run.place.sectors_per_track
            held = min(first + self._holds, stop) - start
            last = (first + run.blocks - start) * link - (run.blocks - 1) * sector
            return data + max(held * link, last) + self._to_medium

        passes = self.moving.passes(self.arm, begin, WRITE, span, ready)
        place, self.free = passes[-1].place, passes[-1].end
        self.arm = ArmPosition(place.cylinder, place.head)
        return passes
