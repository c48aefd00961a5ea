"""The storage that a trace is replayed on: a drive for each of its devices, below a cache that all of them share."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from models.replay.drives import Drives
from models.traces.below import Ask, CachedDrive, bare
from sim.cache.block_cache import BlockCache
from sim.cache.eviction.policy import EvictionPolicy, make
from sim.cache.write_policy import WriteBack, WritePolicy, WriteThrough
from sim.disc.drive import Drive
from sim.disc.scheduling import Scheduler
from sim.disc.sheet_file.sheet import DriveSheet
from sim.memory import SharedMemory
from sim.mistake import Mistake
from sim.request import Op, Request, Span
from workloads.request_list.columns import shown
from workloads.traces.blocks import LEAST

GOLDEN = 0.6180339887498949
"""Devices that share a drive begin where a walk in steps of so much of it comes by: far apart, however many."""


PERIOD, EXPIRY = 5.0, 30.0
"""Seconds between two looks for dirty blocks, and how old they may become: Linux's writeback intervals."""


def write_back(size: int) -> WritePolicy:
    """Half of a cache of *size* bytes may stay dirty until it is old, all of it until the next look; assumed."""
    return WriteBack(PERIOD, EXPIRY, size // 2, size)


def write_through(size: int) -> WritePolicy:
    return WriteThrough()


WRITING = {"back": write_back, "through": write_through}
"""By what --write says: the write policy of a cache of so many bytes."""


@dataclass(frozen=True)
class CachePlan:
    """A cache of *size* bytes in blocks of *block*, with a policy of class *kind*; *writing* as in WRITING."""

    size: int
    block: int
    kind: Callable[..., EvictionPolicy]
    writing: Callable[[int], WritePolicy]

    def __post_init__(self) -> None:
        if self.block < LEAST:
            raise Mistake(f"a block of {self.block} bytes is too small for a cache of a drive: {LEAST} is the least")
        if self.size < self.block:
            raise Mistake(f"a cache of {self.size} bytes has no room for a block of {self.block}")

    def memory(self, env: simpy.Environment) -> SharedMemory:
        """Whole blocks alone, because some policies have to know how many there are."""
        blocks = self.size // self.block
        return SharedMemory(env, blocks * self.block, make(self.kind, blocks), uniform=self.block)


@dataclass(frozen=True)
class StoragePlan:
    """Drives of a *sheet*, each behind a scheduler of its own, and perhaps a *cache* above all of them.

    There are as many as the trace has devices, or *drives*, of which each serves every so many-th device. What lies
    beyond the end of a drive is refused, and so is a second device on one, unless addresses *wrap*: they then go on
    from the beginning of the drive, and its devices begin at places of it that are far apart.
    """

    sheet: DriveSheet
    scheduler: Callable[[], Scheduler]
    cache: CachePlan | None = None
    drives: int | None = None
    wrap: bool = False


class Place:
    """Where a device of the trace lies: behind *ask*, *offset* bytes further on in the *capacity* of its drive."""

    __slots__ = ("_ask", "_capacity", "_device", "_offset", "_unit", "_wrap")

    def __init__(self, device: str, ask: Ask, capacity: int, offset: int, unit: int, wrap: bool) -> None:
        self._device = device
        self._ask = ask
        self._capacity = capacity
        self._offset = offset
        self._unit = unit
        self._wrap = wrap

    def ask(self, op: Op, first: int, length: int) -> Request:
        """Ask for *length* bytes from *first* of the device on."""
        begin = first + self._offset
        if begin + length > self._capacity:
            begin = self._wrapped(first, length)
        return self._ask(op, Span(begin, length))

    def _wrapped(self, first: int, length: int) -> int:
        """Where that begins which goes beyond the end; none is cut in two."""
        end = self._capacity
        if not self._wrap or length > end:
            device = f" of device {shown(self._device)}" if self._device else ""
            raise Mistake(f"{length} bytes from byte {first}{device} on go beyond {end}, where the drive ends"
                          + ("" if self._wrap else "; --wrap goes on from its beginning, --drive names a larger"))
        begin = (first + self._offset) % end
        return begin if begin + length <= end else (end - length) // self._unit * self._unit


class Storage(dict[str, Place]):
    """By the name of a device; each gets its place when it is first asked for."""

    def __init__(self, env: simpy.Environment, plan: StoragePlan) -> None:
        super().__init__()
        self._env = env
        self._plan = plan
        self.drives = Drives(env, plan.sheet, plan.scheduler)
        self.caches: list[CachedDrive] = []
        self._memory = None if plan.cache is None else plan.cache.memory(env)
        self._behind: dict[str, tuple[Ask, int]] = {}
        """How each drive is asked, and how many of its bytes may be."""

    def __missing__(self, device: str) -> Place:
        plan, number = self._plan, len(self)
        turn, drive = divmod(number, plan.drives) if plan.drives else (0, number)
        if turn and not plan.wrap:
            raise Mistake(f"device {shown(device)} is one more than the {plan.drives} drives that --drives says, and "
                          "would lie over another; --wrap lets them begin at different places of one")
        name = str(drive)
        if name not in self._behind:
            self._behind[name] = self._built(name)
        ask, capacity = self._behind[name]
        unit = plan.sheet.disc.layout.sector_bytes if plan.cache is None else plan.cache.block
        offset = int(turn * GOLDEN % 1.0 * capacity) // unit * unit
        self[device] = Place(device, ask, capacity, offset, unit, plan.wrap)
        return self[device]

    def _built(self, name: str) -> tuple[Ask, int]:
        drive, cache = self.drives[name], self._plan.cache
        if cache is None or self._memory is None:
            return bare(drive), drive.capacity
        above = BlockCache(self._env, drive, cache.block, self._memory, writing=cache.writing(cache.size),
                           name=f"cache {name}")
        self.caches.append(CachedDrive(above, drive.capacity // cache.block * cache.block))
        return self.caches[-1], self.caches[-1].extent.length

    def each(self) -> list[Drive]:
        return list(self.drives.values())
