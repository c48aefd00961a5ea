"""Counts that also show what they count: a drive's queue, arm, and requests with their phases; levels of a part."""

from collections.abc import Callable, Mapping
from math import isfinite

import simpy

from sim.disc.counts import DriveCounts
from sim.disc.drive import Drive
from sim.measure.tracing.arm import TracedArm
from sim.measure.tracing.queue import TracedQueue
from sim.measure.tracing.trace import Notes, TimelineTrace, nanoseconds
from sim.request import Access, Service

PHASES = ("overhead", "seek", "rotation", "transfer", "channel")


class TracedCounts(DriveCounts):
    """The counts of *drive*, which takes them in place of its own, as long as nothing has been counted yet."""

    def __init__(self, drive: Drive, trace: TimelineTrace, name: str) -> None:
        assert not drive.counts.issued, f"{name} was at work before anybody looked"
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

    def leave(self, now: float, access: Access, service: Service) -> None:
        super().leave(now, access, service)
        self._present.served = None
        self._show(access.op.value, now, service, self._notes(access, service.queue))
        self._arm.served(self._began, service, access, self._present.via, now)
        self._trace.value(self._queue_counter, nanoseconds(now), self.issued - self.completed)
        self.then()

    def finish(self) -> None:
        """What is being served at the end of the run, as far as it has got, and what waits then."""
        now, serving, access = self._env.now, self._serving, self._present.served
        if serving is not None:
            self._show("unfinished", now, serving, () if access is None else self._notes(access, serving.queue))
            if access is not None and isfinite(serving.seek):
                self._arm.served(self._began, serving, access, self._present.via, now)
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

    def _show(self, name: str, now: float, service: Service, notes: Notes) -> None:
        """A request, and its phases one after the other; none goes on beyond *now*."""
        trace, track = self._trace, self._track
        end = self._began
        shown = nanoseconds(end)
        trace.begin(track, name, shown, notes)
        for phase, seconds in zip(PHASES, service[1:], strict=True):
            end = min(end + seconds, now)
            until = nanoseconds(end)
            if until > shown:
                trace.begin(track, phase, shown)
                trace.end(track, until)
                shown = until
        trace.end(track, nanoseconds(now))


class Levels:
    """Samples *levels* whenever a part reports activity, so that no event is needed for it."""

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
        """Show what is not as it was."""
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
