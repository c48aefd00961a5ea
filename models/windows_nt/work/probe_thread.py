"""A thread of Response Probe at work: cycles of thinking, file actions and computing, and what they took."""

from collections.abc import Iterator, Sequence
from operator import sub
from random import Random
from typing import NamedTuple

import simpy

from models.windows_nt.caller import Caller
from models.windows_nt.file_access import FileAccess
from models.windows_nt.work.probe_process import ProbeProcess
from sim.account import CPU
from sim.clock import Wait, pause
from sim.error import UserError
from sim.terminal import ResponseLog, Transaction
from workloads.probe.script import Thread
from workloads.probe.walk import ProbeWalk, Reference


class Action(NamedTuple):
    """A file action as a thread does it; *choose* is the CPU time that it takes to draw its record."""

    access: FileAccess
    walk: ProbeWalk
    choose: float


class Spent(NamedTuple):
    """What a thread has been charged until now, what it has gathered and not spent yet included."""

    phases: list[float]
    charges: int


class ProbeThread:
    """Works from the beginning of the trial to its end, and records the cycles that begin after *measured_from*.

    What needs no waiting, such as copies from the cache, is gathered up to a *quantum* of CPU time and spent in one
    burst: one event for many hits.
    """

    def __init__(
        self, env: simpy.Environment, script: Thread, process: ProbeProcess, actions: Sequence[Action],
        caller: Caller, random: Random, quantum: float,
    ) -> None:  # fmt: skip
        self._env = env
        self._script = script
        self._process = process
        self._actions = actions
        self._random = random
        self._quantum = quantum
        self._pending = 0.0
        wanted = (script.data, process.data), (script.code, process.code)
        self._touched = [(bell, section) for bell, section in wanted if bell is not None and section is not None]
        self.caller = caller
        self.cycles = self.measured = 0
        self.seconds = 0.0
        """What the *measured* cycles took."""

    def live(self, begin: float, measured_from: float, end: float, log: ResponseLog) -> Wait:
        """Work from *begin* on, and begin no cycle after *end*; those measured go to *log*."""
        script, env, random = self._script, self._env, self._random
        yield pause(env, begin - env.now)
        yield from self._process.start(self.caller)
        while env.now < end:
            think = script.think.draw(random)
            if think:
                yield from self._settle()
                yield pause(env, think)
            began = env.now + self._pending
            before = self._spent() if began >= measured_from else None
            reads = script.reads.pick(random)
            for number in range(max(1, reads)):  # a thread without reads computes once all the same
                for action in self._actions if number < reads else ():
                    self._pending += action.choose
                    yield from self._go_through(action.access, action.walk.once())
                if not self._compute():
                    yield from self._wait_for_pages()
                self._pending += script.cpu.draw(random)
            if self._pending >= self._quantum:
                yield from self._settle()
            ended = env.now + self._pending
            if ended == began and not think:
                raise UserError(f"{self.caller.account.name}: a cycle takes no time; it must think, compute or do I/O")
            self.cycles += 1
            if before is not None and env.now <= end:
                self._record(began, ended, before, log)

    def _spent(self) -> Spent:
        account = self.caller.account
        phases = list(account.seconds)
        phases[CPU] += self._pending
        return Spent(phases, account.charges)

    def _record(self, began: float, ended: float, before: Spent, log: ResponseLog) -> None:
        after = self._spent()
        phases = tuple(map(sub, after.phases, before.phases))
        log.record(Transaction(self.caller.account.name, "cycle", began, ended, ended, phases),
                   after.charges - before.charges + 1)  # fmt: skip
        self.measured += 1
        self.seconds += ended - began

    def _go_through(self, access: FileAccess, references: Iterator[Reference]) -> Wait:
        """Read and write what is left of *references*."""
        for operation, first, size in references:
            seconds = access.now(operation, first, size)
            if seconds is None:
                yield from self._settle()
                seconds = yield from access.wait(operation, first, size, self.caller)
            self._pending += seconds

    def _compute(self) -> bool:
        """Touch a page of data and one of code; whether that could be done without waiting."""
        process = self._process
        for bell, section in self._touched:
            number = bell.pick(self._random) if bell.deviation else int(bell.mean)
            seconds = process.touch(section, number)
            if seconds is None:
                return False
            self._pending += seconds
        return True

    def _wait_for_pages(self) -> Wait:
        """The same where one of them is not in memory."""
        yield from self._settle()
        for bell, section in self._touched:
            yield from self._process.bring(section, bell.pick(self._random), self.caller)

    def _settle(self) -> Wait:
        """Spend the CPU time that has been gathered."""
        if self._pending:
            seconds, self._pending = self._pending, 0.0
            yield self.caller.burst(seconds)
        self._process.set.active_at = self._env.now
