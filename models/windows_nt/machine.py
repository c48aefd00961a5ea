"""Builds the laptop under Windows NT: disc, memory and cache manager, other processes, threads of Response Probe."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import fsum

import simpy

from spindle.models.windows_nt.beside_probe import BesideProbe, Nobody, Surroundings
from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import PRIORITIES, thread
from spindle.models.windows_nt.counters import check_identities
from spindle.models.windows_nt.disc import LogicalDisc, NtVolume
from spindle.models.windows_nt.file_access import AsynchronousAccess, Buffered, FileAccess, Mapped, UnbufferedAccess
from spindle.models.windows_nt.lazy_writer import DirtyPagesLeave, EachPeriod, Flushing, KeepsPages, Unmapping, Waking
from spindle.models.windows_nt.memory import MemoryManager, check_frames
from spindle.models.windows_nt.page_writers import PAGE_WRITERS, PageWriters, WriterPages, Zeroing
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.probe import Action, ProbeProcess, ProbeThread
from spindle.models.windows_nt.processes import CACHE_FAVOUR, ORDINARY_FAVOUR, at_work, read_scripts
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.trimming import ByShare, Trimmer, TrimRule
from spindle.models.windows_nt.working_set import PAGE, WorkingSet
from spindle.sim.cpu import Cpu, PreemptiveCpu
from spindle.sim.disc.drive import Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.scheduling import CLook
from spindle.sim.disc.sheets import TOSHIBA_MK2124FC
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Programs, Work
from spindle.sim.streams import stream
from spindle.workloads.probe.script import FileAction, Mode, Probe, Process
from spindle.workloads.probe.walk import ProbeWalk


@dataclass(frozen=True)
class NtOptions:
    """Exchangeable parts, made anew for each run. *mode* is the way to all files of Probe, if not as in its script."""

    drive: DriveType = TOSHIBA_MK2124FC
    scheduler: Callable[[], Scheduler] = CLook
    trimming: type[TrimRule] = ByShare
    flushing: type[Flushing] = KeepsPages
    waking: type[Waking] = EachPeriod
    beside: type[BesideProbe] = Nobody
    page_writers: tuple[WriterPages, ...] = PAGE_WRITERS["two"]
    unmapping: type[Unmapping] = DirtyPagesLeave
    mode: Mode | None = None


class WorkingSets:
    """The sizes of all working sets in pages, as levels for ``counters``."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory = memory

    def reading(self) -> dict[str, float]:
        return {each.name: float(len(each)) for each in self._memory.sets}

    def levels(self) -> dict[str, float]:
        return {f"{name}_pages": pages for name, pages in self.reading().items()}


