"""A Modcomp with Max-IV put together from its parts: discs and their handlers, with or without FHL, and the Tools."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from models.max_iv.accounts import Volume
from models.max_iv.cache_code import CacheCode, Fhl, NoCache
from models.max_iv.disc_handler import DiscHandler
from models.max_iv.file_system import FileSystem
from models.max_iv.input_output import InputOutput
from models.max_iv.parameters import Parameters
from models.max_iv.sampler import Sampler
from models.max_iv.sector_cache import TRACK_BITS, UNIT_BITS, SectorCache
from models.max_iv.software import Software
from sim.cache.eviction.lru import Lru
from sim.cache.eviction.policy import EvictionPolicy
from sim.cpu import Cpu, PreemptiveCpu
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Fcfs, Scheduler
from sim.disc.sheets import MODCOMP_4138
from sim.machine import Machine, Readable
from sim.streams import stream

TASK_LEVEL = 2
SECTORS = 512
"""The size that Jacobson left the cache at (3.2)."""


def taking_turns(env: simpy.Environment, seconds: float) -> Cpu:
    """A CPU on which users take turns and interrupts come before all of them."""
    return PreemptiveCpu(env, {TASK_LEVEL: seconds})


@dataclass(frozen=True)
class Choices:
    """The parts that may be exchanged; each is made anew for a run. The CPU is told the users' time slice."""

    cpu: Callable[[simpy.Environment, float], Cpu] = taking_turns
    drive: DiscType = MODCOMP_4138
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[..., EvictionPolicy] = Lru


class Modcomp:
    """The machine and the parts of it that a run asks about afterwards. With 0 *sectors* it has no cache."""

    def __init__(
        self, env: simpy.Environment, parameters: Parameters, choices: Choices, sectors: int, seed: object
    ) -> None:
        self.parameters = parameters
        self.cpu = choices.cpu(env, parameters.slice)
        zone = choices.drive.layout.zones[0]
        self._tracks = choices.drive.layout.cylinders * choices.drive.layout.heads
        self._management = max(1, round(self._tracks * parameters.management))
        units = range(parameters.discs)
        self.drives = [Drive(env, choices.drive, choices.scheduler(), name=f"disc {unit + 1}") for unit in units]
        self.machine = Machine(env, self.cpu, {})
        code = self._cache_code(env, choices, sectors) if sectors else NoCache()
        self.handlers = [
            DiscHandler(env, self.drives[unit], unit, zone.sectors_per_track, code) for unit in units
        ]
        volumes = [self._volume(unit, zone.sectors_per_track, seed) for unit in units]
        io = InputOutput(self.cpu, self.handlers, parameters.request_cpu, TASK_LEVEL)
        self.software = Software(io, volumes, self.cpu, parameters, TASK_LEVEL)
        parts: dict[str, Readable] = {"software": self.software}
        parts |= {f"drive{unit + 1}": self.drives[unit] for unit in units}
        parts |= {f"handler{unit + 1}": self.handlers[unit] for unit in units}
        self.machine.parts.update(parts)

    def _cache_code(self, env: simpy.Environment, choices: Choices, sectors: int) -> CacheCode:
        parameters = self.parameters
        cache = SectorCache(sectors, parameters.hash_entries, choices.policy, self._is_management)
        fhl = Fhl(env, cache, self.cpu, parameters.compare, parameters.copy)
        self.machine.parts.update({"fhl": fhl, "sampler": Sampler(env, cache)})
        return fhl

    def _is_management(self, dpi: int) -> bool:
        return dpi % (1 << UNIT_BITS) >> TRACK_BITS < self._management

    def _volume(self, unit: int, track_sectors: int, seed: object) -> Volume:
        parameters = self.parameters
        random = stream(seed, f"disc {unit + 1}/layout")
        files = FileSystem(
            self._tracks, track_sectors, self._management, parameters.names_a_sector, parameters.lists, random
        )
        return Volume(unit, files, parameters, random)
