"""Delays and background processes on SimPy's clock, integrals over time, and Account, a response's seconds by phase.

Delays are checked, because SimPy accepts NaN and infinity and then silently runs events in the wrong order.
"""

from collections.abc import Generator, Iterable
from enum import IntEnum
from heapq import heappush
from math import fsum, inf
from typing import Any

import simpy
from simpy.events import NORMAL, EventPriority

Wait = Generator[simpy.Event, Any, Any]
"""A blocking operation, called with ``yield from``; it yields only where it must wait."""


class Gate(simpy.Event):
    """An event that another process will trigger; *name* describes it in messages."""

    def __init__(self, env: simpy.Environment, name: str) -> None:
        super().__init__(env)
        self.name = name


def check_delay(seconds: float) -> float:
    """Return *seconds*; ValueError where they are negative, NaN or infinite."""
    if not 0.0 <= seconds < inf:
        raise ValueError(f"a delay must be finite and not negative, not {seconds!r} s")
    return seconds


class Pause(simpy.Event):
    """The event that happens *seconds* from now; a Timeout without checks, made in two thirds of the time."""

    def __init__(self, env: simpy.Environment, seconds: float) -> None:
        self.env = env  # all that Timeout.__init__ does, but for its check and the delay that its repr shows
        self.callbacks = []
        self._ok = True
        self._value = None
        heappush(env._queue, (env._now + seconds, NORMAL, next(env._eid), self))


def pause(env: simpy.Environment, seconds: float) -> Pause:
    """The event that happens *seconds* from now."""
    if not 0.0 <= seconds < inf:
        check_delay(seconds)
    return Pause(env, seconds)


def succeed_after(
    event: simpy.Event, seconds: float, value: object = None, priority: EventPriority = NORMAL
) -> None:
    """Schedule *event* for *seconds* from now: one entry on the heap instead of a timeout that triggers it.

    As with a Timeout, ``triggered`` is true at once; ask ``processed``. In this file alone SimPy's private fields
    are set, as SimPy's own Timeout does, and its heap is pushed on, as ``Environment.schedule`` does.
    """
    if not 0.0 <= seconds < inf:
        check_delay(seconds)
    event._ok = True
    event._value = value
    env = event.env
    heappush(env._queue, (env._now + seconds, priority, next(env._eid), event))


def happen(event: simpy.Event, value: object = None) -> None:
    """Trigger *event* within the current event: its callbacks run now, without an entry on the heap.

    For callbacks alone. A process would resume others in the middle of its own step.
    """
    event._ok = True
    event._value = value
    callbacks = event.callbacks
    assert callbacks is not None, "it has happened already"
    event.callbacks = None  # type: ignore[assignment]  # as SimPy marks what has been processed
    for callback in callbacks:
        callback(event)


class Daemon(simpy.Process):
    """A background process that never ends; it does not count as progress when a run is checked for being stuck."""


class _Background(simpy.Process):
    """A process whose *work* has already run to its *first* wait, so that SimPy needs no event to begin it."""

    def __init__(self, env: simpy.Environment, work: Wait, first: simpy.Event) -> None:
        self.env = env
        self.callbacks = []
        self._generator = work
        self._target = first
        first.callbacks.append(self._resume)


def begin(env: simpy.Environment, work: Wait) -> None:
    """Start *work* without waiting for it: run it at once up to its first wait, and the rest as a process.

    The first part runs as the caller's process; so *work* must not take a Lock in it.
    """
    try:
        first = next(work)
        while first.callbacks is None:  # it has happened already
            first = work.send(first.value) if first.ok else work.throw(first.value)
    except StopIteration:
        return
    _Background(env, work, first)


# Integrals over time, exact at any instant.

class TimeWeighted:
    """A number that varies over time: its value is ``now``, its integral over time ``seconds()``."""

    __slots__ = ("_env", "_seconds", "_since", "now")

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._seconds = 0.0
        self._since: float = env.now
        self.now = 0

    def change(self, by: int) -> None:
        now: float = self._env._now
        self._seconds += self.now * (now - self._since)
        self._since = now
        self.now += by

    def seconds(self) -> float:
        return self._seconds + self.now * (self._env.now - self._since)


class Population(TimeWeighted):
    """A count of those present, as of users or requests. ``seconds()`` is N times T in Little's law."""

    __slots__ = ("entered",)

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self.entered = 0

    def enter(self) -> None:
        self.change(1)
        self.entered += 1

    def leave(self) -> None:
        assert self.now > 0, "somebody leaves who never entered"
        self.change(-1)


# Whose time it is: an Account adds up where the seconds of one transaction went.
#
# The phases of a response are charged as intervals, so that their sum is the response itself, also where accesses are
# shared: each waiter is charged the pieces that lie within its own wait.

class Phase(IntEnum):
    """Phases of a response. The first four are work of a CPU; the rest are waits and work of other parts.

    >>> Phase.SEEK.name
    'SEEK'
    """

    CPU = 0
    CACHE = 1
    MANAGER = 2
    INTERRUPT = 3
    CPU_WAIT = 4
    LINE = 5
    LOCK = 6
    MEMORY = 7
    WRITE_WAIT = 8
    QUEUE = 9
    OVERHEAD = 10
    SEEK = 11
    ROTATION = 12
    TRANSFER = 13
    CHANNEL = 14


CPU, CACHE, CPU_WAIT, LINE, LOCK = Phase.CPU, Phase.CACHE, Phase.CPU_WAIT, Phase.LINE, Phase.LOCK
"""Phases as globals: before CPython 3.12 each look-up by way of the class costs as much as a call."""

PHASE_COUNT = len(Phase)
Piece = tuple[Phase, float, float]
"""A phase of a response, and the instants at which it begins and ends."""


class Account:
    """The seconds of one transaction, or of one piece of background work, by Phase."""

    __slots__ = ("name", "seconds", "charges")

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds = [0.0] * PHASE_COUNT
        self.charges = 0

    def charge(self, phase: Phase, begin: float, end: float) -> None:
        """Add the time from *begin* to *end* to *phase*."""
        self.seconds[phase] += end - begin
        self.charges += 1

    def share(self, pieces: Iterable[Piece], joined: float, resumed: float) -> None:
        """Charge the phases of *pieces* that lie within the wait from *joined* to *resumed*."""
        for phase, begin, end in pieces:
            if begin < joined:
                begin = joined
            if end > resumed:
                end = resumed
            if end > begin:
                self.charge(phase, begin, end)

    def total(self) -> float:
        return fsum(self.seconds)


class Ledger(Account):
    """An account that also keeps when each phase began and ended, for work whose time several waiters share."""

    __slots__ = ("pieces",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.pieces: list[Piece] = []

    def charge(self, phase: Phase, begin: float, end: float) -> None:
        super().charge(phase, begin, end)
        self.pieces.append((phase, begin, end))

    def charge_all(self, pieces: Iterable[Piece]) -> None:
        """Add the time of all *pieces*, as of a request below that is done."""
        for piece in pieces:
            self.charge(*piece)
