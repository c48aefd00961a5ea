"""A Series 64 put together from its parts: discs, cached or not, one memory, the data base, and the software."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import simpy

from models.hp3000.disc import PlainDisc
from models.hp3000.disc_cache import CacheCosts, DiscCache
from models.hp3000.image import FAMILIES, DataBase, DataSet, Locality
from models.hp3000.parameters import SEGMENT_MARGIN, Parameters
from models.hp3000.posting import PostBehind, Posting
from models.hp3000.segments import SegmentManager
from models.hp3000.software import Software
from models.hp3000.volumes import Volumes
from sim.cache.eviction.clock import Clock
from sim.cache.eviction.policy import EvictionPolicy
from sim.cache.posts import FreePosts
from sim.cache.read_ahead import FetchSize, ReadAhead
from sim.cpu import Cpu, PreemptiveCpu
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Fcfs, Scheduler
from sim.disc.sheets import HP7933
from sim.lock import Lock
from sim.machine import Machine, Readable, SystemCalls
from sim.memory import SharedMemory
from sim.mistake import Mistake
from sim.request import BlockDevice
from sim.units import MIB

TRANSACTION_LEVEL = 2
SYSTEM_LEVEL = 2


def post_behind(env: simpy.Environment) -> Posting:
    """MPE's default: nobody waits, posts in any order."""
    return PostBehind(FreePosts(env))


@dataclass(frozen=True)
class Choices:
    """The parts that may be exchanged; each is made anew for a run."""

    cpu: Callable[[simpy.Environment], Cpu] = PreemptiveCpu
    drive: DiscType = HP7933
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[[], EvictionPolicy] = Clock
    write: Callable[[simpy.Environment], Posting] = post_behind
    read_ahead: Callable[[Parameters], ReadAhead] = field(
        default=lambda parameters: FetchSize(parameters.fetch_random, parameters.fetch_sequential)
    )


class Series64:
    """The machine and the parts of it that a run asks about afterwards."""

    def __init__(self, env: simpy.Environment, parameters: Parameters, choices: Choices, caching: bool) -> None:
        if parameters.available < SEGMENT_MARGIN:
            raise Mistake(
                f"memory must leave at least {SEGMENT_MARGIN} bytes beside the {parameters.resident} of MPE itself, "
                f"not {parameters.memory!r}"
            )
        self.parameters = parameters
        self.cpu = choices.cpu(env)
        self.memory = SharedMemory(env, parameters.available, choices.policy())
        self.drives = [
            Drive(env, choices.drive, choices.scheduler(), name=f"disc {number + 1}")
            for number in range(parameters.discs)
        ]
        self.caches: list[DiscCache] = []
        storages = self._storages(env, choices, caching)
        calls = SystemCalls(parameters.read_call, parameters.write_call, SYSTEM_LEVEL)
        self.machine = Machine(env, self.cpu, {}, calls)
        sizes = [drive.capacity for drive in self.drives]
        self.volumes = Volumes(storages, sizes, reserved=8 * MIB)
        self.segments = SegmentManager(
            env, self.memory, self.drives[0], self.volumes.virtual, self.cpu, parameters.fault_cpu, SYSTEM_LEVEL
        )
        self.data_base = self._data_base(env)
        self.software = Software(
            self.machine, self.segments, self.volumes, self.data_base, parameters.mips,
            parameters.block_records, parameters.slice, TRANSACTION_LEVEL,
        )
        self.machine.parts.update(self._parts())

    def _storages(self, env: simpy.Environment, choices: Choices, caching: bool) -> Sequence[BlockDevice]:
        parameters = self.parameters
        if not caching:
            return [PlainDisc(drive, self.cpu, parameters.initiate, SYSTEM_LEVEL) for drive in self.drives]
        cpu_a_hit = parameters.hit_elapsed - parameters.read_call
        if cpu_a_hit < parameters.miss_search:
            raise Mistake(
                f"hit_elapsed must be at least read_call + miss_search, not {parameters.hit_elapsed!r} s"
            )
        costs = CacheCosts(
            parameters.miss_search, cpu_a_hit - parameters.miss_search, parameters.initiate, SYSTEM_LEVEL
        )
        posting = choices.write(env)
        fetch = choices.read_ahead(parameters)
        self.caches = [
            DiscCache(env, drive, self.cpu, self.memory, costs, fetch, posting) for drive in self.drives
        ]
        return self.caches

    def _data_base(self, env: simpy.Environment) -> DataBase:
        p = self.parameters
        most = min(p.set_bytes, p.available)
        if p.block > most:
            raise Mistake(f"block must be at most {most} bytes, to fit into set_bytes and memory, not {p.block!r}")
        number = 0
        families: dict[str, list[DataSet]] = {}
        for family, count in FAMILIES.items():
            families[family] = []
            for _ in range(count):
                file = self.volumes.build(f"{family} {number}", p.set_bytes)
                families[family].append(DataSet(number, file, p.block))
                number += 1
        locality = Locality(p.stay, p.hot_share, p.hot_size, p.chain_step)
        lock = Lock(env, "data base control block")
        return DataBase(
            self.machine, families, lock, p.buffers, p.block, locality, p.call_cpu / p.mips, TRANSACTION_LEVEL
        )

    def _parts(self) -> dict[str, Readable]:
        drives = {f"drive{number}": drive for number, drive in enumerate(self.drives, 1)}
        caches = {f"cache{number}": cache for number, cache in enumerate(self.caches, 1)}
        return {"memory": self.memory, "segments": self.segments, "data_base": self.data_base, **drives, **caches}
