"""Builds an HP3000 from its parts: CPU, memory, discs with or without caching, data base, and software."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import simpy

from spindle.models.hp3000.caching.alignment import Alignment, FromRequest
from spindle.models.hp3000.caching.competition import ONE_CLOCK, Competition, Memories, TwoMemories
from spindle.models.hp3000.caching.control import WRITE_BEHIND, CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import cache_costs
from spindle.models.hp3000.caching.ldev import Caching
from spindle.models.hp3000.control_block import ControlBlock, Hold, WholeCall
from spindle.models.hp3000.data_sets import FAMILIES, MAX_PATHS, DataSet, ReferenceLocality
from spindle.models.hp3000.discs import IdleCauses, PlainDisc, Volumes
from spindle.models.hp3000.files import default_buffers
from spindle.models.hp3000.image import BufferPlan, CallCosts, DataBase
from spindle.models.hp3000.image_log import LOG_FILE_BYTES, ImageLog
from spindle.models.hp3000.load_sheets import CALIBRATED, LoadSheet
from spindle.models.hp3000.memory import SegmentManager
from spindle.models.hp3000.parameters import SEGMENT_MARGIN, MpeParameters
from spindle.models.hp3000.series import SERIES_64, SeriesModel
from spindle.models.hp3000.software import Loader, MpeSoftware
from spindle.sim.cpu import Cpu, PreemptiveCpu
from spindle.sim.disc.channel import Channel
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.error import UserError
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.lock import Lock
from spindle.sim.machine import Machine, Readable
from spindle.sim.measure.load import Terminals
from spindle.sim.quantity import quantity
from spindle.sim.request import BlockDevice
from spindle.sim.script import Script
from spindle.sim.terminal import Session
from spindle.sim.units import MIB
from spindle.workloads.programs import Answer

MANAGER_LEVEL = 1
"""CPU level of the memory manager: more urgent than sessions, as MPE's processes in linear subqueues."""

SESSION_LEVEL = 2
"""CPU level at which sessions begin an answer; long computing is one level less urgent (MpeSoftware)."""


@dataclass(frozen=True)
class MpeOptions:
    """The parts of the machine that may be exchanged; a run makes each anew. Without *drive* it is the series' own."""

    series: SeriesModel = SERIES_64
    cpu: Callable[[simpy.Environment], Cpu] = PreemptiveCpu
    drive: DriveType | None = None
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[[], EvictionPolicy] = Clock
    hold: Callable[[], Hold] = WholeCall
    write: WriteMode = WRITE_BEHIND
    flush: bool = True
    alignment: Callable[[], Alignment] = FromRequest
    cache_memory: Competition = ONE_CLOCK
    load: LoadSheet = CALIBRATED