class Laptop:
    """A simulated laptop and the parts that a run reads afterwards. *fixed* is a fixed size of the cache in bytes."""

    def __init__(
        self, env: simpy.Environment, parameters: NtParameters, choices: NtOptions, fixed: int | None = None
    ) -> None:
        self.env = env
        self.parameters = parameters
        self.cpu: Cpu = PreemptiveCpu(env, {PRIORITIES - level: parameters.quantum for level in range(1, 16)})
        self.disc = LogicalDisc(env, self.cpu, choices.drive, choices.scheduler(), parameters.moving)
        frames = max(0, parameters.memory - parameters.nonpaged) // PAGE
        self.memory = MemoryManager(env, self.disc, frames, parameters)
        holder = self._cache_set(fixed)
        self.cache = CacheManager(env, self.cpu, self.memory, holder, parameters, choices.flushing(), choices.waking(),
                                  choices.unmapping())
        flushed = self.cache.dirty.count_mapped
        self.writers = PageWriters(env, self.cpu, self.memory, parameters, choices.page_writers, flushed)
        rule = choices.trimming(parameters)
        self.trimmer = Trimmer(env, self.cpu, self.memory, self.writers.look, rule, parameters)
        self.zeroing = Zeroing(env, self.cpu, self.memory.lists, parameters)
        self.volume = NtVolume(self.disc.drive.capacity, parameters.system_files, parameters.page_file)
        self.others = at_work(env, self.cpu, self.memory, self.cache, self.volume, parameters)
        self._beside = choices.beside()
        self.accesses: list[FileAccess] = []
        self.processes: list[ProbeProcess] = []
        self.threads: list[ProbeThread] = []
        self.machine = Machine(env, {
            "disc": self.disc.drive, "logical_disc": self.disc, "memory": self.memory, "cache": self.cache,
            "trimmer": self.trimmer, "sets": WorkingSets(self.memory), "system": self,
        }, self.cpu)  # fmt: skip

    def _cache_set(self, fixed: int | None) -> WorkingSet:
        pages = None if fixed is None else fixed // PAGE
        if pages is not None and not self.parameters.system_pages < pages <= self.memory.frames:
            least, most = self.parameters.system_pages * PAGE, self.memory.frames * PAGE
            raise UserError(f"cache must be more than {least} and at most {most} bytes, not {fixed!r}")
        return self.memory.working_set("cache", 0 if pages is None else pages, CACHE_FAVOUR, pages)

    def load(self, probe: Probe, seed: object, begin: float) -> Programs:
        """Return the threads of *probe*, which begin their trial at the instant *begin*, and its master process."""
        master = thread(self.cpu, "Probe", 7)
        programs: dict[str, Work] = {
            "Probe": lambda log: read_scripts(self.cache, self.volume, master, self.parameters)
        }
        for process in probe.processes:
            programs |= self._threads(process, f"{process.name} {len(self.processes) + 1}", probe, seed, begin)
        around = Surroundings(self.env, self.cpu, self.memory, self.cache, self.volume, self.parameters)
        beside = self._beside.works(around, begin, begin + probe.seconds)
        return Programs(programs | {name: lambda log, live=live: live for name, live in beside.items()})

    def _threads(self, script: Process, name: str, probe: Probe, seed: object, begin: float) -> dict[str, Work]:
        holder = self.memory.working_set(name, self.parameters.inactive_least, ORDINARY_FAVOUR)
        data = self.volume.private(name, script.data_pages) if script.data_pages else None
        code = self.volume.create(script.code.name, script.code.size) if script.code else None
        process = ProbeProcess(self.memory, holder, data, code)
        self.processes.append(process)
        works: dict[str, Work] = {}
        for number, each in enumerate(script.threads, 1):
            title = f"{name}/{number}"
            random = stream(seed, title)
            actions = [self._action(action, holder, seed, f"{title}/{n}") for n, action in enumerate(each.actions)]
            caller = thread(self.cpu, title, each.priority)
            made = ProbeThread(self.env, each, process, actions, caller, random, self.parameters.quantum)
            self.threads.append(made)
            works[title] = partial(made.live, begin, begin + probe.measured_from, begin + probe.seconds)
        return works

    def _action(self, action: FileAction, holder: WorkingSet, seed: object, title: str) -> Action:
        parameters = self.parameters
        access = self._access(action, holder)
        self.accesses.append(access)
        choose = 0.0 if action.sequential else parameters.choose
        return Action(access, ProbeWalk(action, stream(seed, title)), choose)

    def _access(self, action: FileAction, holder: WorkingSet) -> FileAccess:
        section = self.volume.create(action.file.name, action.file.size)
        if action.mode is Mode.MAPPED:
            return Mapped(self.memory, holder, section, self.parameters)
        if action.mode is Mode.UNBUFFERED:
            return UnbufferedAccess(self.disc, section, self.parameters)
        file = CachedFile(section, action.sequential)
        if action.mode is Mode.ASYNCHRONOUS:
            return AsynchronousAccess(self.cache, file, self.parameters)
        return Buffered(self.cache, file, self.parameters, through=action.mode is Mode.WRITE_THROUGH)

    def check(self) -> None:
        """Check the identities among the counters, and the place of every page frame."""
        check_identities(self.machine.reading())
        check_frames(self.memory, self.volume.all_sections())

    def reading(self) -> dict[str, float]:
        """Return system calls and cycles of Probe, and the CPU time of the System process."""
        system = (self.trimmer.account, *self.writers.accounts, self.zeroing.account, self.cache.lazy.account,
                  self.cache.ahead.account)
        direct = [each for each in self.accesses if isinstance(each, UnbufferedAccess)]
        return {
            "system_calls": float(sum(each.calls for each in self.accesses)),
            "cycles": float(sum(each.cycles for each in self.threads)),
            "response_seconds": fsum(each.seconds for each in self.threads),
            "system_cpu": fsum(account.seconds[0] for account in system),
            "direct_bytes_read": float(sum(each.bytes_read for each in direct)),
            "direct_bytes_written": float(sum(each.bytes_written for each in direct)),
        }
