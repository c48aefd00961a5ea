"""Builds a Modcomp minicomputer under Max-IV from its parts: discs, their handlers, and the users' Software Tools.

The handlers are with or without FHL, Jacobson's sector cache.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import simpy

from spindle.models.max_iv.cache import Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCode, CacheCodeCosts, Cpus, NoCache
from spindle.models.max_iv.disc_address import TRACK_BITS, UNIT_BITS, Order, sector_low, track_of
from spindle.models.max_iv.eligibility import AS_BUILT, Eligibility
from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import FileSystem
from spindle.models.max_iv.habits import NO_HABIT, Habit
from spindle.models.max_iv.handlers import DiscHandler, InputOutput
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES, errors
from spindle.models.max_iv.sampler import Sampler
from spindle.models.max_iv.space import AT_THE_EDGE, Placing
from spindle.models.max_iv.tools import ToolSoftware
from spindle.models.max_iv.turns import TASK_LEVEL, GoingOn
from spindle.models.max_iv.volumes import SYSTEM, AccountVolume, SystemVolume, ToolOrder, in_any_order
from spindle.sim.cpu import Cpu
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.machine import Machine, Readable
from spindle.sim.measure.laws import check_hits
from spindle.sim.measure.load import Terminals
from spindle.sim.parts import credit, register
from spindle.sim.script import Script
from spindle.sim.streams import stream

SECTORS = 512
"""Sectors of the cache as Jacobson left it (3.2)."""


@dataclass(frozen=True)
class MaxIvOptions:
    """The parts that may be exchanged; each is made anew for a run. The CPU is built with the users' time slice.

    *code* is the cache code, *rules* select the requests that it serves, *order* the bits of a disc address last in
    its hash, *placing* where the file manager puts things, *habit* what tools do beside the paper's account, *tools* in
    which order they were entered.
    """

    cpu: Callable[[simpy.Environment, float], Cpu] = GoingOn
    drive: DriveType = MODCOMP_4138
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[..., EvictionPolicy] = Lru
    code: Callable[..., Fhl] = Fhl
    rules: Eligibility = AS_BUILT
    order: Order = sector_low
    placing: Placing = AT_THE_EDGE
    habit: Habit = NO_HABIT
    tools_order: ToolOrder = in_any_order


class Modcomp:
    """One simulated Modcomp, with the parts that a run reads afterwards. With 0 *sectors* it has no cache."""

    def __init__(
        self, env: simpy.Environment, parameters: MaxIvParameters, choices: MaxIvOptions, sectors: int, seed: object
    ) -> None:
        self.parameters = parameters
        self.cpu = choices.cpu(env, parameters.slice)
        self._tracks, track_sectors = _room(choices.drive)
        units = range(parameters.discs)
        self.drives = [drive_of(env, choices.drive, choices.scheduler(), name=f"disc {unit + 1}") for unit in units]
        self.machine = Machine(env, {}, self.cpu)
        randoms = [stream(seed, f"disc {unit + 1}/layout") for unit in units]
        self.discs = [self._label_region(choices.placing, track_sectors, random) for random in randoms]
        system = SystemVolume(self.discs[SYSTEM], parameters, choices.tools_order, stream(seed, "tools"))
        self.volumes = [AccountVolume(unit, self.discs[unit], system, parameters, randoms[unit])
                        for unit in units[1:] or units]
        self.code = self._cache_code(env, choices, sectors) if sectors else NoCache()
        self.handlers = [
            DiscHandler(env, self.drives[unit], unit, track_sectors, self.code,
                        errors(parameters.errors, stream(seed, f"disc {unit + 1}/errors"))) for unit in units
        ]  # fmt: skip
        io = InputOutput(self.cpu, self.handlers, parameters.request_cpu, TASK_LEVEL)
        self.io = io
        files = FileWork(io, self.discs, parameters.buffers)
        self.software = ToolSoftware(files, system, self.volumes, self.cpu, parameters, choices.habit)
        parts: dict[str, Readable] = {"software": self.software}
        parts |= {f"drive{unit + 1}": self.drives[unit] for unit in units}
        parts |= {f"handler{unit + 1}": self.handlers[unit] for unit in units}
        self.machine.parts.update(parts)
        register(env, self)

    def check(self) -> None:
        """Check that each request was a hit, a late hit or a miss, unless it waits for the sector of another."""
        if isinstance(self.code, Fhl):
            passed_on = sum(sum(handler.requests) for handler in self.handlers) - self.code.waiting
            check_hits("fhl", passed_on, self.code.hits, self.code.late_hits, sum(self.code.misses))

    def load(self, scripts: Sequence[Script]) -> Terminals:
        """Users of the Tools who give the commands of *scripts*."""
        return Terminals(scripts, self.software.perform, self.parameters.character, self.software.prepare)

    def _cache_code(self, env: simpy.Environment, choices: MaxIvOptions, sectors: int) -> CacheCode:
        parameters, region = self.parameters, self.discs[SYSTEM].region
        cache = SectorCache(sectors, parameters.hash_entries, choices.policy,
                            lambda dpi: region.is_management(track_of(dpi)), choices.order)  # fmt: skip
        credit(env, type(cache.policy))
        costs = CacheCodeCosts(parameters.compare, parameters.copy)
        fhl = choices.code(Cpus(env, self.cpu), cache, costs, choices.rules)
        self.machine.parts.update({"fhl": fhl, "sampler": Sampler(env, fhl.cache)})
        return fhl

    def _label_region(self, placing: Placing, track_sectors: int, random: Random) -> FileSystem:
        parameters = self.parameters
        management = max(1, round(self._tracks * parameters.management))
        region = placing.label(self._tracks, track_sectors, management, random)
        return FileSystem(region, track_sectors, parameters.names_a_sector, parameters.lists)


def _room(sheet: DriveType) -> tuple[int, int]:
    """Return the tracks that Max-IV labels, and the sectors on each, limited by capacity and by the width of addresses.

    A disc of several zones, or with bad sectors, holds less than its first track suggests; a modern one holds more than
    16 bits of track and 8 of sector can address. Flash has no tracks, and is labelled as the 4138 is.
    """
    layout = MODCOMP_4138.layout if isinstance(sheet, FlashType) else sheet.layout
    track_sectors = min(layout.zones[0].sectors_per_track, 1 << TRACK_BITS)
    whole = sheet.layout.capacity // (track_sectors * SECTOR_BYTES)
    return min(layout.cylinders * layout.heads, whole, 1 << UNIT_BITS - TRACK_BITS), track_sectors