class Hp3000:
    """One HP3000, with the parts whose counters a run reads at its end."""

    def __init__(
        self, env: simpy.Environment, parameters: MpeParameters, choices: MpeOptions, caching: bool,
        cached_ldevs: Collection[int] | None = None,
    ) -> None:
        if parameters.available < SEGMENT_MARGIN:
            raise UserError(
                f"memory must leave at least {quantity(SEGMENT_MARGIN, 'bytes')} beside the "
                f"{quantity(parameters.resident, 'bytes')} of MPE itself, not {quantity(parameters.memory, 'bytes')}"
            )
        self.parameters = parameters
        self.costs = costs = parameters.on_its_cpu()
        self.cpu = choices.cpu(env)
        self.dispatcher = IdleCauses(env, self.cpu)
        self.memories = self._memories(env, choices)
        self.channels = [Channel(env, f"channel {number + 1}") for number in range(parameters.channels)]
        self.drives = self._drives(env, choices)
        self.caching = self._caching(env, choices, cached_ldevs) if caching else None
        self.storages: Sequence[BlockDevice] = self.caching.ldevs if self.caching else self._plain_discs()
        self.machine = Machine(env, {}, self.cpu)
        sizes = [drive.capacity for drive in self.drives]
        self.volumes = Volumes(self.storages, sizes, reserved=8 * MIB)
        self.segments = SegmentManager(
            env, self.memories[0], self.drives, self.volumes, self.cpu, costs.fault_cpu, MANAGER_LEVEL,
            self.dispatcher.swap,
        )  # fmt: skip
        self.data_base = self._data_base(env, choices.hold(), choices.load)
        loader = Loader(self.segments, self.volumes, parameters)
        self.software = MpeSoftware(self.machine, self.segments, loader, self.data_base, costs, SESSION_LEVEL)
        self.machine.parts.update(self._parts())

    def load(self, scripts: Sequence[Script]) -> Terminals:
        """Return terminals whose users work through *scripts* with this machine's software."""
        return Terminals(scripts, self.software.perform, self.costs.terminal_interrupt, self._prepare)

    def _prepare(self, answer: object, session: Session) -> None:
        assert isinstance(answer, Answer)
        self.software.prepare(answer.program, session)

    def _memories(self, env: simpy.Environment, choices: MpeOptions) -> Memories:
        rule, whole = choices.cache_memory, self.parameters.available
        if rule.reserved_bytes > whole - SEGMENT_MARGIN:
            raise UserError(f"cache-memory must be at most {whole - SEGMENT_MARGIN} bytes, which leaves "
                            f"{SEGMENT_MARGIN} to programs, not {rule.reserved_bytes}")  # fmt: skip
        return rule.memories(env, whole, lambda: make(choices.policy, None))

    def _drives(self, env: simpy.Environment, choices: MpeOptions) -> list[Drive]:
        """Make the drives, assigned to the channels in turn."""
        path, disc, channels = choices.series.path, choices.drive or choices.series.drive, self.channels
        return [
            path.drive(env, disc, channels[number % len(channels)], choices.scheduler(), f"disc {number + 1}")
            for number in range(self.parameters.discs)
        ]

    def _plain_discs(self) -> list[PlainDisc]:
        p, stopped = self.costs, self.dispatcher.disc
        return [PlainDisc(drive, self.cpu, p.awaited_cpu, SESSION_LEVEL, stopped, p.read_call, p.write_call)
                for drive in self.drives]

    def _caching(self, env: simpy.Environment, choices: MpeOptions, cached: Collection[int] | None) -> Caching:
        p = self.costs
        settings = CacheSettings(p.fetch_random, p.fetch_sequential, choices.write, choices.flush)
        control, costs = Control(env, settings, choices.alignment()), cache_costs(p, SESSION_LEVEL)
        discs, stopped = self._plain_discs(), self.dispatcher.cache
        return Caching(env, discs, self.cpu, self.memories[1], costs, control, stopped, cached)

    def _data_base(self, env: simpy.Environment, hold: Hold, load: LoadSheet) -> DataBase:
        p = self.costs
        locality = ReferenceLocality(p.near, p.hot_share, p.hot_size, p.chain_step, load.put_entries)
        most_buffers = p.buffers or default_buffers(120, MAX_PATHS)
        self._check_control_block(most_buffers)
        tables = self.segments.data("data base control block", p.control_bytes + most_buffers * p.block)
        control = ControlBlock(Lock(env, "data base control block"), self.segments, tables, hold)
        costs = CallCosts(p.call_cpu, p.dispatch, SESSION_LEVEL)
        sets = self._data_sets(load.set_extents)
        logs = self._image_log(), self._recovery()
        return DataBase(self.machine, sets, control, BufferPlan(p.buffers, p.block), locality, costs, *logs)

    def _image_log(self) -> ImageLog | None:
        p = self.costs
        if not p.log_record:
            return None
        file = self.volumes.build("IMAGE log", LOG_FILE_BYTES)
        return ImageLog(self.machine, file, p.log_record, p.log_buffer)

    def _recovery(self) -> ImageLog | None:
        """Build the file of Intrinsic Level Recovery (ILR), which is written through any cache; None without ILR."""
        record = self.costs.ilr_record
        return ImageLog(self.machine, self.volumes.build("ILR", LOG_FILE_BYTES), record, 0, True) if record else None

    def _check_control_block(self, buffers: int) -> None:
        """Check that the control block, its tables and *buffers* of a block, takes half of the memory at most."""
        p = self.costs
        half = p.available // 2
        if p.control_bytes > half - buffers:
            raise UserError(f"control_bytes must be at most {half - buffers} bytes, which leaves a byte for each of "
                            f"{buffers} buffers in half of the memory, not {p.control_bytes!r}")  # fmt: skip
        most = min(p.set_bytes, (half - p.control_bytes) // buffers)
        if p.block > most:
            raise UserError(f"block must be at most {most} bytes, to fit into set_bytes and memory, not {p.block!r}")

    def _data_sets(self, extents: int) -> dict[str, list[DataSet]]:
        p = self.costs
        sets: dict[str, list[DataSet]] = {name: [] for name in FAMILIES}
        names = [name for name, family in FAMILIES.items() for _ in range(family.count)]
        for number, name in enumerate(names):
            file = self.volumes.build(f"{name} {number}", p.set_bytes, extents)
            sets[name].append(DataSet(number, file, p.block))
        return sets

    def _parts(self) -> dict[str, Readable]:
        drives = {f"drive{number}": drive for number, drive in enumerate(self.drives, 1)}
        caches: dict[str, Readable] = {}
        if self.caching is not None:
            caches = {f"cache{ldev.number}": ldev.cache for ldev in self.caching.ldevs}
            caches["posting"] = self.caching.control.posting
        files = {"image_log": self.data_base.log, "ilr": self.data_base.recovery}
        logs = {name: log for name, log in files.items() if log is not None}
        channels = {f"channel{number}": channel for number, channel in enumerate(self.channels, 1)}
        segments, domains = self.memories
        return {
            "dispatcher": self.dispatcher, "memory": segments if segments is domains else TwoMemories(self.memories),
            "segments": self.segments, "data_base": self.data_base,
            **channels, **drives, **caches, **logs,
        }
