"""A simulated clock held to the wall clock: what is due happens, and what comes from outside comes now."""

from collections.abc import Callable
from math import floor, inf

import simpy

from sim.error import UserError

TICKS = 2**20
"""Ticks a second. What comes from outside comes at a whole tick, about a microsecond: such times lose nothing when they
are subtracted, added, written and read, so that a replay of the same arrivals is the same to the last bit."""
SLOWEST, FASTEST = 0.001, 1000.0


class PacedClock:
    """Simulated seconds go by *speed* times as fast as those of *wall*, from now on.

    It does as much as is due when it is called, and no more. Where that takes longer than it may, later events are
    late: how late, its caller sees by comparing *wall_at* with the wall clock.
    """

    def __init__(self, env: simpy.Environment, wall: Callable[[], float], speed: float = 1.0) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise UserError(f"--speed must be from {SLOWEST:g} to {FASTEST:g}, not {speed:g}")
        self.env = env
        self.wall = wall
        self.speed = speed
        self._began = wall()
        self._tick = 0

    def instant(self, wall: float) -> float:
        """The simulated time when the wall clock says *wall*; the simulation may lag behind."""
        return (wall - self._began) * self.speed

    def wall_at(self, instant: float) -> float:
        """When it will be the simulated *instant*, by the wall clock; infinity for infinity."""
        return self._began + instant / self.speed

    def due(self) -> float:
        """When, by the wall clock, something is to happen next; infinity where nothing is."""
        return self.wall_at(self.env.peek())

    def catch_up(self, ahead: float = 0.0) -> None:
        """Let happen what is due, or will be in *ahead* seconds of the wall clock."""
        self._until(self.instant(self.wall() + ahead))

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        """Let *arrive*, which *came* at that time of the wall clock, happen then, or now if other things did since.

        It is an event of its own: all that is due comes before it, and nothing beside it.
        """
        instant = max(self.env.now, self.instant(came))
        self._tick = max(self._tick, floor(instant * TICKS)) + 1
        while self._meets(self._tick / TICKS):
            self._tick += 1
        instant = self._tick / TICKS
        simpy.Timeout(self.env, instant - self.env.now).callbacks.append(lambda _: arrive())
        self._until(instant)

    def finish(self, events: Callable[[], bool]) -> None:
        """Go on without regard to the wall clock while there are *events* that are waited for."""
        while events() and self.env.peek() < inf:
            self.env.step()

    def _until(self, instant: float) -> None:
        env = self.env
        while env.peek() <= instant:
            env.step()

    def _meets(self, instant: float) -> bool:
        """Let happen what comes before *instant*; whether something comes just then."""
        env = self.env
        while env.peek() < instant:
            env.step()
        return env.peek() == instant
