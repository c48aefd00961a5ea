"""Simulates Response Probe, Blake's load generator: threads whose cycles are thinking, file actions and computing."""

from collections.abc import Sequence
from operator import sub
from random import Random
from typing import NamedTuple

import simpy

from spindle.models.windows_nt.caller import Caller
from spindle.models.windows_nt.file_access import FileAccess
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.working_set import FileSection, WorkingSet
from spindle.sim.clock import CPU, PHASE_COUNT, Wait, pause
from spindle.sim.error import UserError
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.workloads.probe.script import Thread
from spindle.workloads.probe.walk import ProbeWalk, Reference


class ProbeProcess:
    """A process of Probe, whose threads share its pages of *data* and *code*; None where it has no such pages."""

    def __init__(
        self, memory: MemoryManager, holder: WorkingSet, data: FileSection | None, code: FileSection | None
    ) -> None:
        self._memory = memory
        self.set = holder
        self.data = data
        self.code = code
        self._started = False

    def start(self, caller: Caller) -> Wait:
        """Make the process's private pages, which are zero, when its first thread starts."""
        if self._started or self.data is None:
            return
        self._started = True
        for number in range(self.data.count):
            yield from self._memory.create(self.set, self.data, number, caller)

    def touch(self, section: FileSection, number: int) -> float | None:
        """Return the CPU seconds to touch a page at once, writing if it is data; None if the disc is waited for."""
        return self._memory.touch(self.set, section, min(number, section.count - 1), write=section is self.data)

    def bring(self, section: FileSection, number: int, caller: Caller) -> Wait:
        """Wait until a page is in memory, and touch it."""
        number = min(number, section.count - 1)
        yield from self._memory.bring(self.set, section, range(number, number + 1), caller)
        self.touch(section, number)


class Action(NamedTuple):
    """A file action as a thread does it; *choose* is the CPU time that it takes to draw its record."""

    access: FileAccess
    walk: ProbeWalk
    choose: float


class Spent(NamedTuple):
    """Time charged to a thread so far; *cpu* includes gathered time that is not yet spent."""

    phases: list[float]
    charges: int
    cpu: float


class ProbeThread:
    """A thread that works from the begin of the trial to its end, and records cycles that begin after *measured_from*.

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
        self._touched = [(section, bell) for bell, section in wanted if bell is not None and section is not None]
        """Sections whose pages each computing touches, with the draw of a page."""
        varies = any(bell.deviation for _, bell in self._touched)
        self._same_pages = [] if varies else [(section, bell.pick(random)) for section, bell in self._touched]
        """The pages, where they are always the same; none where they are drawn anew each time."""
        self.caller = caller
        self.cycles = self.measured = 0
        self.seconds = 0.0
        """Seconds of the *measured* cycles."""

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
            before = self._charges() if began >= measured_from else None
            reads = script.reads.pick(random)
            for number in range(max(1, reads)):  # a thread without reads computes once all the same
                for action in self._actions if number < reads else ():
                    self._pending += action.choose
                    left = self._at_once(action.access, action.walk.references())
                    if left:
                        yield from self._go_through(action.access, left)
                absent = self._compute()
                if absent:
                    yield from self._wait_for_pages(absent)
                self._pending += script.cpu.draw(random)
            if self._pending >= self._quantum:
                yield from self._settle()
            ended = env._now + self._pending
            if ended == began and not think:
                raise UserError(f"{self.caller.account.name}: a cycle takes no time; it must think, compute or do I/O")
            self.cycles += 1
            if before is not None and env._now <= end:
                self._record(began, ended, before, log)

    def _charges(self) -> Spent:
        account = self.caller.account
        return Spent(list(account.seconds), account.charges, account.seconds[CPU] + self._pending)

    def _record(self, began: float, ended: float, before: Spent, log: ResponseLog) -> None:
        after = self._charges()
        charges = after.charges - before.charges
        phases = list(map(sub, after.phases, before.phases)) if charges else [0.0] * PHASE_COUNT
        phases[CPU] = after.cpu - before.cpu
        log.record(Transaction(self.caller.account.name, "cycle", began, ended, ended, tuple(phases)), charges + 1)
        self.measured += 1
        self.seconds += ended - began

    def _at_once(self, access: FileAccess, references: Sequence[Reference]) -> Sequence[Reference]:
        """Do *references* that need no waiting; return those left, from the first that does need it on."""
        for place, (operation, first, size) in enumerate(references):
            seconds = access.try_now(operation, first, size)
            if seconds is None:
                return references[place:]
            self._pending += seconds
        return ()

    def _go_through(self, access: FileAccess, left: Sequence[Reference]) -> Wait:
        """Do the references that are *left*, the first of which must be waited for."""
        while left:
            yield from self._settle()
            operation, first, size = left[0]
            seconds = yield from access.wait(operation, first, size, self.caller)
            self._pending += seconds
            left = self._at_once(access, left[1:])

    def _compute(self) -> Sequence[tuple[FileSection, int]]:
        """Touch a page of data and one of code; return both if one needs waiting, else none."""
        pages = self._same_pages or [(section, bell.pick(self._random)) for section, bell in self._touched]
        for section, number in pages:
            seconds = self._process.touch(section, number)
            if seconds is None:
                return pages
            self._pending += seconds
        return ()

    def _wait_for_pages(self, pages: Sequence[tuple[FileSection, int]]) -> Wait:
        """Touch *pages*, and wait for those that are not in memory."""
        yield from self._settle()
        for section, number in pages:
            yield from self._process.bring(section, number, self.caller)

    def _settle(self) -> Wait:
        """Spend the CPU time that has been gathered."""
        if self._pending:
            seconds, self._pending = self._pending, 0.0
            yield self.caller.burst(seconds)
        self._process.set.active_at = self._env._now
