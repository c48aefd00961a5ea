"""Finding out that a simulation cannot go on: who waits for whom, and time that does not pass."""

from collections.abc import Iterable

import simpy

from sim.clock import Gate
from sim.lock import Turn
from sim.mistake import Mistake
from sim.request import Request


class Stuck(Mistake):
    """Everybody waits for somebody; the message names who waits for what."""


Named = Iterable[tuple[str, simpy.Process]]
EVENTS_AT_ONE_INSTANT = 1_000_000


def advance(env: simpy.Environment, until: float) -> int:
    """Run to *until*; how many events that took. Stuck where a million of them happen at one instant."""
    marker = simpy.Timeout(env, until - env.now)
    events = 0
    step = env.step
    while marker.callbacks is not None:
        began = env.now
        for _ in range(EVENTS_AT_ONE_INSTANT):
            step()
            events += 1
            if marker.callbacks is None:
                break
        else:
            if env.now == began:
                raise Stuck(f"time stands still at {began:g} s: something goes round and round in no time")
    return events - 1


def check_not_stuck(env: simpy.Environment, processes: Named) -> None:
    """Stuck where a process waits for something that nobody is going to cause."""
    alive = [(name, process) for name, process in processes if process.is_alive]
    moving = any(_moves(process) for _, process in alive)
    stuck = [f"{name} waits for {_said(process)}" for name, process in alive if not _may_go_on(process, moving)]
    if stuck:
        shown = ", ".join(stuck[:8]) + (f" and {len(stuck) - 8} more" if len(stuck) > 8 else "")
        raise Stuck(f"stuck at {env.now:g} s: {shown}")


def _moves(process: simpy.Process) -> bool:
    """Whether *process* itself is about to go on: what it waits for is scheduled, or in service somewhere."""
    return _happens(process.target)


def _happens(event: simpy.Event | None) -> bool:
    if event is None or event.triggered or isinstance(event, Request):
        return True
    if isinstance(event, simpy.Process):
        return _happens(event.target)
    if isinstance(event, simpy.events.Condition):
        return any(_happens(part) for part in event._events)
    return type(event).__name__ == "_Burst"


def _may_go_on(process: simpy.Process, moving: bool) -> bool:
    """Follow locks to their holders; a gate may open as long as anybody moves."""
    seen = []
    event = process.target
    while isinstance(event, Turn) and event not in seen and not event.triggered:
        seen.append(event)
        holder = event.lock.holder
        if holder is None or not holder.is_alive:
            return False
        event = holder.target
    return _happens(event) or (isinstance(event, Gate) and moving)


def _said(process: simpy.Process) -> str:
    event = process.target
    if isinstance(event, Turn):
        return f"lock {event.lock.name} held by {event.lock.holder_name}"
    return event.name if isinstance(event, Gate) else "something that nobody will cause"
