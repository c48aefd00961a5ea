"""Makes simulated time pass at the speed of the wall clock (PacedClock), by wake-ups in an event loop (Pacer)."""

import asyncio
import selectors
from collections.abc import Callable
from math import floor, inf
from typing import Protocol

import simpy

from spindle.sim.error import UserError

# A simulated clock that follows the wall clock: events happen when they are due, commands enter when they arrive.

TICK_RATE = 2**20
"""Ticks a second. Commands enter at a whole tick, about a microsecond: such times lose nothing when they
are subtracted, added, written and read, so that a replay of the same arrivals is the same to the last bit."""
MIN_SPEED, MAX_SPEED = 0.001, 1000.0
"""Bounds of the factor by which simulated time passes faster."""


class PacedClock:
    """A clock whose simulated seconds pass *speed* times as fast as those of *wall*, from now on.

    Each call does what is due, and no more. If that takes too long, later events are late; the caller sees it by
    comparing *wall_at* with the wall clock.
    """

    def __init__(self, env: simpy.Environment, wall: Callable[[], float], speed: float = 1.0) -> None:
        if not MIN_SPEED <= speed <= MAX_SPEED:
            raise UserError(f"--speed must be from {MIN_SPEED:g} to {MAX_SPEED:g}, not {speed:g}")
        self.env = env
        self.wall = wall
        self.speed = speed
        self._began = wall()
        self._tick = 0

    def instant(self, wall: float) -> float:
        """Return the simulated time when the wall clock shows *wall*; the simulation may lag behind it."""
        return (wall - self._began) * self.speed

    def wall_at(self, instant: float) -> float:
        """Return the wall clock's time of the simulated *instant*; infinity for infinity."""
        return self._began + instant / self.speed

    def due(self) -> float:
        """Return the wall clock's time of the next event; infinity if there is none."""
        return self.wall_at(self.env.peek())

    def catch_up(self, ahead: float = 0.0) -> None:
        """Run the events that are due, or will be in *ahead* seconds of the wall clock."""
        self._run_until(self.instant(self.wall() + ahead))

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        """Call *arrive* at the simulated time of *came*, by the wall clock; now, if later events have happened since.

        It has an instant of its own: all events due before it have happened, and none is at the same time.
        """
        instant = max(self.env.now, self.instant(came))
        self._tick = max(self._tick, floor(instant * TICK_RATE)) + 1
        while self._meets(self._tick / TICK_RATE):
            self._tick += 1
        instant = self._tick / TICK_RATE
        simpy.Timeout(self.env, instant - self.env.now).callbacks.append(lambda _: arrive())
        self._run_until(instant)

    def finish(self, events: Callable[[], bool]) -> None:
        """Run on, as fast as possible, while *events* returns true."""
        while events() and self.env.peek() < inf:
            self.env.step()

    def _run_until(self, instant: float) -> None:
        env = self.env
        while env.peek() <= instant:
            env.step()

    def _meets(self, instant: float) -> bool:
        """Run events before *instant*; return True if one falls exactly on it."""
        env = self.env
        while env.peek() < instant:
            env.step()
        return env.peek() == instant


AWAKE_TIME = 0.0003
"""Seconds before an event in which the loop does not sleep, as a sleeping program may take that long to wake."""
LEAD_STEP, MAX_LEAD = 0.000005, 0.0005
"""Seconds by which one reply changes the lead, and the largest lead."""


class Pace(Protocol):
    """Enters commands into simulated time, and tells how late events are."""

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        """Call *arrive* at the simulated time of *came*, by the wall clock, or as soon after that as possible."""

    def seconds_late(self) -> float:
        """Return the seconds by which the last event is behind the wall clock now; negative if it is ahead."""

    def note_reply(self, late: float) -> None:
        """Note a reply that was sent *late* seconds after its event was to happen."""


def precise_loop() -> asyncio.AbstractEventLoop:
    """Return an event loop that wakes to within some 0.1 ms; the usual one, on epoll, counts whole milliseconds."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


class Pacer:
    """Runs *clock* in step with the clock of *loop*; *failed* gets the exception of a simulation that breaks down.

    An event and its reply take some 0.2 ms of computing. They are begun earlier by *lead*, which is adjusted as the
    server runs so that half of the replies come late and half early.
    """

    def __init__(self, clock: PacedClock, loop: asyncio.AbstractEventLoop) -> None:
        self.clock = clock
        self.failed: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._due = inf
        self._waking = False
        self.lead = 0.0
        self._arm()

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        self._do(lambda: self.clock.enter(arrive, came))

    def seconds_late(self) -> float:
        clock = self.clock
        return clock.wall() - clock.wall_at(clock.env.now)

    def note_reply(self, late: float) -> None:
        """Adjust the lead by a reply's lateness; a command due at once could not begin earlier, and does not count."""
        if self._waking:
            self.lead = min(max(0.0, self.lead + (LEAD_STEP if late > 0.0 else -LEAD_STEP)), MAX_LEAD)

    def fail(self, error: object) -> None:
        """Note that the server broke down, with the exception *error* if it is known."""
        if not self.failed.done():
            self.failed.set_exception(error if isinstance(error, Exception) else RuntimeError("the event loop failed"))

    def stop(self) -> None:
        """Cancel the next wake-up."""
        if self._timer is not None:
            self._timer.cancel()
        self.failed.cancel()

    def _wake(self) -> None:
        """Run the events that are due; stay awake for one that is due soon, while commands are still taken."""
        self._timer = None
        if self.clock.wall() + self.lead < self.clock.due() and not self.failed.done():
            self._timer = self._loop.call_later(0.0, self._wake)
            return
        self._waking = True
        self._do(lambda: self.clock.catch_up(self.lead))
        self._waking = False

    def _do(self, work: Callable[[], None]) -> None:
        if self.failed.done():
            return
        try:
            work()
        except Exception as error:
            self.fail(error)
        else:
            self._arm()

    def _arm(self) -> None:
        """Set the wake-up shortly before the next event, because waking takes time."""
        due = self.clock.due()
        if due != self._due or self._timer is None:
            if self._timer is not None:
                self._timer.cancel()
            self._due = due
            self._timer = self._loop.call_at(due - AWAKE_TIME - self.lead, self._wake) if due < inf else None
