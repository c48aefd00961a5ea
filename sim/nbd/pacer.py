"""The paced clock within an event loop: it is woken when something is due, as exactly as the loop can."""

import asyncio
import selectors
from collections.abc import Callable
from math import inf
from typing import Protocol

from sim.nbd.paced import PacedClock


class Pace(Protocol):
    """What brings commands onto the simulated clock."""

    def enter(self, arrive: Callable[[], None]) -> None:
        """Let *arrive* happen at this moment of simulated time."""
        ...

    def late(self) -> float:
        """By how many seconds the event that happened last is behind the wall clock now."""
        ...


def precise_loop() -> asyncio.AbstractEventLoop:
    """An event loop that wakes within some 0.1 ms; epoll, which the usual one has, counts milliseconds."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


class Pacer:
    """*clock*'s wall clock is that of *loop*. *failed* gets the exception of a simulation that breaks down."""

    def __init__(self, clock: PacedClock, loop: asyncio.AbstractEventLoop) -> None:
        self.clock = clock
        self.failed: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._arm()

    def enter(self, arrive: Callable[[], None]) -> None:
        self._do(lambda: self.clock.enter(arrive))

    def late(self) -> float:
        clock = self.clock
        return max(0.0, clock.wall() - clock.wall_at(clock.env.now))

    def fail(self, error: object) -> None:
        """Something of the server broke down, with the exception *error* if it is known."""
        if not self.failed.done():
            self.failed.set_exception(error if isinstance(error, Exception) else RuntimeError("the event loop failed"))

    def stop(self) -> None:
        """Be woken no more."""
        if self._timer is not None:
            self._timer.cancel()
        self.failed.cancel()

    def _wake(self) -> None:
        self._timer = None
        self._do(self.clock.catch_up)

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
        due = self.clock.due()
        if self._timer is not None:
            if self._timer.when() == due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._wake) if due < inf else None
