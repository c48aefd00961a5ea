"""Traces a CPU on a timeline: bursts are charged as without it, and each charge is shown."""

import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import WORK, Cpu
from spindle.sim.measure.tracing.trace import TimelineTrace, nanoseconds

JOB_KINDS = {kind: kind.name.lower() for kind in WORK}


class TracedCpu:
    """A wrapper of *cpu* that traces the charges of its bursts until the *end* of the run.

    Charges show all of its work: if one were missing, a response time would not be the sum of its phases.
    """

    def __init__(self, cpu: Cpu, trace: TimelineTrace, env: simpy.Environment, end: float) -> None:
        self._cpu = cpu
        self._trace = trace
        self._env = env
        self._end = end
        self._track = trace.track("cpu")
        self._seconds = [0.0] * len(WORK)
        self._burst = cpu.burst
        cpu.burst = self.burst  # type: ignore[method-assign] # for every part that has this CPU

    def burst(self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0) -> simpy.Event:
        return self._burst(seconds, level, kind, TracedAccount(account, self), call)

    def draw_burst(self, kind: Phase, begin: float, end: float, name: str) -> None:
        """Draw a burst and count its seconds; it may be reported when it begins, even if it ends after the run."""
        end = min(end, self._end)
        shown, until = nanoseconds(begin), nanoseconds(end)
        if end > begin:
            self._seconds[kind] += end - begin
        if until > shown:
            self._trace.begin(self._track, JOB_KINDS[kind], shown, (("for", name),))
            self._trace.end(self._track, until)

    def finish(self) -> None:
        """Draw the burst that has the CPU at the end of the run, which is counted but charged later."""
        now, counted = self._env.now, self._cpu.reading()
        for kind in WORK:
            self.draw_burst(kind, now - (counted[f"busy_{JOB_KINDS[kind]}"] - self._seconds[kind]), now, "unfinished")


class TracedAccount(Account):
    """An account in the place of *account* while a CPU does a burst for it, which draws its charges."""

    __slots__ = ("_account", "_traced")

    def __init__(self, account: Account, traced: TracedCpu) -> None:
        self.name = account.name
        self.seconds = account.seconds
        self._account = account
        self._traced = traced

    def charge(self, phase: Phase, begin: float, end: float) -> None:
        self._account.charge(phase, begin, end)
        if phase in JOB_KINDS:
            self._traced.draw_burst(phase, begin, end, self.name)
