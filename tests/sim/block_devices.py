"""Makes one of every block device for tests: drives, caches of every kind, caches above caches, and MPE's.

MPE is the operating system of the HP3000; its disc cache is one of them. Memory is so small that blocks are evicted all
the time.
"""

from dataclasses import dataclass, field

import simpy

from spindle.models.hp3000.caching.alignment import Alignment, Centred, FromRequest, InMultiples
from spindle.models.hp3000.caching.control import WRITE_BEHIND, CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.caching.ldev import Ldev
from spindle.models.hp3000.discs import PlainDisc
from spindle.sim.cache.block_cache import BlockCache, CpuOverhead, FetchSize, ReadAhead, Sequential
from spindle.sim.cache.flash_tier import FlashPlaces, FlashTier
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy
from spindle.sim.clock import Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, ImmediateReporting, Overheads, TrackEnd
from spindle.sim.disc.planning import DriveQueue, PlannedQueue
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BlockDevice, Span
from spindle.sim.units import MS
from tests.sim.watched_arrays import WatchedRaid
from tests.sim.watched_drives import SECTOR, Watched, WatchedFlash

AFTER = After(0.2 * MS, 0.3 * MS)
AHEAD = Buffer(2, 12, Overheads(AFTER, AFTER, AFTER, reselect=0.1 * MS), HostLink(0.3 * MS, 0.2 * MS), BlocksAhead(8),
               own_write_segment=True, reads_written=True, goes_on=True)
REPORTING = Buffer(3, 8, Overheads(report=AFTER, to_medium=0.1 * MS), HostLink(0.5 * MS, 0.5 * MS), TrackEnd(),
                   ImmediateReporting(intermixed=True), write_segments=2, keeps_passing=True, starts_anywhere=True)
EXTENTS = [Span(first * SECTOR, 32 * SECTOR) for first in (0, 32, 96)]
END = 20.0
"""Seconds after which all processes have ended, unless they are stuck."""


@dataclass
class Stack:
    """A block device with what is below it, and the memories that it uses."""

    device: BlockDevice
    drive: Watched | WatchedFlash | WatchedRaid
    memories: list[SharedMemory] = field(default_factory=list)
    caches: list[BlockCache] = field(default_factory=list)
    mpe: DiscCache | None = None


def cached(
    stack: Stack, env: simpy.Environment, block: int, blocks: int, policy: EvictionPolicy,
    writing: WritePolicy | None = None, ahead: ReadAhead | None = None, cpu: bool = False,
) -> Stack:
    memory = SharedMemory(env, block * blocks, policy, uniform=block)
    overhead = CpuOverhead(FcfsCpu(env), 0.1 * MS, 1e-7) if cpu else None
    name = f"cache {len(stack.caches)}"
    cache = BlockCache(env, stack.device, block, memory, ahead, writing, overhead, name)
    return Stack(cache, stack.drive, [*stack.memories, memory], [*stack.caches, cache])


def drive(env: simpy.Environment) -> Stack:
    watched = Watched(env)
    return Stack(watched, watched)


def sptf_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, Sptf())
    return Stack(watched, watched)


def ahead_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, buffer=AHEAD)
    return Stack(watched, watched)


def reporting_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, Sptf(), REPORTING)
    return Stack(watched, watched)


def flash_drive(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 32)
    return Stack(watched, watched)


def flash_of_two_tags(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 2)
    return Stack(watched, watched)


def back_over_flash(env: simpy.Environment) -> Stack:
    return cached(flash_drive(env), env, 512, 3, Clock(), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), cpu=True)


def plain_over_flash(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 2)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def through(env: simpy.Environment) -> Stack:
    return cached(drive(env), env, 512, 3, Lru(), ahead=FetchSize(1024, 2048), cpu=True)


def back(env: simpy.Environment) -> Stack:
    writing = CacheWriteBack(20 * MS, 50 * MS, 512, 1024)
    return cached(sptf_drive(env), env, 512, 3, Fifo(), writing, Sequential(2048), cpu=True)


def one_block(env: simpy.Environment) -> Stack:
    return cached(drive(env), env, 1024, 1, Lru(), CacheWriteBack(30 * MS, 60 * MS, 0, 0))


def back_over_back(env: simpy.Environment) -> Stack:
    lower = cached(drive(env), env, 1024, 3, Lru(), CacheWriteBack(30 * MS, 30 * MS, 1024, 2048), cpu=True)
    return cached(lower, env, 256, 4, Clock(), CacheWriteBack(20 * MS, 20 * MS, 256, 512), Sequential(1024))


def back_over_reporting(env: simpy.Environment) -> Stack:
    writing = CacheWriteBack(30 * MS, 60 * MS, 1024, 1536)
    return cached(reporting_drive(env), env, 512, 4, Arc(4), writing, Sequential(1024))


def back_over_ahead(env: simpy.Environment) -> Stack:
    return cached(ahead_drive(env), env, 512, 3, Clock(), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), cpu=True)


def plain_over_reporting(env: simpy.Environment) -> Stack:
    watched = Watched(env, buffer=REPORTING)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def plain(env: simpy.Environment) -> Stack:
    watched = Watched(env)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def mpe(env: simpy.Environment, mode: WriteMode, alignment: Alignment, capacity: int) -> Stack:
    watched, memory = Watched(env), SharedMemory(env, capacity, Clock())
    costs = CacheCosts(0.1 * MS, 0.2 * MS, 0.3 * MS, 2)
    control = Control(env, CacheSettings(1024, 2048, mode), alignment)
    cache = DiscCache(env, watched, PreemptiveCpu(env), memory, costs, control)
    return Stack(cache, watched, [memory], mpe=cache)


