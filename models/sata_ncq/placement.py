"""Where the cache is: on the drive, behind its tags, or in the host, in front of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import simpy

from models.sata_ncq.access_time import AccessTime
from models.sata_ncq.tags import Tags
from sim.account import Account, Phase
from sim.cache.block_cache import BlockCache
from sim.cache.overhead import NoOverhead, Overhead
from sim.clock import Wait, pause
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType, MovingArm
from sim.disc.positioning import Sptf
from sim.disc.scheduling import Scheduler
from sim.disc.tagged_queue import TaggedQueue
from sim.machine import Machine
from workloads.traces.replay.below import Ask, CachedDrive, bare
from workloads.traces.replay.caching import CachePlan


@dataclass(frozen=True)
class NcqDrivePlan:
    """What a drive is built from: *host* makes the scheduler that chooses which request gets one of *depth* tags."""

    disc: DiscType
    host: Callable[[], Scheduler]
    depth: int
    ageing: float
    link: float
    cache: CachePlan | None
    told: AccessTime

    def cached(self, env: simpy.Environment, drive: Drive, cache: CachePlan, overhead: Overhead) -> CachedDrive:
        above = BlockCache(env, self.told(drive), cache.block, cache.memory(env), writing=cache.writing(cache.size),
                           overhead=overhead)
        return CachedDrive(above, drive.capacity // cache.block * cache.block)


@dataclass(frozen=True)
class Built:
    """A drive, how it is *ask*ed, and its *cache*, if it has one."""

    drive: Drive
    ask: Ask
    cache: CachedDrive | None = None

    def machine(self, env: simpy.Environment) -> Machine:
        """All that there is of it: no CPU is any part of this."""
        return Machine(env, {"drive": self.drive, **({} if self.cache is None else {"cache": self.cache})})


Placement = Callable[[simpy.Environment, NcqDrivePlan], Built]


def in_host(env: simpy.Environment, plan: NcqDrivePlan) -> Built:
    """A hit needs no tag and costs nothing."""
    scheduler = TaggedQueue(plan.host(), Sptf(plan.ageing), plan.depth)
    drive = Drive(env, moving_arm(plan.disc), scheduler)
    if plan.cache is None:
        return Built(drive, bare(drive))
    cached = plan.cached(env, drive, plan.cache, NoOverhead())
    return Built(drive, cached, cached)


def on_drive(env: simpy.Environment, plan: NcqDrivePlan) -> Built:
    """Every command costs the drive's overhead and the way over the link, once; a hit no more than that.

    The drive may work at more accesses than it has tags: at what it fetches and writes back for one command.
    """
    if plan.cache is None:
        return in_host(env, plan)
    drive = Drive(env, moving_arm(replace(plan.disc, overhead=0.0)), Sptf(plan.ageing))
    cached = plan.cached(env, drive, plan.cache, _Link(env, plan.disc.overhead, plan.link))
    return Built(drive, Tags(env, cached, drive, plan.host(), plan.depth), cached)


@lru_cache(maxsize=8)
def moving_arm(disc: DiscType) -> MovingArm:
    """The arm of *disc*, whose own buffer is replaced by the simulated cache.

    Kept, because it takes longer to make than a thousand requests; it has no state, so that drives may share it.
    """
    return MovingArm(replace(disc, buffer=None))


PLACEMENTS = {"drive": on_drive, "host": in_host}


class _Link:
    """*seconds* a command, and *rate* bytes a second."""

    def __init__(self, env: simpy.Environment, seconds: float, rate: float) -> None:
        self._env = env
        self._seconds = seconds
        self._rate = rate

    def spend(self, length: int, account: Account) -> Wait:
        began, sent = self._env.now, length / self._rate
        yield pause(self._env, self._seconds + sent)
        account.charge(Phase.OVERHEAD, began, self._env.now - sent)
        account.charge(Phase.CHANNEL, self._env.now - sent, self._env.now)
