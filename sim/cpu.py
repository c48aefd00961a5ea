"""The CPU: bursts of work, first come first served at one event a burst, or preemptive by level with time slices."""

from collections.abc import Mapping
from heapq import heappop, heappush
from math import inf
from typing import Protocol

import simpy

from sim.account import CPU, CPU_WAIT, Account, Part
from sim.clock import check_delay, happen

INTERRUPT = 0
"""The level of interrupt routines: ahead of every process, and nothing takes the CPU from them."""

MANY = 100
"""So many bursts are remembered before those that are over are added up, which is cheaper done together."""

WORK = (Part.CPU, Part.CACHE, Part.MANAGER, Part.INTERRUPT)


class Cpu(Protocol):
    """One processor. A smaller *level* is more urgent; *kind* says what the work is for.

    The first *call* of a burst's *seconds* are Part.CPU whatever its kind: the system call that led to it.
    """

    def burst(
        self, seconds: float, level: int, kind: Part, account: Account, call: float = 0.0
    ) -> simpy.Event: ...

    def busy(self) -> float: ...

    def reading(self) -> dict[str, float]: ...


class FcfsCpu:
    """Serves bursts in the order in which they were asked for, whatever their level: one event a burst.

    The end of a burst is known when it is asked for, so its waiter simply sleeps until then.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._free_at = env.now
        self._idle = 0.0
        self._seconds = [0.0] * len(WORK)
        self._unfinished: list[tuple[Part, float, float]] = []
        self.bursts = 0

    def burst(
        self, seconds: float, level: int, kind: Part, account: Account, call: float = 0.0
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
        if len(unfinished) > MANY:
            self._finish(now)
        return simpy.Timeout(env, end - now)

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
        now = self._env.now
        self._finish(now)
        done = list(self._seconds)
        for kind, begin, end in self._unfinished:
            done[kind] += max(0.0, min(end, now) - begin)
        return _reading(self.busy(), self.bursts, done)


class Burst(simpy.Event):
    """A burst on the preemptive CPU: the event of its own end, and what is left of it."""

    def __init__(
        self, env: simpy.Environment, seconds: float, level: int, kind: Part, account: Account, call: float
    ) -> None:
        super().__init__(env)
        self.left = seconds
        self.level = level
        self.kind = kind
        self.account = account
        self.call = call
        self.since: float = env._now


class PreemptiveCpu:
    """Serves the most urgent level first, preemptive-resume, first come first served within a level.

    A level named in *slices* shares the CPU among its bursts, that many seconds at a time. A burst that is
    preempted goes back to the head of its level and gets a fresh slice. One event a burst, one more for
    each preemption and for each slice that does not end it.
    """

    def __init__(self, env: simpy.Environment, slices: Mapping[int, float] | None = None) -> None:
        self._env = env
        self._slices = dict(slices or {})
        for level, seconds in self._slices.items():
            if not seconds > 0.0:
                raise ValueError(f"the time slice of level {level} must be positive, not {seconds!r} s")
        self._ready: list[tuple[int, int, Burst]] = []
        self._running: Burst | None = None
        self._began = 0.0
        self._timer: simpy.Event | None = None
        self._order = 0
        self._seconds = [0.0] * len(WORK)
        self._idle = 0.0
        self._idle_since = env.now
        self.bursts = 0
        self.preemptions = 0

    def burst(
        self, seconds: float, level: int, kind: Part, account: Account, call: float = 0.0
    ) -> simpy.Event:
        burst = Burst(self._env, check_delay(seconds), level, kind, account, call)
        self.bursts += 1
        self._order += 1
        running = self._running
        if running is None:
            self._idle += self._env._now - self._idle_since
            self._run(burst)
        elif level < running.level and running.level != INTERRUPT:
            self.preemptions += 1
            self._stop(running)
            heappush(self._ready, (running.level, -self._order, running))
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
        seconds = min(burst.left, self._slices.get(burst.level, inf)) if self._slices else burst.left
        self._timer = timer = simpy.Timeout(self._env, seconds)
        timer.callbacks.append(self._end)

    def _stop(self, burst: Burst) -> None:
        """Take *burst* off the CPU and account for what it got."""
        now: float = self._env._now
        burst.left = max(0.0, burst.left - (now - self._began))
        burst.since = now
        if burst.call:
            self._stop_call(burst, now)
        burst.account.charge(burst.kind, self._began, now)
        self._seconds[burst.kind] += now - self._began

    def _stop_call(self, burst: Burst, now: float) -> None:
        """Account for what of the system call is done; what the *burst* got beside begins thereafter."""
        done = min(burst.call, now - self._began)
        burst.account.charge(CPU, self._began, self._began + done)
        self._seconds[CPU] += done
        self._began += done
        burst.call -= done

    def _end(self, timer: simpy.Event) -> None:
        """The end of a burst or of its slice, unless it lost the CPU since *timer* was set."""
        burst = self._running
        if timer is not self._timer or burst is None:
            return
        ends = burst.left <= self._slices.get(burst.level, inf)
        self._stop(burst)
        if not ends:
            self._order += 1
            heappush(self._ready, (burst.level, self._order, burst))
        if self._ready:
            self._run(heappop(self._ready)[2])
        else:
            self._running = None
            self._idle_since = self._env._now
        if ends:
            happen(burst)

    def busy(self) -> float:
        """Seconds of work done until now, exact at any instant: the time that has passed without idling."""
        now = self._env.now
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
    by_kind = {part.name.lower(): spent for part, spent in zip(WORK, seconds, strict=True)}
    return {"busy": busy, "bursts": float(bursts), **{f"busy_{name}": spent for name, spent in by_kind.items()}}
