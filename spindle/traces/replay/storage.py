"""Builds the storage of a replay: a drive or array for each device, perhaps below a cache that all devices share."""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import simpy

from spindle.output.text import plural
from spindle.questions.field import spell
from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.flash_tier import FlashPlaces, FlashTier
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy, WriteThrough
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.network import Network, NetworkDrive
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.raid.members import Member
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.measure.laws import check_hits
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import register
from spindle.sim.request import READ, Access, Hint, Op, Request, Span
from spindle.workloads.traces.record import MIN_BLOCK, small_enough

# The plan of a replay's cache: its size, its blocks, its eviction policy and its write policy.

DIRTY_PERIOD, DIRTY_EXPIRY = 5.0, 30.0
"""Seconds between two searches for dirty blocks, and how old these may become: Linux's writeback intervals."""


def write_back(size: int) -> WritePolicy:
    """Write back as Linux does; assumed: half of a cache of *size* bytes may stay dirty for DIRTY_EXPIRY, and all of it
    for DIRTY_PERIOD."""
    return CacheWriteBack(DIRTY_PERIOD, DIRTY_EXPIRY, size // 2, size)


def write_through(size: int) -> WritePolicy:
    return WriteThrough()


WRITING = {"back": write_back, "through": write_through}
"""Write policies of a cache of a size in bytes, by the value of --write."""


@dataclass(frozen=True)
class CachePlan:
    """A cache of *size* bytes in blocks of *block*, with a policy of class *kind*; *writing* as in WRITING."""

    size: int
    block: int
    kind: Callable[..., EvictionPolicy]
    writing: Callable[[int], WritePolicy]

    def __post_init__(self) -> None:
        if self.block < MIN_BLOCK:
            raise UserError(f"a block of {self.block} bytes is too small for a cache of a drive: {MIN_BLOCK} is the "
                          "least")
        if self.size < self.block:
            raise UserError(f"a cache of {self.size} bytes has no room for a block of {self.block}")

    def memory(self, env: simpy.Environment) -> SharedMemory:
        """Return the memory of the cache, in whole blocks, because some policies need their number."""
        blocks = self.size // self.block
        return SharedMemory(env, blocks * self.block, make(self.kind, blocks), uniform=self.block)


FLASH_DIRTY, FLASH_FULL = 0.1, 0.7
"""Shares of a flash tier that are dirty before it is cleaned, and before writers wait: bcache's writeback_percent and
CUTOFF_WRITEBACK_SYNC."""


def flash_write_back(size: int) -> WritePolicy:
    """Write back as bcache does, which keeps a share of a tier of *size* bytes dirty for any time."""
    return CacheWriteBack(DIRTY_PERIOD, inf, int(size * FLASH_DIRTY), int(size * FLASH_FULL))


FLASH_WRITING = {"back": flash_write_back, "through": write_through}
"""Write policies of a flash tier of a size in bytes, by the value of --flash-write."""


@dataclass(frozen=True)
class FlashPlan:
    """A flash tier: a solid-state drive of *sheet*, of which blocks of *cache* are kept."""

    sheet: FlashType
    cache: CachePlan

    def __post_init__(self) -> None:
        room = self.sheet.layout.capacity
        if self.cache.size > room:
            raise UserError(f"{self.sheet.name} has {room} bytes, and no room for a flash tier of {self.cache.size}")


class FlashInFront:
    """The flash drive of a *plan*, and the tiers on it, one in front of each device."""

    def __init__(self, env: simpy.Environment, plan: FlashPlan) -> None:
        self.drive = drive_of(env, plan.sheet, None, "flash tier")
        self.tiers: list[FlashTier] = []
        self._cache = plan.cache
        self._memory = plan.cache.memory(env)
        self._places = FlashPlaces(self.drive, plan.cache.block, plan.cache.size // plan.cache.block)

    def tier_of(self, device: Member | Raid, name: str) -> FlashTier:
        """Return a tier in front of the *device* called *name*."""
        tier = FlashTier(self.drive.env, device, self._places, self._memory, self._cache.writing(self._cache.size),
                         f"flash tier {name}".rstrip())
        self.tiers.append(tier)
        return tier


def check_head(disc: DriveType, cylinder: int, name: str = "head") -> None:
    """UserError where a drive has no such *cylinder*, which *name* gives, on which its head might be at first."""
    if not isinstance(disc, DiscType):
        if cylinder:
            raise UserError(f"{disc.name} is flash, and has no head to be on cylinder {cylinder}")
        return
    if not 0 <= cylinder < disc.layout.cylinders:
        raise UserError(f"{name}: there is no cylinder {cylinder}; {disc.name} has 0 to {disc.layout.cylinders - 1}")


# The target of a host's requests: a drive, or a cache above it that counts hits and misses of reads and writes.

Ask = Callable[[Op, Span], Request]

_NO_HINT = Hint.NONE  # each look-up of a member by way of its class costs as much as a call


def to_drive(drive: Member | Raid) -> Ask:
    """Return a function that submits requests to *drive* itself."""
    account, start, new = Account("host"), drive.start, tuple.__new__

    def ask(op: Op, span: Span) -> Request:
        # This takes half the time of Access(...).
        return start(new(Access, (op, span, span, None, _NO_HINT, False, account)))

    return ask


class CachedDrive:
    """Requests to a *cache* of a device of *length* bytes; counts writes as the cache counts reads.

    UserError for requests of more blocks than memory has room for while they are under way. Hit: all bytes resident in
    the cache. Late hit: resident or on their way. Miss: anything less.
    """

    def __init__(self, cache: BlockCache, length: int) -> None:
        self.cache = cache
        self.extent = Span(0, length)
        self._account = Account("host")
        self._requests = self._blocks = 0
        self._hits = self._late_hits = self._misses = 0
        register(cache.env, self)

    def __call__(self, op: Op, span: Span) -> Request:
        self._requests += 1
        self._blocks += len(self.cache.blocks.numbers_in(span))
        small_enough(self._blocks, self._requests, self.cache.blocks.size)
        if op is not READ:
            self._count(span)
        return self.cache.start(Access(op, span, self.extent, None, _NO_HINT, False, self._account))

    def _count(self, span: Span) -> None:
        entries = [self.cache.blocks.get(block) for block in self.cache.blocks.numbers_in(span)]
        if None in entries:
            self._misses += 1
        elif all(entry is not None and entry.arrival is None for entry in entries):
            self._hits += 1
        else:
            self._late_hits += 1

    def check(self) -> None:
        """Check that each write was a hit, a late hit or a miss; the cache checks its reads itself."""
        check_hits(f"writes of {self.cache.name}", self.cache.writes, self._hits, self._late_hits, self._misses)

    def levels(self) -> dict[str, float]:
        return {"dirty_blocks": float(len(self.cache.blocks.dirty))}

    def reading(self) -> dict[str, float]:
        """The counters of the cache; those of writes begin with ``write_``."""
        return {**self.cache.reading(), "write_hits": float(self._hits), "write_late_hits": float(self._late_hits),
                "write_misses": float(self._misses)}


GOLDEN = 0.6180339887498949
"""Step of a walk, as a share of a drive, that keeps any number of devices on it far apart."""

AskedDrive = tuple[Ask, int]
"""The function that submits requests to a drive, and its usable bytes."""


class ReplayStorage(Protocol):
    """Drives of one type, with an optional *cache* above all of them, and a *flash* tier between.

    There is one for each device of the trace, or *count*, which serve the devices in turn. Requests beyond the end of a
    drive are refused, and so is a second device on one, unless addresses *wrap*: they then go on from the beginning of
    the drive, and its devices begin at places of it that are far apart.
    """

    @property
    def disc(self) -> DriveType: ...

    @property
    def cache(self) -> CachePlan | None: ...

    @property
    def flash(self) -> FlashPlan | None: ...

    @property
    def count(self) -> int | None: ...

    @property
    def wrap(self) -> bool: ...

    @property
    def raid(self) -> RaidType | None:
        """The array of drives that each drive of the trace is; None where it is a drive."""

    @property
    def queue(self) -> DriveQueue | None:
        """The command queue of each drive, with its write cache; None if drives have none."""

    @property
    def network(self) -> NetworkType | None:
        """The network between the host and all drives; None where the drives are its own."""

    def drives(self, env: simpy.Environment) -> MutableMapping[str, Drive]:
        """Return the drives by name; each is made on its first use."""


def across(network: Network | None, drive: Drive | WriteCache) -> Member:
    """Return *drive* as a host reaches it, across a *network* if there is one."""
    return drive if network is None else NetworkDrive(drive, network)


def network_of(plan: ReplayStorage) -> Network | None:
    return None if plan.network is None else Network(plan.network)


def check_used(plan: ReplayStorage, used: int) -> None:
    """UserError where fewer drives than there are were *used*, because each device lies on one drive."""
    if plan.raid is None and plan.count is not None and used < plan.count:
        raise UserError(f"{spell('drives')} {plan.count} leaves {plan.count - used} idle: the trace has "
                        f"{plural(used, 'device')}, and each lies on one drive; {spell('raid')} 0 makes them one array")


def top_cache(plan: ReplayStorage) -> CachePlan | None:
    """Return the cache or the flash tier that requests come to first; None where that is a drive or an array."""
    return plan.flash.cache if plan.cache is None and plan.flash is not None else plan.cache


class DevicePlace:
    """The place of a device of the trace: *offset* bytes into the *capacity* of a drive with function *ask*."""

    __slots__ = ("_ask", "_capacity", "_device", "_offset", "_unit", "_wrap")

    def __init__(self, device: str, ask: Ask, capacity: int, offset: int, unit: int, wrap: bool) -> None:
        self._device = device
        self._ask = ask
        self._capacity = capacity
        self._offset = offset
        self._unit = unit
        self._wrap = wrap

    def ask(self, op: Op, first: int, length: int) -> Request:
        """Submit a request for *length* bytes from *first* of the device on."""
        begin = first + self._offset
        if begin + length > self._capacity:
            begin = self._wrap_around(first, length)
        return self._ask(op, tuple.__new__(Span, (begin, length)))  # in half the time of Span(...)

    def _wrap_around(self, first: int, length: int) -> int:
        """Return where a request beyond the end begins after wrapping; none is cut in two."""
        end = self._capacity
        if not self._wrap or length > end:
            device = f" of device {quote(self._device)}" if self._device else ""
            raise UserError(f"{length} bytes from byte {first}{device} on go beyond {end}, where the drive ends"
                          + ("" if self._wrap else "; --wrap goes on from its beginning, --drive names a larger"))
        begin = (first + self._offset) % end
        return begin if begin + length <= end else (end - length) // self._unit * self._unit


class Places(dict[str, DevicePlace]):
    """Places by device; each is made on first use, on one of *count* drives or on a separate drive.

    *built* gives a drive's function for requests and its usable bytes; devices that *wrap* around the end of a drive
    begin at whole *unit*s.
    """

    def __init__(self, built: Callable[[str], AskedDrive], unit: int, count: int | None, wrap: bool) -> None:
        super().__init__()
        self._built = built
        self._unit = unit
        self._count = count
        self._wrap = wrap
        self.behind: dict[str, AskedDrive] = {}
        """What was built, by the name of the drive or array, in the order of first use."""

    def __missing__(self, device: str) -> DevicePlace:
        number = len(self)
        turn, drive = divmod(number, self._count) if self._count else (0, number)
        if turn and not self._wrap:
            raise UserError(f"device {quote(device)} is one more than the {self._count} drives that {spell('drives')} "
                            f"says, and would lie over another; {spell('wrap')} lets them begin at different places "
                            "of one")
        name = str(drive) if self._count else device
        if name not in self.behind:
            self.behind[name] = self._built(name)
        ask, capacity = self.behind[name]
        offset = int(turn * GOLDEN % 1.0 * capacity) // self._unit * self._unit
        self[device] = DevicePlace(device, ask, capacity, offset, self._unit, self._wrap)
        return self[device]


class Storage:
    """The drives of a *plan*, one a device by default, their caches, and the *places* of devices on them."""

    def __init__(self, env: simpy.Environment, plan: ReplayStorage) -> None:
        self.env = env
        self._cache = plan.cache
        self._memory = None if plan.cache is None else plan.cache.memory(env)
        self._flash = None if plan.flash is None else FlashInFront(env, plan.flash)
        self.flash_drives = [] if self._flash is None else [self._flash.drive]
        self.flash_tiers = [] if self._flash is None else self._flash.tiers
        self.drives = plan.drives(env)
        self.caches: list[CachedDrive] = []
        self.arrays: list[Raid] = []
        self._devices: dict[str, Member | Raid] = {}
        self._raid, self._queue = plan.raid, plan.queue
        self._network = network_of(plan)
        top = top_cache(plan)
        unit = plan.disc.layout.sector_bytes if top is None else top.block
        self.places = Places(self._build, unit, plan.count, plan.wrap)

    def _build(self, name: str) -> AskedDrive:
        drive, cache = self.device(name), self._cache
        if isinstance(drive, Raid) and self._raid is not None and self._raid.rebuild:
            drive.begin_rebuild(self._raid.rebuild)  # with its first request, however early the array was made
        below: Member | Raid | BlockCache = drive if self._flash is None else self._flash.tier_of(drive, name)
        if cache is not None and self._memory is not None:
            below = BlockCache(self.env, below, cache.block, self._memory, writing=cache.writing(cache.size),
                               name=f"cache {name}")
        if not isinstance(below, BlockCache):
            return to_drive(drive), drive.capacity
        block = below.blocks.size
        self.caches.append(CachedDrive(below, drive.capacity // block * block))
        return self.caches[-1], self.caches[-1].extent.length

    @property
    def has_layers(self) -> bool:
        """Tell if requests go to something above the drives, which charges them."""
        return bool(self.caches) or any(not isinstance(each, Drive) for each in self._devices.values())

    def _drive(self, name: str) -> Member:
        """Return the drive *name*, below its write cache if it has one, and across the network if there is one."""
        drive = self.drives[name]
        writes = 0 if self._queue is None else self._queue.writes
        return across(self._network, WriteCache(drive, writes) if writes else drive)

    def device(self, name: str) -> Member | Raid:
        """Return the drive *name*, or the array of that name with its drives; it is built on first use."""
        if name not in self._devices:
            self._devices[name] = self._drive(name) if self._raid is None else self._array(name, self._raid)
        return self._devices[name]

    def _array(self, name: str, kind: RaidType) -> Raid:
        members = [self._drive(f"{name}.{number}") for number in range(kind.drives)]
        self.arrays.append(Raid(self.env, replace(kind, rebuild=0), members, f"raid {name}".rstrip()))
        return self.arrays[-1]
