"""Detects that a simulation cannot go on: circular waits, waits without a cause, and time that does not pass."""

from collections.abc import Callable, Iterable
from itertools import count
from math import inf

import simpy
from simpy.events import URGENT

from sim.clock import Daemon, Gate, succeed_after
from sim.cpu import Burst
from sim.error import UserError
from sim.lock import Turn
from sim.request import Request


class Stuck(UserError):
    """Processes wait for events that cannot happen; the message names both."""


Named = Iterable[tuple[str, simpy.Process]]
EVENTS_AT_ONE_INSTANT = 1_000_000


class _Reached(Exception):
    """The instant or the event to run to is here."""


def stop(_: simpy.Event) -> None:
    """As a callback of an event that is to end ``advance``."""
    raise _Reached


def nothing() -> None:
    """The check of a run without one."""


def advance(
    env: simpy.Environment, until: float, look: Callable[[], None] = nothing, every: int = EVENTS_AT_ONE_INSTANT
) -> int:
    """Run to *until*, before what happens then, or to an event with the callback ``stop``; how many events that took.

    *look* is called after each *every* events. Stuck where a million happen at once.
    """
    if until < inf:
        marker = simpy.Event(env)
        marker.callbacks.append(stop)
        # Urgent, so that what an interval counts does not hang on when the marker was made.
        succeed_after(marker, until - env.now, priority=URGENT)
    many = min(every, EVENTS_AT_ONE_INSTANT)
    events = since = 0
    began = env.now
    step = env.step
    try:
        for done in count(0, many):
            for events in range(done, done + many):  # noqa: B007 - read once the loop is left
                step()
            look()
            if env.now != began:
                began, since = env.now, done + many
            elif done + many - since >= EVENTS_AT_ONE_INSTANT:
                raise Stuck(f"time stands still at {began:g} s: something goes round and round in no time")
    except _Reached:
        pass
    return events


def check_not_stuck(env: simpy.Environment, processes: Named) -> None:
    """Stuck where a process waits for an event that nothing will trigger."""
    alive = [(name, process) for name, process in processes if process.is_alive]
    moving = _clock_moves(env)
    stuck = [f"{name} waits for {_target(process)}" for name, process in alive
             if not _comes(process.target, moving, [])]
    if stuck:
        shown = ", ".join(stuck[:8]) + (f" and {len(stuck) - 8} more" if len(stuck) > 8 else "")
        raise Stuck(f"stuck at {env.now:g} s: {shown}")


def _clock_moves(env: simpy.Environment) -> bool:
    """Whether an event is scheduled that has a callback other than a daemon's."""
    heard = (callback for *_, event in env._queue for callback in event.callbacks or ())
    return any(not isinstance(getattr(callback, "__self__", None), Daemon) for callback in heard)


def _comes(event: simpy.Event | None, moving: bool, seen: list[simpy.Event]) -> bool:
    """Whether *event* may still happen: a lock is granted if its holder goes on, a gate may open while time *moves*."""
    if event is None or event.triggered or isinstance(event, Burst):
        return True
    if event in seen:
        return False
    seen = [*seen, event]
    if isinstance(event, Turn):
        holder = event.lock.holder
        return holder is not None and holder.is_alive and _comes(holder.target, moving, seen)
    if isinstance(event, simpy.Process):
        return _comes(event.target, moving, seen)
    if isinstance(event, simpy.events.Condition):
        needed = all if event._evaluate is simpy.events.Condition.all_events else any
        return needed(_comes(part, moving, seen) for part in event._events)
    return moving and isinstance(event, Gate | Request)


def _target(process: simpy.Process) -> str:
    event = process.target
    if isinstance(event, Turn):
        return f"lock {event.lock.name} held by {event.lock.holder_name}"
    return event.name if isinstance(event, Gate) else "something that nobody will cause"
