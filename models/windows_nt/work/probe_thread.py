"""A thread of Response Probe at work: cycles of thinking, file actions and computing, and what they took."""

from collections.abc import Sequence
from operator import sub
from random import Random
from typing import NamedTuple

import simpy

from models.windows_nt.caller import Caller
from models.windows_nt.file_access import FileAccess
from models.windows_nt.work.probe_process import ProbeProcess
from sim.account import CPU, PARTS
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
    """What a thread has been charged until now; in *cpu*, what it has gathered and not spent yet, too."""

    phases: list[float]
    charges: int
    cpu: float


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
        self._touched = [(section, bell, None if bell.deviation else bell.pick(random))
                         for bell, section in wanted if bell is not None and section is not None]
        """With the page, where it is always the same."""
        self.caller = caller
        self.cycles = self.measured = 0
        self.seconds = 0.0
        """What the *measured* cycles took."""

    def live(self, begin: float, measured_from: float, end: float, log: ResponseLog) -> Wait:
        """Work from *begin* on, and begin no cycle after *end*; those measured go to *log*."""
        script, env, random = self._script, self._env, self._random
        yield pause(env, begin - env.now)
        yield from self._process.start(self.caller)
        while env._now < end:
            think = script.think.draw(random)
            if think:
                yield from self._settle()
                yield pause(env, think)
            began = env._now + self._pending
            before = self._spent() if began >= measured_from else None
            reads = script.reads.pick(random)
            for number in range(max(1, reads)):  # a thread without reads computes once all the same
                for action in self._actions if number < reads else ():
                    self._pending += action.choose
                    left = self._at_once(action.access, action.walk.once())
                    if left:
                        yield from self._go_through(action.access, left)
                if not self._compute():
                    yield from self._wait_for_pages()
                self._pending += script.cpu.draw(random)
            if self._pending >= self._quantum:
                yield from self._settle()
            ended = env._now + self._pending
            if ended == began and not think:
                raise UserError(f"{self.caller.account.name}: a cycle takes no time; it must think, compute or do I/O")
            self.cycles += 1
            if before is not None and env._now <= end:
                self._record(began, ended, before, log)

    def _spent(self) -> Spent:
        account = self.caller.account
        return Spent(list(account.seconds), account.charges, account.seconds[CPU] + self._pending)

    def _record(self, began: float, ended: float, before: Spent, log: ResponseLog) -> None:
        after = self._spent()
        charges = after.charges - before.charges
        phases = list(map(sub, after.phases, before.phases)) if charges else [0.0] * PARTS
        phases[CPU] = after.cpu - before.cpu
        log.record(Transaction(self.caller.account.name, "cycle", began, ended, ended, tuple(phases)), charges + 1)
        self.measured += 1
        self.seconds += ended - began

    def _at_once(self, access: FileAccess, references: Sequence[Reference]) -> Sequence[Reference]:
        """Read and write what needs no waiting; what is left from the first of *references* on that does."""
        for place, (operation, first, size) in enumerate(references):
            seconds = access.now(operation, first, size)
            if seconds is None:
                return references[place:]
            self._pending += seconds
        return ()

    def _go_through(self, access: FileAccess, left: Sequence[Reference]) -> Wait:
        """Read and write what is *left*, of which the first must be waited for."""
        while left:
            yield from self._settle()
            operation, first, size = left[0]
            seconds = yield from access.wait(operation, first, size, self.caller)
            self._pending += seconds
            left = self._at_once(access, left[1:])

    def _compute(self) -> bool:
        """Touch a page of data and one of code; whether that could be done without waiting."""
        process = self._process
        for section, bell, fixed in self._touched:
            seconds = process.touch(section, bell.pick(self._random) if fixed is None else fixed)
            if seconds is None:
                return False
            self._pending += seconds
        return True

    def _wait_for_pages(self) -> Wait:
        """The same where one of them is not in memory."""
        yield from self._settle()
        for section, bell, _ in self._touched:
            yield from self._process.bring(section, bell.pick(self._random), self.caller)

    def _settle(self) -> Wait:
        """Spend the CPU time that has been gathered."""
        if self._pending:
            seconds, self._pending = self._pending, 0.0
            yield self.caller.burst(seconds)
        self._process.set.active_at = self._env._now
