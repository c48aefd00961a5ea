"""Processes of the NT machine: Response Probe's threads (cycles of thinking, file actions and computing), work in the
background (the screen, Performance Monitor, the system's own code, idle working sets), and two programs to run beside
Probe: clearmem and a file server.
"""

from collections.abc import Sequence
from operator import sub
from random import Random
from typing import NamedTuple, Protocol

import simpy

from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import Caller, thread
from spindle.models.windows_nt.disc import NtVolume
from spindle.models.windows_nt.file_access import FileAccess
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.working_set import PAGE, FileSection, WorkingSet
from spindle.sim.clock import CPU, PARTS, Daemon, Wait, pause
from spindle.sim.cpu import Cpu
from spindle.sim.error import UserError
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.workloads.probe.script import ProbeWalk, Reference, Thread

# Other work on the laptop: the screen's process, Performance Monitor with its log, sleepers, and Probe's own start.

CACHE, ORDINARY, MONITOR, SCREEN = range(4)
"""Favours of working sets: the higher, the later a set is trimmed and the fewer pages it loses."""

Place = tuple[FileSection, int]
"""A page by section and number, in memory or not."""


def resident(memory: MemoryManager, volume: NtVolume, holder: WorkingSet, pages: int, own: float) -> list[Place]:
    """Enter the pages that *holder* has from the start, oldest first: the share *own* private and dirty, others code.
    """
    if not pages:
        return []
    if pages > memory.lists.available:
        raise UserError(f"memory: of {memory.frames} pages too few are left for {holder.name}, which has {pages}")
    code = volume.create(f"code of {holder.name}", pages * PAGE)
    private = volume.private(holder.name, pages)
    places: list[Place] = []
    for number in range(pages):
        dirty = int((number + 1) * own) > int(number * own)
        section = private if dirty else code
        memory.populate(holder, section, [number], dirty)
        places.append((section, number))
    return places


class PeriodicProcess:
    """A process that touches some of its pages once a *period*, always the same *active* ones."""

    def __init__(
        self, env: simpy.Environment, memory: MemoryManager, holder: WorkingSet, caller: Caller,
        touched: list[Place], period: float,
    ) -> None:  # fmt: skip
        self._env = env
        self._memory = memory
        self._holder = holder
        self.caller = caller
        self._touched = touched
        self._period = period
        Daemon(env, self._live())

    def _live(self) -> Wait:
        while True:
            self._holder.active_at = self._env.now
            yield from self._touch()
            yield from self.work()
            yield pause(self._env, self._period)

    def _touch(self) -> Wait:
        """Touch the pages: soft faults are paid in one burst, hard ones waited for one by one."""
        seconds = 0.0
        for section, number in self._touched:
            spent = self._memory.touch(self._holder, section, number)
            if spent is None:
                yield from self._memory.bring(self._holder, section, range(number, number + 1), self.caller)
            else:
                seconds += spent
        if seconds:
            yield self.caller.burst(seconds)

    def work(self) -> Wait:
        """Do the work besides touching pages."""
        yield from ()


class PerformanceMonitor(PeriodicProcess):
    """Performance Monitor, which collects a record each interval and writes it to its log, through the cache."""

    def __init__(
        self, env: simpy.Environment, cache: CacheManager, memory: MemoryManager, volume: NtVolume, holder: WorkingSet,
        caller: Caller, touched: list[Place], parameters: NtParameters,
    ) -> None:  # fmt: skip
        self._cache = cache
        self._parameters = parameters
        self._metadata = volume.metadata
        self._log = CachedFile(volume.create("log", parameters.log_file, empty=True), sequential=True)
        self._written = 0
        super().__init__(env, memory, holder, caller, touched, parameters.log_interval)

    def work(self) -> Wait:
        parameters, size = self._parameters, self._parameters.log_record
        yield self.caller.burst(parameters.log_cpu)
        first = self._written % max(1, parameters.log_file - size)
        seconds = self._cache.write_now(self._log, first, size)
        if seconds is None:
            # The file grows: the file system looks up its allocation table and changes it.
            yield from self._cache.map_data(self._metadata, 0, 512, self.caller, pins=True)
            seconds = yield from self._cache.write(self._log, first, size, self.caller)
        self._written += size
        yield self.caller.burst(parameters.write_call + seconds)


