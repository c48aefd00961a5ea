"""Traces the arm of a drive: from which cylinder to which it moves, and when; and the disc that turns below it."""

from collections.abc import Sequence

from sim.disc.buffer.arm import BufferedArm
from sim.disc.buffer.head import Head
from sim.disc.drive import Drive
from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from sim.disc.passing import Pass
from sim.measure.tracing.trace import Notes, TimelineTrace, nanoseconds
from sim.request import Access, Service, Span


class TracedArm:
    """A track of moves below that of the *drive*, within a slice with the disc's speed and size.

    A move goes steadily from its begin to its end: a mechanism has no more than these. An arm behind a buffer also
    moves when no request waits for it; what it reads ahead is seen only by where its next move begins.
    """

    def __init__(self, drive: Drive, trace: TimelineTrace, name: str, parent: int) -> None:
        self._drive = drive
        self._trace = trace
        self._arm = drive.arm
        self._at = drive.arm.cylinder
        self._end = nanoseconds(drive.env.now)
        self._track = 0
        self._moving: MovingArm | None = None
        mechanism = drive.mechanism
        if isinstance(mechanism, BufferedArm):
            self._begin(mechanism._head.moving.disc, name, parent)
            self._follow(mechanism._head)
        elif isinstance(mechanism, MovingArm):
            self._moving = mechanism
            self._begin(mechanism.disc, name, parent)

    def _begin(self, disc: DiscType, name: str, parent: int) -> None:
        self._track = self._trace.track(f"{name} arm", parent)
        notes = (("rpm", disc.rpm), ("cylinders", disc.layout.cylinders), ("heads", disc.layout.heads))
        self._trace.begin(self._track, disc.name, self._end, notes)

    def _follow(self, head: Head) -> None:
        """Show all that the *head* reads and writes for requests."""
        read, write = head.read, head.write

        def traced_read(begin: float, first: int, stop: int) -> list[Pass]:
            at = head.arm
            return self._passes(at, begin, read(begin, first, stop))

        def traced_write(begin: float, data: float, span: Span) -> list[Pass]:
            at = head.arm
            return self._passes(at, begin, write(begin, data, span))

        head.read, head.write = traced_read, traced_write  # type: ignore[method-assign]

    def _passes(self, arm: ArmPosition, begin: float, passes: list[Pass]) -> list[Pass]:
        self._at = arm.cylinder
        for each in passes:
            self._move(begin, begin + each.move, each.place.cylinder)
            begin = each.end
        return passes

    def place(self, access: Access) -> Notes:
        """Where on the disc *access* begins; nothing for a drive without an arm."""
        if not self._track:
            return ()
        place = self._drive.mechanism.locate(access.span.first)
        return (("cylinder", place.cylinder), ("head", place.head), ("angle", place.angle))

    def served(
        self, began: float, service: Service, access: Access, via: Sequence[SectorPlace], now: float
    ) -> None:
        """The moves for *access*, served from *began* until *now*, perhaps not to its end; first by way of *via*."""
        arm, self._arm = self._arm, self._drive.arm
        if self._moving is None:
            return
        begin = began + service.overhead
        for place in via:
            seconds = self._moving.travel(arm, place)
            self._move(begin, begin + seconds, place.cylinder)
            begin, arm = begin + seconds, ArmPosition(place.cylinder, place.head)
        passes = self._moving.passes(arm, begin, access.op, access.span)
        late = max(0.0, service.rotation - sum(each.wait for each in passes))
        for each in passes:
            if begin < now:
                self._move(begin, begin + each.move, each.place.cylinder)
            begin += each.move + each.wait + late + each.transfer
            late = 0.0

    def _move(self, begin: float, end: float, cylinder: int) -> None:
        start, self._at = self._at, cylinder
        shown, until = max(self._end, nanoseconds(begin)), nanoseconds(end)
        if cylinder != start and until > shown:
            self._trace.begin(self._track, "move", shown, (("from", start), ("to", cylinder)))
            self._trace.end(self._track, until)
            self._end = until

    def finish(self) -> None:
        if self._track:
            self._trace.end(self._track, max(self._end, nanoseconds(self._drive.env.now)))
