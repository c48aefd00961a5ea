"""Traces a drive that serves several requests at a time: its queue, and a lane for each of those under way."""

from collections.abc import Callable

from sim.disc.drive import Drive
from sim.measure.tracing.trace import TimelineTrace, nanoseconds
from sim.request import Access, Service


class TracedLanes:
    """Hears what the counts of *drive* hear. A request in service at the end of a run is not shown."""

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

    def leave(self, now: float, access: Access, service: Service) -> None:
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
        """A track on which nothing was under way any more at *begin*."""
        for lane, free in self._lanes.items():
            if nanoseconds(free) <= nanoseconds(begin):
                return lane
        return self._trace.track(f"{self._name} lane {len(self._lanes) + 1}", self._track)

    def _show(self, now: float) -> None:
        self._trace.value(self._queue, nanoseconds(now), self._counts.issued - self._counts.completed)

    def finish(self) -> None:
        """Nothing: what is under way ends at an instant that is not known yet."""
