"""One run of a machine: advance it to the end of the warm-up and of the window, check the laws, read the counters."""

from collections.abc import Callable
from math import ceil
from typing import Protocol, runtime_checkable

from sim.disc.drive import Drive
from sim.error import UserError
from sim.machine import Machine
from sim.measure.laws import check_cpu, check_drive, check_terminals
from sim.measure.recorder import Recorder
from sim.measure.result import difference
from sim.measure.stuck import advance, check_not_stuck
from sim.terminal import Desk
from sim.units import MINUTE

Watch = Callable[[float, float], None]
"""Told the time now and the time of the end, now and then."""


@runtime_checkable
class Onlooker(Protocol):
    """A Watch that wants to know the machine, before anything happens in it."""

    def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None: ...


class Together:
    """Several watches as one: each is told what the one would be."""

    def __init__(self, *watches: Watch) -> None:
        self._watches = watches

    def __call__(self, now: float, end: float) -> None:
        for watch in self._watches:
            watch(now, end)

    def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None:
        for watch in self._watches:
            if isinstance(watch, Onlooker):
                watch.attend(machine, desk, warm_up, end)


MOST_MINUTES = 1e6


def window(minutes: float, warm_up: float) -> tuple[float, float]:
    """Start and end, in seconds, of *minutes* measured after *warm_up* minutes; UserError where that cannot be."""
    if not 0.0 < minutes <= MOST_MINUTES:
        raise UserError(f"minutes must be positive and at most {MOST_MINUTES:g}, not {minutes!r}")
    if not 0.0 <= warm_up <= MOST_MINUTES:
        raise UserError(f"warm_up must be at least 0 and at most {MOST_MINUTES:g} minutes, not {warm_up!r}")
    return warm_up * MINUTE, (warm_up + minutes) * MINUTE


class Window:
    """What a run counted between the end of its warm-up and its own end."""

    def __init__(self) -> None:
        self.counters: dict[str, float] = {}
        self.intervals: list[dict[str, float]] = []
        self.events = 0


def simulate(
    machine: Machine,
    desk: Desk | None,
    recorder: Recorder,
    end: float,
    warm_up: float = 0.0,
    interval: float | None = None,
    watch: Watch | None = None,
) -> Window:
    """Run *machine* from now to *end*. *interval* seconds apart, a difference of all counters is kept.

    *watch* is told the time, and the end, now and then, for a progress bar. LawBroken, Stuck or CircularWait where the
    run contradicts itself or cannot go on.
    """
    if desk is not None:
        machine.parts["desk"] = desk
    if isinstance(watch, Onlooker):
        watch.attend(machine, desk, warm_up, end)
    counted = Window()
    counted.events = _advance(machine, warm_up, end, watch)
    first = previous = machine.reading()
    for instant in _instants(warm_up, end, interval):
        counted.events += _advance(machine, instant, end, watch)
        reading = machine.reading()
        counted.intervals.append({"until": instant, **difference(reading, previous)})
        previous = reading
    counted.counters = difference(previous, first)
    check_not_stuck(machine.env, machine.processes)
    if desk is not None:
        recorder.close(desk.terminals, machine.env.now)
    _check_laws(machine, desk, recorder, counted)
    return counted


def _instants(start: float, end: float, interval: float | None) -> list[float]:
    if interval is None:
        return [end]
    if not interval > 0.0 or (end - start) / interval > 1_000_000:
        raise UserError(f"interval must be positive and give at most a million readings, not {interval!r} s")
    whole = ceil((end - start) / interval - 1e-6)  # no sliver at the end where the interval divides the window
    return [*(start + number * interval for number in range(1, whole)), end]


STEPS = 50


def _advance(machine: Machine, until: float, end: float, watch: Watch | None) -> int:
    """Run to *until*, which may be now: then nothing happens, so that a window without warm-up misses nothing."""
    env = machine.env
    if until <= env.now:
        return 0
    if watch is None:
        return advance(env, until)
    events = 0
    start = env.now
    for step in range(1, STEPS):
        events += advance(env, max(env.now, start + (until - start) * step / STEPS))
        watch(env.now, end)
    events += advance(env, until)
    watch(env.now, end)
    return events


def _check_laws(machine: Machine, desk: Desk | None, recorder: Recorder, counted: Window) -> None:
    now = machine.env.now
    check_cpu(machine.cpu.reading(), now)
    for name, part in machine.parts.items():
        if isinstance(part, Drive):
            check_drive(name, part.reading(), now)
    if desk is not None:
        check_terminals(counted.counters, recorder.clipped, now)