def at_work(
    env: simpy.Environment, cpu: Cpu, memory: MemoryManager, cache: CacheManager, volume: NtVolume,
    parameters: NtParameters,
) -> list[Caller]:  # fmt: skip
    """Start the background work, before Probe starts; return the callers whose time is not the System process's."""
    own = parameters.own_dirty
    screen = memory.working_set("CSRSS", parameters.csrss_least, SCREEN)
    screen_pages = _last(resident(memory, volume, screen, parameters.csrss_pages, own), parameters.csrss_least)
    monitor = memory.working_set("Performance Monitor", parameters.inactive_least, MONITOR)
    monitor_pages = _last(resident(memory, volume, monitor, parameters.monitor_pages, own), parameters.monitor_active)
    sleeping = memory.working_set("others", parameters.inactive_least, ORDINARY)
    sleeping.active_at = -1e9
    resident(memory, volume, sleeping, parameters.inactive_pages, own)
    system_pages = resident(memory, volume, cache.set, parameters.system_pages, 0.0)
    callers = [thread(cpu, name, 9) for name in ("CSRSS", "Performance Monitor", "System: code")]
    PeriodicProcess(env, memory, screen, callers[0], screen_pages, parameters.touch_period)
    PerformanceMonitor(env, cache, memory, volume, monitor, callers[1], monitor_pages, parameters)
    PeriodicProcess(env, memory, cache.set, callers[2], system_pages, parameters.touch_period)
    return callers


def _last(places: list[Place], count: int) -> list[Place]:
    """Return the pages that came in last, which the process works with."""
    return places[max(0, len(places) - count):]


SCRIPTS = 3
"""Scripts of Probe: a .SCR, a .SCP and a .SCT file, which the C library's scanner reads piece by piece."""


def read_scripts(cache: CacheManager, volume: NtVolume, caller: Caller, parameters: NtParameters) -> Wait:
    """Open each of the scripts and read it to its end."""
    yield pause(cache.env, parameters.probe_starts * parameters.lead)
    size, piece = parameters.script_bytes, parameters.script_piece
    for number in range(SCRIPTS):
        section = volume.create(f"script {number + 1}", size)
        yield from cache.map_data(volume.metadata, 0, 512, caller)
        file = CachedFile(section)
        for first in range(0, size, piece):
            length = min(piece, size - first)
            seconds = cache.read_now(file, first, length)
            if seconds is None:
                seconds = yield from cache.read(file, first, length, caller)
            yield caller.burst(parameters.read_call + seconds)


# Programs that may run beside Response Probe: clearmem before the trial, or a server that reads by MDL during it.

class Surroundings(NamedTuple):
    """The parts of the machine that a program beside Probe uses."""

    env: simpy.Environment
    cpu: Cpu
    memory: MemoryManager
    cache: CacheManager
    volume: NtVolume
    parameters: NtParameters


class BesideProbe(Protocol):
    """Programs beside Probe, made anew for each run: *works* gives the work of each by name, for a trial from *begin*
    to *end*."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]: ...


class Nobody:
    """Probe alone, with the background work."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {}


class ClearMem:
    """Makes as many pages as there are frames, which pushes others' pages out, and gives all of them back (Blake)."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {"clearmem": self._live(system)}

    def _live(self, system: Surroundings) -> Wait:
        memory, pages = system.memory, system.memory.frames
        holder = memory.working_set("clearmem", system.parameters.inactive_least, ORDINARY)
        section = system.volume.private("clearmem", pages)
        caller = thread(system.cpu, "clearmem", 7)
        for number in range(pages):
            holder.active_at = system.env.now
            yield from memory.create(holder, section, number, caller)
        for page in list(section.pages.values()):
            if page in holder.pages:
                memory.remove(holder, page)
            memory.lists.delete(page)
        memory.make_known()


class FileServer:
    """The server's thread: a client reads a file over and over, a large block at a time, handed over by MDL."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {"server": self._live(system, begin, end)}

    def _live(self, system: Surroundings, begin: float, end: float) -> Wait:
        env, parameters = system.env, system.parameters
        file = CachedFile(system.volume.create("served file", parameters.served_file))
        caller = thread(system.cpu, "server", 9)
        block, first = min(parameters.served_block, parameters.served_file), 0
        yield pause(env, begin)
        while env.now < end:
            yield caller.burst(parameters.read_call)
            yield from system.cache.read_by_list(file, first, block, caller)
            first = first + block if first + 2 * block <= parameters.served_file else 0
            yield pause(env, parameters.served_period)


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
        """Return the CPU seconds to touch a page at once, which writes a page of data; None where the disc must be
        waited for."""
        return self._memory.touch(self.set, section, min(number, section.count - 1), write=section is self.data)

    def bring(self, section: FileSection, number: int, caller: Caller) -> Wait:
        """Wait until a page is in memory, and touch it."""
        number = min(number, section.count - 1)
        yield from self._memory.bring(self.set, section, range(number, number + 1), caller)
        self.touch(section, number)


# A thread of Response Probe at work: cycles of thinking, file actions and computing, and what they took.

class Action(NamedTuple):
    """A file action as a thread does it; *choose* is the CPU time that it takes to draw its record."""

    access: FileAccess
    walk: ProbeWalk
    choose: float


class Spent(NamedTuple):
    """Charges of a thread so far; *cpu* includes gathered time that is not yet spent."""

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
        phases = list(map(sub, after.phases, before.phases)) if charges else [0.0] * PARTS
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
