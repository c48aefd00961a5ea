"""Traces a CPU: bursts are charged as without it, and each charge is shown."""

import simpy

from sim.account import Account, Phase
from sim.cpu import WORK, Cpu
from sim.measure.tracing.trace import TimelineTrace, nanoseconds

KINDS = {kind: kind.name.lower() for kind in WORK}


class TracedCpu:
    """Takes the bursts of *cpu*, and traces its charges until the *end* of the run.

    Any CPU must charge its work as it is done, or no response time would be the sum of its phases.
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

    def worked(self, kind: Phase, begin: float, end: float, name: str) -> None:
        """A CPU may report a burst when it begins, even if it ends after the run."""
        end = min(end, self._end)
        shown, until = nanoseconds(begin), nanoseconds(end)
        if end > begin:
            self._seconds[kind] += end - begin
        if until > shown:
            self._trace.begin(self._track, KINDS[kind], shown, (("for", name),))
            self._trace.end(self._track, until)

    def finish(self) -> None:
        """The burst that has the CPU at the end of the run is charged later: it is what was counted and not shown."""
        now, counted = self._env.now, self._cpu.reading()
        for kind in WORK:
            self.worked(kind, now - (counted[f"busy_{KINDS[kind]}"] - self._seconds[kind]), now, "unfinished")


class TracedAccount(Account):
    """Stands for *account* while *cpu* does a burst for it."""

    __slots__ = ("_account", "_traced")

    def __init__(self, account: Account, traced: TracedCpu) -> None:
        self.name = account.name
        self.seconds = account.seconds
        self._account = account
        self._traced = traced

    def charge(self, part: Phase, begin: float, end: float) -> None:
        self._account.charge(part, begin, end)
        if part in KINDS:
            self._traced.worked(part, begin, end, self.name)