def mpe_behind(env: simpy.Environment) -> Stack:
    return mpe(env, WRITE_BEHIND, FromRequest(), 2816)


def mpe_serial(env: simpy.Environment) -> Stack:
    return mpe(env, WriteMode(serial=True), Centred(), 2560)


def mpe_blocking(env: simpy.Environment) -> Stack:
    return mpe(env, WriteMode(block=True), InMultiples(), 4608)


def mpe_switched(env: simpy.Environment) -> Stack:
    """An LDEV (a logical device, MPE's word for a drive) whose cache an operator stops and starts all the time."""
    stack = mpe(env, WRITE_BEHIND, FromRequest(), 2816)
    assert stack.mpe is not None
    ldev = Ldev(env, 1, PlainDisc(stack.drive, PreemptiveCpu(env), 0.5 * MS, 2), stack.mpe)

    def operator() -> Wait:
        for _ in range(20):
            yield env.timeout(3 * MS)
            yield from ldev.stop_cache()
            yield env.timeout(2 * MS)
            yield from ldev.start_cache()

    env.process(operator())
    return Stack(ldev, stack.drive, stack.memories, mpe=stack.mpe)


def write_cached(env: simpy.Environment) -> Stack:
    watched = Watched(env, PlannedQueue(Sptf(), 2))
    return Stack(WriteCache(watched, 2, 0.1 * MS), watched)


def write_cached_beyond_tags(env: simpy.Environment) -> Stack:
    queue = DriveQueue(tags=2, ahead=2, writes=3)
    watched = Watched(env, queue.scheduler(Sptf()))
    return Stack(WriteCache(watched, 3, 0.1 * MS, waiting=queue.waiting(Sptf())), watched)


def planned(env: simpy.Environment) -> Stack:
    watched = Watched(env, PlannedQueue(Sptf(), 3))
    return Stack(watched, watched)


def striped(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "0", 2)
    return Stack(array, array)


def mirrored(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "1", 2)
    return Stack(array, array)


def parity_of_three(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "5", 3)
    return Stack(array, array)


def degraded(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "5", 4)
    array.fail(1)
    return Stack(array, array)


def two_parities(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "6", 5)
    return Stack(array, array)


def two_failed(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "6", 5)
    array.fail(0)
    array.fail(2)
    return Stack(array, array)


def near_copies(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "10", 3)
    return Stack(array, array)


def with_bitmap(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "5", 3, bitmap=2048)
    return Stack(array, array)


def copies_with_bitmap(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "10", 3, bitmap=4096)
    return Stack(array, array)


def delayed_parity(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "5", 4, delayed=True)
    return Stack(array, array)


def back_over_delayed(env: simpy.Environment) -> Stack:
    array = WatchedRaid(env, "6", 5, bitmap=1024, delayed=True)
    writing = CacheWriteBack(20 * MS, 50 * MS, 512, 1024)
    return cached(Stack(array, array), env, 512, 3, Clock(), writing, cpu=True)


def back_over_parity(env: simpy.Environment) -> Stack:
    return cached(parity_of_three(env), env, 512, 3, Clock(), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), cpu=True)


def tiered(env: simpy.Environment, below: Stack, writing: WritePolicy | None, policy: EvictionPolicy) -> Stack:
    """A flash tier of three blocks."""
    memory = SharedMemory(env, 512 * 3, policy, uniform=512)
    tier = FlashTier(env, below.device, FlashPlaces(WatchedFlash(env, 2), 512, 3), memory, writing)
    return Stack(tier, below.drive, [*below.memories, memory], [*below.caches, tier])


def tier_through(env: simpy.Environment) -> Stack:
    return tiered(env, drive(env), None, Lru())


def tier_back(env: simpy.Environment) -> Stack:
    return tiered(env, sptf_drive(env), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), Clock())


def back_over_tier_over_parity(env: simpy.Environment) -> Stack:
    lower = tiered(env, parity_of_three(env), CacheWriteBack(30 * MS, 30 * MS, 512, 1024), Lru())
    return cached(lower, env, 256, 4, Fifo(), CacheWriteBack(20 * MS, 20 * MS, 256, 512), Sequential(1024))


DEVICES = [
    drive, sptf_drive, through, back, one_block, back_over_back, plain, mpe_behind, mpe_serial, mpe_blocking,
    mpe_switched, ahead_drive, reporting_drive, back_over_reporting, back_over_ahead, plain_over_reporting, flash_drive,
    flash_of_two_tags, back_over_flash, plain_over_flash,
    striped, mirrored, parity_of_three, degraded, two_parities, two_failed, near_copies, back_over_parity, with_bitmap,
    copies_with_bitmap, delayed_parity, back_over_delayed, write_cached, write_cached_beyond_tags, planned,
    tier_through, tier_back, back_over_tier_over_parity,
]


def asleep(env: simpy.Environment, work: Wait, log: list[float]) -> None:
    def process() -> Wait:
        yield from work
        log.append(env.now)

    env.process(process())
