"""Traces drives on a timeline: arm, queue, a lane for each request under way, and levels."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite

import simpy

from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive, DriveCounts, Scheduler
from spindle.sim.disc.kernel.arm import Pass
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.measure.tracing.trace import Notes, TimelineTrace, nanoseconds
from spindle.sim.request import SERVICE_PHASES, Access, AccessTiming, Request

# Traces the arm of a drive: from which cylinder to which it moves, and when; and the disc that turns below it.

class TracedArm:
    """A track of the arm's moves below that of the *drive*, within a slice with the disc's speed and size.

    A move is drawn steady from begin to end: a mechanism reports no more. An arm behind a buffer also moves when no
    request waits for it; its read-ahead is seen only by where its next move begins.
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
            self._begin(mechanism.moving.disc, name, parent)
            mechanism.buffer.watch = self._pass
        elif isinstance(mechanism, MovingArm):
            self._moving = mechanism
            self._begin(mechanism.disc, name, parent)

    def _begin(self, disc: DiscType, name: str, parent: int) -> None:
        self._track = self._trace.track(f"{name} arm", parent)
        notes = (("rpm", disc.rpm), ("cylinders", disc.layout.cylinders), ("heads", disc.layout.heads))
        self._trace.begin(self._track, disc.name, self._end, notes)

    def _pass(self, cylinder: int, begin: float, each: Pass) -> None:
        """Show a pass of an arm behind a buffer for a request, which begins on *cylinder*."""
        self._at = cylinder
        self._move(begin, begin + each.move, each.cylinder)

    def place(self, access: Access) -> Notes:
        """Return notes of the cylinder, head and angle where *access* begins; empty for a drive without an arm."""
        if not self._track:
            return ()
        place = self._drive.mechanism.locate(access.span.first)
        return (("cylinder", place.cylinder), ("head", place.head), ("angle", place.angle))

    def draw_moves(
        self, began: float, service: AccessTiming, access: Access, via: Sequence[SectorPlace], now: float
    ) -> None:
        """Draw the moves for *access*, served from *began* until *now*, perhaps unfinished; first by way of *via*."""
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
        for passed in passes:
            if begin < now:
                self._move(begin, begin + passed.move, passed.cylinder)
            begin += passed.move + passed.wait + late + passed.transfer
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


# Follows the requests in a drive's queue, and which of them is being served.

class TracedQueue:
    """A wrapper of *scheduler* that lists the waiting requests, and the access of the one *served* last.

    *via* are the places that the arm visits on its way to that one.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.served: Access | None = None
        self.via: Sequence[SectorPlace] = ()
        self._scheduler = scheduler
        self._waiting: dict[Request, None] = {}
        self._add, self._take = scheduler.add, scheduler.take
        scheduler.add, scheduler.take = self.add, self.take  # type: ignore[method-assign]

    def add(self, request: Request) -> None:
        self._waiting[request] = None
        self._add(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        request = self._take(arm, now)
        self._waiting.pop(request, None)
        self.served, self.via = request.access, tuple(self._scheduler.via)
        return request

    def waiting(self) -> list[Request]:
        """List the requests in the queue, the oldest first."""
        return list(self._waiting)


# Counts that also draw what they count: a drive's queue, arm, and requests with their phases; levels of a part.

class TracedCounts(DriveCounts):
    """Counters of *drive* that also draw its requests; they replace the drive's own, which must still be empty."""

    def __init__(self, drive: Drive, trace: TimelineTrace, name: str) -> None:
        assert not drive.counts.issued, f"{name} had requests before its timeline began"
        super().__init__(drive.env.now, drive.mechanism.sector_bytes)
        self._trace = trace
        self._name = name
        self._env = drive.env
        self._track = trace.track(name)
        self._queue_counter = trace.counter(f"{name} queue", "requests", self._track)
        self._arm = TracedArm(drive, trace, name, self._track)
        self._present = TracedQueue(drive.scheduler)
        self.then: Callable[[], None] = lambda: None
        trace.value(self._queue_counter, nanoseconds(drive.env.now), 0)
        drive.counts = self

    def enter(self, now: float) -> None:
        super().enter(now)
        self._trace.value(self._queue_counter, nanoseconds(now), self.issued - self.completed)

    def leave(self, now: float, access: Access, service: AccessTiming) -> None:
        super().leave(now, access, service)
        self._show(access.op.value, now, service, self._notes(access, service.queue))
        self._arm.draw_moves(self._began, service, access, self._present.via, now)
        self._trace.value(self._queue_counter, nanoseconds(now), self.issued - self.completed)
        self.then()

    def finish(self) -> None:
        """Draw the unfinished service and the waiting requests at the end of the run."""
        now, serving, access = self._env.now, self.serving, self._present.served
        if serving is not None and access is not None:
            self._show("unfinished", now, serving, self._notes(access, serving.queue))
            if isfinite(serving.seek):
                self._arm.draw_moves(self._began, serving, access, self._present.via, now)
        self._arm.finish()
        if waiting := self._present.waiting():
            track = self._trace.track(f"{self._name} waiting", self._track)
            for request in waiting:  # the oldest holds the others, for all of them wait still
                notes = self._notes(request.access, now - request.submitted)
                self._trace.begin(track, request.access.op.value, nanoseconds(request.submitted), notes)
            for _ in waiting:
                self._trace.end(track, nanoseconds(now))

    def _notes(self, access: Access, queued: float) -> Notes:
        first, length = access.span
        notes = (("for", access.account.name), ("first", first), ("bytes", length), ("queued, s", queued))
        return (*notes, *self._arm.place(access))

    def _show(self, name: str, now: float, service: AccessTiming, notes: Notes) -> None:
        """Draw a request, and its phases one after the other, up to *now* at most."""
        trace, track = self._trace, self._track
        end = self._began
        shown = nanoseconds(end)
        trace.begin(track, name, shown, notes)
        for phase, seconds in zip(SERVICE_PHASES, service[1:], strict=True):
            end = min(end + seconds, now)
            until = nanoseconds(end)
            if until > shown:
                trace.begin(track, phase, shown)
                trace.end(track, until)
                shown = until
        trace.end(track, nanoseconds(now))


