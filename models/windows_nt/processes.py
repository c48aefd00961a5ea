"""Simulates other work on the laptop: the screen, Performance Monitor with its log, sleepers, and Probe's own start."""

import simpy

from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import Caller, thread
from spindle.models.windows_nt.disc import NtVolume
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.working_set import PAGE, FileSection, WorkingSet
from spindle.sim.clock import Daemon, Wait, pause
from spindle.sim.cpu import Cpu
from spindle.sim.error import UserError

CACHE_FAVOUR, ORDINARY_FAVOUR, MONITOR_FAVOUR, SCREEN_FAVOUR = range(4)
"""Favours (ranks) of working sets: the higher, the later a set is trimmed and the fewer pages it loses."""

Place = tuple[FileSection, int]
"""A page by section and number, in memory or not."""


def resident(memory: MemoryManager, volume: NtVolume, holder: WorkingSet, pages: int, own: float) -> list[Place]:
    """Enter the pages that *holder* has at first, oldest first: the share *own* private and dirty, others code."""
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
    screen = memory.working_set("CSRSS", parameters.csrss_least, SCREEN_FAVOUR)
    screen_pages = _last(resident(memory, volume, screen, parameters.csrss_pages, own), parameters.csrss_least)
    monitor = memory.working_set("Performance Monitor", parameters.inactive_least, MONITOR_FAVOUR)
    monitor_pages = _last(resident(memory, volume, monitor, parameters.monitor_pages, own), parameters.monitor_active)
    sleeping = memory.working_set("others", parameters.inactive_least, ORDINARY_FAVOUR)
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


SCRIPT_COUNT = 3
"""Scripts of Probe: a .SCR, a .SCP and a .SCT file, which the C library's scanner reads piece by piece."""


def read_scripts(cache: CacheManager, volume: NtVolume, caller: Caller, parameters: NtParameters) -> Wait:
    """Open each of the scripts and read it to its end."""
    yield pause(cache.env, parameters.probe_starts * parameters.lead)
    size, piece = parameters.script_bytes, parameters.script_piece
    for number in range(SCRIPT_COUNT):
        section = volume.create(f"script {number + 1}", size)
        yield from cache.map_data(volume.metadata, 0, 512, caller)
        file = CachedFile(section)
        for first in range(0, size, piece):
            length = min(piece, size - first)
            seconds = cache.read_now(file, first, length)
            if seconds is None:
                seconds = yield from cache.read(file, first, length, caller)
            yield caller.burst(parameters.read_call + seconds)
