"""Runs a load on a machine and measures it in a window. Only this module advances the clock to the end of a run.

Counters of the warm-up are subtracted and the laws are checked. A run that contradicts itself or cannot continue
raises an error and returns no result.
"""

from collections.abc import Callable, Iterable
from itertools import count
from math import inf

import simpy
from simpy.events import URGENT

from spindle.sim.clock import Daemon, Gate, succeed_after
from spindle.sim.cpu import Burst
from spindle.sim.error import UserError
from spindle.sim.lock import Turn
from spindle.sim.machine import Machine
from spindle.sim.measure.laws import check_parts
from spindle.sim.measure.load import MAX_READINGS, Load, Mark, Window
from spindle.sim.measure.observer import Observers, Watch
from spindle.sim.measure.result import Recorder, Result, difference
from spindle.sim.parts import credits_of
from spindle.sim.request import Request
from spindle.sim.units import MINUTE

# Detects that a simulation cannot go on: circular waits, waits without a cause, and time that does not pass.

class Stuck(UserError):
    """Processes wait for events that cannot happen; the message names both."""


Named = Iterable[tuple[str, simpy.Process]]
EVENTS_AT_ONE_INSTANT = 1_000_000


class _Reached(Exception):
    """Raised to end ``advance``: the clock has reached the instant or the event to run to."""


def stop(_: simpy.Event) -> None:
    """End ``advance``; a callback of an event."""
    raise _Reached


def check_nothing() -> None:
    """Check nothing, for a run without a check."""


def advance(
    env: simpy.Environment, until: float, look: Callable[[], None] = check_nothing, every: int = EVENTS_AT_ONE_INSTANT
) -> int:
    """Run up to *until*, or to an event with the callback ``stop``; return the number of events.

    Events at *until* itself are left. *look* is called after each *every* events. Stuck where a million events happen
    at one instant.
    """
    if until < inf:
        marker = simpy.Event(env)
        marker.callbacks.append(stop)
        # Urgent, so that the counts of an interval do not depend on when the marker was made.
        succeed_after(marker, until - env.now, priority=URGENT)
    batch = min(every, EVENTS_AT_ONE_INSTANT)
    events = since = 0
    began = env.now
    step = env.step
    try:
        for done in count(0, batch):
            for events in range(done, done + batch):  # noqa: B007 - read once the loop is left
                step()
            look()
            if env.now != began:
                began, since = env.now, done + batch
            elif done + batch - since >= EVENTS_AT_ONE_INSTANT:
                raise Stuck(f"time stands still at {began:g} s: something goes round and round in no time")
    except _Reached:
        pass
    return events


def check_not_stuck(env: simpy.Environment, processes: Named) -> None:
    """Stuck where a process waits for an event that nothing will trigger."""
    moving = _clock_moves(env)
    stuck = [f"{name} waits for {_target(process)}" for name, process in processes
             if not _may_happen(process.target, moving, [])]
    if stuck:
        shown = ", ".join(stuck[:8]) + (f" and {len(stuck) - 8} more" if len(stuck) > 8 else "")
        raise Stuck(f"stuck at {env.now:g} s: {shown}")


def _clock_moves(env: simpy.Environment) -> bool:
    """Tell if an event is scheduled that has a callback other than a daemon's."""
    heard = (callback for *_, event in env._queue for callback in event.callbacks or ())
    return any(not isinstance(getattr(callback, "__self__", None), Daemon) for callback in heard)


def _may_happen(event: simpy.Event | None, moving: bool, seen: list[simpy.Event]) -> bool:
    """Tell if *event* may happen: a lock is granted if its holder can continue, a gate may open while time *moves*."""
    if event is None or event.triggered or isinstance(event, Burst):
        return True
    if event in seen:
        return False
    seen = [*seen, event]
    if isinstance(event, Turn):
        holder = event.lock.holder
        return holder is not None and holder.is_alive and _may_happen(holder.target, moving, seen)
    if isinstance(event, simpy.Process):
        return _may_happen(event.target, moving, seen)
    if isinstance(event, simpy.events.Condition):
        needed = all if event._evaluate is simpy.events.Condition.all_events else any
        return needed(_may_happen(part, moving, seen) for part in event._events)
    return moving and isinstance(event, Gate | Request)


def _target(process: simpy.Process) -> str:
    event = process.target
    if isinstance(event, Turn):
        return f"lock {event.lock.name} held by {event.lock.holder_name}"
    return event.name if isinstance(event, Gate) else "something that nobody will cause"


PROGRESS_CALLS = 50
"""Reports of progress to observers between two marks, or until a load ends."""
PROGRESS_EVENTS, STUCK_EVENTS = 32, 200_000
"""Events between two checks of a load without a known end: of its progress, and that it is not stuck."""