class Levels:
    """Counters of *levels*, which are read whenever a part reports activity, so that they need no event."""

    def __init__(
        self, levels: Mapping[str, Callable[[], Mapping[str, float]]], trace: TimelineTrace, env: simpy.Environment
    ) -> None:
        self._levels = levels
        self._trace = trace
        self._env = env
        self._counters: dict[tuple[str, str], int] = {}
        self._shown: dict[int, int] = {}
        self.look()

    def look(self) -> None:
        """Draw the levels that have changed."""
        for part, levels in self._levels.items():
            for name, level in levels().items():
                counter = self._counters.get((part, name)) or self._counter(part, name)
                value = round(level)
                if self._shown.get(counter) != value:
                    self._shown[counter] = value
                    self._trace.value(counter, nanoseconds(self._env.now), value)

    def _counter(self, part: str, name: str) -> int:
        what, _, unit = name.rpartition("_")
        counter = self._counters[part, name] = self._trace.counter(f"{part} {what}".rstrip(), unit)
        return counter


class TracedLanes:
    """Lanes with the requests of *drive*, several at a time; those in service at the end of a run are left out."""

    def __init__(self, drive: Drive, trace: TimelineTrace, name: str) -> None:
        self._trace = trace
        self._name = name
        self._counts = drive.counts
        self._track = trace.track(name)
        self._queue = trace.counter(f"{name} queue", "requests", self._track)
        self._lanes: dict[int, float] = {}
        self.then: Callable[[], None] = lambda: None
        self._enter, self._leave = drive.counts.enter, drive.counts.leave
        drive.counts.enter, drive.counts.leave = self.enter, self.leave  # type: ignore[method-assign]
        self._show(drive.env.now)

    def enter(self, now: float) -> None:
        self._enter(now)
        self._show(now)

    def leave(self, now: float, access: Access, service: AccessTiming) -> None:
        self._leave(now, access, service)
        begin, (first, length) = now - service.total, access.span
        lane = self._lane(begin)
        self._lanes[lane] = now
        notes = (("for", access.account.name), ("first", first), ("bytes", length), ("queued, s", service.queue))
        self._trace.begin(lane, access.op.value, nanoseconds(begin), notes)
        self._trace.end(lane, nanoseconds(now))
        self._show(now)
        self.then()

    def _lane(self, begin: float) -> int:
        """Find a track without a request under way at *begin*, or make one."""
        for lane, free in self._lanes.items():
            if nanoseconds(free) <= nanoseconds(begin):
                return lane
        return self._trace.track(f"{self._name} lane {len(self._lanes) + 1}", self._track)

    def _show(self, now: float) -> None:
        self._trace.value(self._queue, nanoseconds(now), self._counts.issued - self._counts.completed)

    def finish(self) -> None:
        """Draw nothing: the ends of requests under way are not known yet."""
