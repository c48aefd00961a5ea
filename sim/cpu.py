"""CPUs that serve bursts of work first come, first served, or preemptively by level; and idle time by its cause."""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from math import fsum, inf
from typing import Any, Protocol, runtime_checkable

import simpy

from spindle.sim.clock import CPU, CPU_WAIT, Account, Pause, Phase, check_delay, happen, succeed_after
from spindle.sim.error import UserError
from spindle.sim.parts import register

INTERRUPT = 0
"""The level of interrupt routines: ahead of every process, and never preempted."""

MAX_CORES = 1024
MAX_REMEMBERED = 100
"""Finished bursts are summed in batches of this size, which costs less than one at a time."""

WORK = (Phase.CPU, Phase.CACHE, Phase.MANAGER, Phase.INTERRUPT)


@runtime_checkable
class Cpu(Protocol):
    """One processor. A smaller *level* is more urgent; *kind* is the phase to charge.

    The first *call* of a burst's *seconds* are Phase.CPU whatever its kind: the system call that led to it. The event
    of a burst is that of its end.
    """

    def burst(
        self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0
    ) -> simpy.Event: ...

    def busy(self) -> float: ...

    def reading(self) -> dict[str, float]: ...


class FcfsCpu:
    """A CPU that serves bursts first come, first served, whatever their level: one event a burst.

    The end of a burst is known when it is requested, so its waiter sleeps until then.

    >>> Computer(cpu=FcfsCpu).machine.cpu.busy()
    0.0
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._free_at = env.now
        self._idle = float(env.now)  # also what passed before there was this CPU
        self._seconds = [0.0] * len(WORK)
        self._unfinished: list[tuple[Phase, float, float]] = []
        self.bursts = 0
        register(env, self)

    def burst(
        self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0
    ) -> simpy.Event:
        if not 0.0 <= seconds < inf:
            check_delay(seconds)
        env = self._env
        now = env._now
        begin = self._free_at
        if begin > now:
            account.charge(CPU_WAIT, now, begin)
        else:
            self._idle += now - begin
            begin = now
        self._free_at = end = begin + seconds
        self.bursts += 1
        unfinished = self._unfinished
        if call:
            account.charge(CPU, begin, begin + call)
            unfinished.append((CPU, begin, begin + call))
            begin += call
        account.charge(kind, begin, end)
        unfinished.append((kind, begin, end))
        if len(unfinished) > MAX_REMEMBERED:
            self._finish(now)
        return Pause(env, end - now)

    def _finish(self, now: float) -> None:
        """Add up the bursts that are over; they end in the order in which they began."""
        seconds, over = self._seconds, 0
        for kind, begin, end in self._unfinished:
            if end > now:
                break
            seconds[kind] += end - begin
            over += 1
        del self._unfinished[:over]

    def busy(self) -> float:
        """Seconds of work done until now, exact at any instant: the time that has passed without idling."""
        now = self._env.now
        return min(now, self._free_at) - self._idle

    def reading(self) -> dict[str, float]:
        now, done = self._env.now, list(self._seconds)
        for kind, begin, end in self._unfinished:
            done[kind] += max(0.0, min(end, now) - begin)
        return _reading(self.busy(), self.bursts, done)

    @property
    def free_at(self) -> float:
        """The instant at which all bursts that were asked for are over."""
        return self._free_at


class CoresCpu:
    """A CPU of several *cores*, each an FcfsCpu; a burst goes to the core that is free first, and stays there.

    Seconds are those of the mean core, so that a busy CPU is busy for all of the time. Each core is checked by itself.
    """

    def __init__(self, env: simpy.Environment, cores: int) -> None:
        if not 1 <= cores <= MAX_CORES:
            raise UserError(f"cores must be 1 to {MAX_CORES}, not {cores!r}")
        self._cores = [FcfsCpu(env) for _ in range(cores)]

    def burst(
        self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0
    ) -> simpy.Event:
        core = min(self._cores, key=lambda each: each.free_at)
        return core.burst(seconds, level, kind, account, call)

    def busy(self) -> float:
        return fsum(core.busy() for core in self._cores) / len(self._cores)

    def reading(self) -> dict[str, float]:
        readings = [core.reading() for core in self._cores]
        totals = {name: fsum(each[name] for each in readings) for name in readings[0]}
        return {name: total if name == "bursts" else total / len(readings) for name, total in totals.items()}


class Burst(simpy.Event):
    """A burst on the preemptive CPU: the event of its end, and the seconds that are left.

    A timer, not the burst, is on the clock: a preempted burst must not happen at its first planned end.
    """

    def __init__(
        self, env: simpy.Environment, seconds: float, level: int, kind: Phase, account: Account, call: float
    ) -> None:
        self.env = env  # with the next line, all that Event.__init__ would do
        self.callbacks = []
        self.left = seconds
        self.level = level
        self.kind = kind
        self.account = account
        self.call = call
        self.since: float = env._now


class PreemptiveCpu:
    """A CPU that serves the most urgent level first, preemptive-resume, first come first served within a level.

    A level named in *slices* shares the CPU among its bursts, that many seconds at a time. A burst that is
    preempted goes back to the head of its level and gets a fresh slice. One event a burst, one more for
    each preemption and for each slice that does not end it.

    >>> Computer(cpu=PreemptiveCpu).machine.cpu.busy()
    0.0
    """

    def __init__(self, env: simpy.Environment, slices: Mapping[int, float] | None = None) -> None:
        self._env = env
        self._slices = dict(slices or {})
        for level, seconds in self._slices.items():
            if not seconds > 0.0:
                raise ValueError(f"the time slice of level {level} must be positive, not {seconds!r} s")
        self._ready: list[tuple[int, int, Burst]] = []
        self._running: Burst | None = None
        self._began: float
        # Set anew for each burst and each slice, which is cheaper than a new event.
        self._timer = simpy.Event(env)
        self._burst_ends: list[Callable[[Any], None]] = [self._end]
        self._slice_ends: list[Callable[[Any], None]] = [self._end_slice]
        self._order = 0
        self._seconds = [0.0] * len(WORK)
        self._idle = float(env.now)  # also what passed before there was this CPU
        self._idle_since = env.now
        self.bursts = 0
        self.preemptions = 0
        register(env, self)

    def burst(
        self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0
    ) -> Burst:
        if not 0.0 <= seconds < inf:
            check_delay(seconds)
        burst = Burst(self._env, seconds, level, kind, account, call)
        self.bursts += 1
        self._order += 1
        running = self._running
        if running is None:
            self._idle += burst.since - self._idle_since
            self._run(burst)
        elif level < running.level and running.level != INTERRUPT:
            self._preempt(running)
            self._run(burst)
        else:
            heappush(self._ready, (level, self._order, burst))
        return burst

    def _run(self, burst: Burst) -> None:
        now: float = self._env._now
        if now > burst.since:
            burst.account.charge(CPU_WAIT, burst.since, now)
        self._running = burst
        self._began = now
        timer = self._timer
        if self._slices and burst.left > self._slices.get(burst.level, inf):
            timer.callbacks = self._slice_ends
            succeed_after(timer, self._slices[burst.level])
        else:
            timer.callbacks = self._burst_ends
            succeed_after(timer, burst.left)

    def _end(self, _: simpy.Event) -> None:
        """End the running burst; the next one begins before the waiters of this one resume."""
        burst = self._running
        assert burst is not None
        self._charge(burst)
        if self._ready:
            self._run(heappop(self._ready)[2])
        else:
            self._running = None
            self._idle_since = self._env._now
        happen(burst)

    def _end_slice(self, _: simpy.Event) -> None:
        assert self._running is not None
        self._order += 1
        self._stop(self._running, self._order)
        self._run(heappop(self._ready)[2])

    def _preempt(self, burst: Burst) -> None:
        self.preemptions += 1
        self._timer.callbacks = []  # it stays on the clock, for an instant that means nothing now
        self._timer = simpy.Event(self._env)
        self._stop(burst, -self._order)

    def _stop(self, burst: Burst, place: int) -> None:
        """Take *burst* off the CPU before its end; *place* orders it among the bursts of its level."""
        now: float = self._env._now
        left = max(0.0, burst.left - (now - self._began))
        self._charge(burst)
        burst.left, burst.since = left, now
        heappush(self._ready, (burst.level, place, burst))

    def _charge(self, burst: Burst) -> None:
        """Charge *burst* for its time on the CPU: first the rest of its system call, then its kind."""
        began, now = self._began, self._env._now
        account, seconds, call = burst.account, self._seconds, burst.call
        if call:
            done = call if call <= now - began else now - began
            account.charge(CPU, began, began + done)
            seconds[CPU] += done
            began += done
            burst.call -= done
        account.charge(burst.kind, began, now)
        seconds[burst.kind] += now - began

    def busy(self) -> float:
        """Seconds of work done until now, exact at any instant: the time that has passed without idling."""
        now: float = self._env._now
        return now - self._idle - (now - self._idle_since if self._running is None else 0.0)

    def reading(self) -> dict[str, float]:
        done = list(self._seconds)
        running = self._running
        if running is not None:
            call = min(running.call, self._env.now - self._began)
            done[CPU] += call
            done[running.kind] += self._env.now - self._began - call
        return _reading(self.busy(), self.bursts, done) | {"preemptions": float(self.preemptions)}


def _reading(busy: float, bursts: int, seconds: list[float]) -> dict[str, float]:
    by_kind = {phase.name.lower(): spent for phase, spent in zip(WORK, seconds, strict=True)}
    return {"busy": busy, "bursts": float(bursts), **{f"busy_{name}": spent for name, spent in by_kind.items()}}


# Idle time of a CPU, by what processes wait for meanwhile.

class Stopped:
    """A count of the processes stopped for one cause: how many in all, and how many now."""

    __slots__ = ("_changed", "ever", "now")

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self.ever = 0
        self.now = 0

    def enter(self) -> None:
        self.ever += 1
        self.now += 1
        if self.now == 1:
            self._changed()

    def leave(self) -> None:
        assert self.now > 0, "a process goes on that was not stopped"
        self.now -= 1
        if not self.now:
            self._changed()


class IdleTime:
    """The idle time of the *cpu*, divided by the causes for which processes are stopped meanwhile.

    *causes* gives for each cause the number of its sum. With processes stopped for several causes the first counts,
    with none the last sum grows. It is updated only when the first wait for a cause begins or the last one ends; the
    CPU's idle time is exact at any instant, so this takes no event.
    """

    def __init__(self, env: simpy.Environment, cpu: Cpu, causes: Sequence[int]) -> None:
        self._env = env
        self._cpu = cpu
        self.causes = [Stopped(self._advance) for _ in causes]
        self._sums = list(zip(self.causes, causes, strict=True))
        self._spent = [0.0] * (max(causes) + 2)
        self._growing = -1
        self._idled = env.now - cpu.busy()

    def _advance(self) -> None:
        """Add the idle time since the last change to its sum, and find the sum that grows from now on."""
        idled = self._env._now - self._cpu.busy()
        self._spent[self._growing] += idled - self._idled
        self._idled = idled
        self._growing = next((number for cause, number in self._sums if cause.now), -1)

    def seconds(self) -> list[float]:
        """Return the sums until now, and change none."""
        spent = list(self._spent)
        spent[self._growing] += self._env._now - self._cpu.busy() - self._idled
        return spent
