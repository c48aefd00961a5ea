"""Builds Kim's disc drive with tags (NCQ, native command queuing) and a cache, on the drive or in the host.

A cache on the drive is behind the tags, one in the host before them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import simpy

from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.tags import Tags
from spindle.models.sata_ncq.weighed_time import AccessTime, service
from spindle.sim.cache.block_cache import BlockCache, NoOverhead, Overhead
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.mechanism import DiscType, MovingArm
from spindle.sim.disc.planning import PlannedQueue
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.error import UserError
from spindle.sim.eviction import fac
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.machine import Machine
from spindle.sim.units import HOUR
from spindle.traces.replay.storage import Ask, CachedDrive, CachePlan, Places, to_drive, write_through


@dataclass(frozen=True)
class NcqDrivePlan:
    """Plan of a drive: *host* makes the scheduler that chooses which request gets one of *depth* tags.

    The firmware plans *ahead* requests; the cache is charged each access's *access_time*.
    """

    disc: DiscType
    host: Callable[[], Scheduler]
    depth: int
    ageing: float
    ahead: int
    link: float
    cache: CachePlan | None
    access_time: AccessTime

    def firmware(self) -> Scheduler:
        """Return the scheduler by which the drive serves its tags."""
        choice = Sptf(self.ageing)
        return choice if self.ahead == 1 else PlannedQueue(choice, self.ahead)

    def build_cached(self, env: simpy.Environment, drive: Drive, cache: CachePlan, overhead: Overhead) -> CachedDrive:
        above = BlockCache(env, self.access_time(drive), cache.block, cache.memory(env),
                           writing=cache.writing(cache.size), overhead=overhead)
        return CachedDrive(above, drive.capacity // cache.block * cache.block)

    def build_in_host(self, env: simpy.Environment, drive: Drive) -> "Built":
        """The *drive* below the host's cache, if there is one; a hit needs no tag and costs nothing."""
        if self.cache is None:
            return Built(drive, to_drive(drive))
        cached = self.build_cached(env, drive, self.cache, NoOverhead())
        return Built(drive, cached, cached)


@dataclass(frozen=True)
class Built:
    """A built drive: *ask* submits a request to it; *cache* is None without a cache."""

    drive: Drive
    ask: Ask
    cache: CachedDrive | None = None

    def machine(self, env: simpy.Environment) -> Machine:
        """Return the drive and its cache as a machine, which has no CPU."""
        return Machine(env, {"drive": self.drive, **({} if self.cache is None else {"cache": self.cache})})


Placement = Callable[[simpy.Environment, NcqDrivePlan], Built]


def in_host(env: simpy.Environment, plan: NcqDrivePlan) -> Built:
    """Build the drive with its cache in the host; requests that miss wait there for a tag."""
    scheduler = TaggedQueue(plan.host(), plan.firmware(), plan.depth)
    return plan.build_in_host(env, Drive(env, moving_arm(plan.disc), scheduler))


def on_drive(env: simpy.Environment, plan: NcqDrivePlan) -> Built:
    """Build the drive with its cache: every command costs the drive's overhead and the link, once; a hit no more.

    The drive may work at more accesses than it has tags: the fetches and write-backs of one command.
    """
    if plan.cache is None:
        return in_host(env, plan)
    drive = Drive(env, moving_arm(replace(plan.disc, overhead=0.0)), plan.firmware())
    cached = plan.build_cached(env, drive, plan.cache, _Link(env, plan.disc.overhead, plan.link))
    return Built(drive, Tags(env, cached, drive, plan.host(), plan.depth), cached)


@lru_cache(maxsize=8)
def moving_arm(disc: DiscType) -> MovingArm:
    """The arm of *disc*, whose own buffer is replaced by the simulated cache.

    It is kept, because making it takes longer than a thousand requests; it has no state, so that drives may share it.
    """
    return MovingArm(replace(disc, buffer=None))


PLACEMENTS = {"drive": on_drive, "host": in_host}


class _Link:
    """The link of Serial ATA: *seconds* a command, and *rate* bytes a second."""

    def __init__(self, env: simpy.Environment, seconds: float, rate: float) -> None:
        self._env = env
        self._seconds = seconds
        self._rate = rate

    def spend(self, length: int, account: Account) -> Wait:
        began, sent = self._env.now, length / self._rate
        yield pause(self._env, self._seconds + sent)
        account.charge(Phase.OVERHEAD, began, self._env.now - sent)
        account.charge(Phase.CHANNEL, self._env.now - sent, self._env.now)


TAGS = 32
"""The most tags of Serial ATA."""
NEVER = 1e6 * HOUR
"""Seconds longer than any run."""


def on_eviction(size: int) -> WritePolicy:
    """Keep what was written into a cache of *size* bytes until it is evicted."""
    return CacheWriteBack(NEVER, NEVER, size, size)


WRITING = {"back": on_eviction, "through": write_through}


@dataclass(frozen=True)
class NcqOptions:
    """Exchangeable parts, made anew for each run. The host's *scheduler* decides which request gets a tag."""

    drive: DiscType = HITACHI_7K1000C
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[..., EvictionPolicy] = fac.Fac
    place: Placement = on_drive
    write: Callable[[int], WritePolicy] = on_eviction
    cost: AccessTime = service


def build(env: simpy.Environment, parameters: NcqParameters, choices: NcqOptions, cache: int, depth: int) -> Built:
    """Build a drive with a cache of *cache* bytes, 0 for none, and *depth* tags; 1 is no NCQ."""
    if not 1 <= depth <= TAGS:
        raise UserError(f"depth must be 1, which is no NCQ, or up to {TAGS}, the tags that SATA has, not {depth}")
    if cache < 0:
        raise UserError(f"cache must be a number of bytes, 0 for none, not {cache}")
    plan = CachePlan(cache, parameters.block, choices.policy, choices.write) if cache else None
    return choices.place(
        env,
        NcqDrivePlan(choices.drive, choices.scheduler, depth, parameters.ageing, parameters.planned_ahead,
                     parameters.link, plan, choices.cost),
    )


def places(built: Built, block: int) -> Places:
    """Place a trace's devices on the one drive; where they do not fit side by side, each begins at another byte."""
    capacity = built.drive.capacity // block * block
    return Places(lambda _: (built.ask, capacity), block, 1, True)