def run(
    machine: Machine, load: Load, window: Window, seed: object = 1, watch: Watch | None = None, keep_rows: bool = True
) -> Result:
    """Start *load* on *machine* and measure it through *window*; ``dataclasses.replace`` gives the result its name.

    *watch* is an observer, or a callback for progress. Without *keep_rows* responses are only summed and counted.
    LawBroken, Stuck or CircularWait where the run contradicts itself or cannot go on.

    >>> def job(log):
    ...     yield machine.env.timeout(5.0)
    >>> machine = Machine(simpy.Environment(), {})
    >>> run(machine, Programs({"job": job}), Window()).seconds
    5.0
    """
    observers, recorder = Observers(watch), Recorder(window.start, keep_rows)
    engine = _Engine(machine, load, window, observers)
    load.start(machine, seed, observers.tee(recorder))
    observers.attend(machine, load, window)
    engine.go(recorder)
    check_not_stuck(machine.env, machine.processes)
    check_parts(machine)
    load.check(engine.counters, recorder.clipped, engine.end)
    return Result("machine", {}, seed, window.start, engine.end, engine.counters, recorder, engine.intervals,
                  engine.events, built_of=credits_of(machine.env))  # fmt: skip


class _Engine:
    """One run: advances a machine from mark to mark of a window, and keeps the counters of each interval."""

    def __init__(self, machine: Machine, load: Load, window: Window, observers: Observers) -> None:
        self._machine = machine
        self._env = machine.env
        self._load = load
        self._window = window
        self._observers = observers
        # Taken before the load starts, so that nothing of its first instant is lost.
        self._first = self._previous = machine.reading()
        self._ended: simpy.Event | None = None
        self._looks = self._steps = 0
        self.counters: dict[str, float]
        self.intervals: list[dict[str, float]] = []
        self.events = 0
        self.end = window.end

    def go(self, recorder: Recorder) -> None:
        """Run to the end of the window and its tail; give *recorder* the responses under way when the window ends."""
        if not self._window.has_end:
            self._ended = self._load.end_event()
            self._ended.callbacks.append(stop)
        for instant, mark in self._window.marks():
            self._advance(instant)
            ended = self._ended is not None and self._ended.processed
            if mark is Mark.START:
                self._begin(ended)
            elif mark is Mark.INTERVAL:
                self._keep()
            if ended or mark is Mark.END:
                self._finish(recorder)
            if ended:
                self._observers.progress(self.end, self.end)
                return

    def _begin(self, ended: bool) -> None:
        """Begin the window: take its first reading, unless it begins with the load."""
        if ended:
            raise UserError(f"all was done after {self._env.now / MINUTE:.3g} minutes, within the warm-up")
        if self._window.start:
            self._first = self._machine.reading()
            if not self._window.throughout:
                self._previous = self._first

    def _keep(self) -> None:
        """Keep the counters of the interval that ends now."""
        if len(self.intervals) == MAX_READINGS:
            raise UserError(f"interval must give at most {MAX_READINGS} readings, not {self._window.interval!r} s")
        reading = self._machine.reading()
        self.intervals.append({"until": self._env.now, **difference(reading, self._previous)})
        self._previous = reading

    def _finish(self, recorder: Recorder) -> None:
        """End the window: keep its counters, and close *recorder*."""
        self.counters = difference(self._machine.reading(), self._first)
        if not self._window.has_end:
            self.end = self._env.now
        recorder.close(self._load.under_way(), self._env.now)

    def _advance(self, until: float) -> None:
        """Run to *until*; where that is now, process no event, so that a window without warm-up misses none."""
        env = self._env
        if until <= env.now:
            return
        if not self._window.has_end:
            self._advance_to_the_end(until)
            return
        start = env.now
        for step in range(1, PROGRESS_CALLS) if self._observers.any else ():
            self.events += advance(env, max(env.now, start + (until - start) * step / PROGRESS_CALLS))
            self._observers.progress(env.now, self._window.over)
        self.events += advance(env, until)
        self._observers.progress(env.now, self._window.over)

    def _advance_to_the_end(self, until: float) -> None:
        """Run to *until*, or to the end of the load if that is earlier."""
        try:
            every = PROGRESS_EVENTS if self._observers.any else STUCK_EVENTS
            self.events += advance(self._env, until, self._look, every)
        except simpy.core.EmptySchedule:
            check_not_stuck(self._env, self._machine.processes)
            raise Stuck(f"stuck at {self._env.now:g} s: nothing happens any more, and the load has not ended") from None
        self._tell()

    def _look(self) -> None:
        """In a run without a known end, check that it is not stuck, and report progress."""
        self._looks += 1
        if not self._observers.any or not self._looks % (STUCK_EVENTS // PROGRESS_EVENTS):
            check_not_stuck(self._env, self._machine.processes)
        self._tell()

    def _tell(self) -> None:
        """Report progress when one more step of the load is done, with the end extrapolated from it."""
        share = self._load.share()
        if share * PROGRESS_CALLS >= self._steps + 1:
            self._steps = int(share * PROGRESS_CALLS)
            self._observers.progress(self._env.now, self._env.now / share)
