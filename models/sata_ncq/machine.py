"""Kim's drive with tags (NCQ) and a cache on the drive or in the host: its exchangeable parts, the access time that a
policy weighs, and readings of FAC where the paper leaves it open."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import fsum

import simpy

from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.sim.cache.block_cache import BlockCache, NoOverhead, Overhead
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy
from spindle.sim.clock import Account, Ledger, Phase, Wait, happen, pause
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.mechanism import DiscType, MovingArm
from spindle.sim.disc.planning import PlannedQueue
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.error import UserError
from spindle.sim.eviction.fac import (
    DynamicMaximum,
    Fac,
    Maximum,
    Reading,
    StaticMaximum,
    count_alone,
    keep_maximum,
    number_alone,
)
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.machine import Machine
from spindle.sim.request import READ, WRITE, Access, BlockDevice, Hint, Op, Request, Span, wait_for
from spindle.sim.units import HOUR
from spindle.traces.replay.storage import Ask, CachedDrive, CachePlan, Places, to_drive, write_through

# The tags of a drive that has its cache behind them: a command holds one from when the drive gets it to its answer.

class Tags:
    """Passes up to *depth* commands at a time on to *behind*; the *host* keeps the others, and chooses the next.

    Commands complete out of order, as soon as each is done.
    """

    def __init__(self, env: simpy.Environment, behind: Ask, drive: Drive, host: Scheduler, depth: int) -> None:
        host.attach(drive.mechanism)
        self._env = env
        self._behind = behind
        self._drive = drive
        self._host = host
        self._free = depth
        self._account = Account("host")

    def __call__(self, op: Op, span: Span) -> Request:
        access = Access(op, span, span, None, Hint.NONE, False, self._account)
        request = Request(self._env, access, Ledger("host"))
        if self._free:
            self._pass_on(request)
        else:
            self._host.add(request)
        return request

    def _pass_on(self, request: Request) -> None:
        self._free -= 1
        ledger, now = request.ledger, self._env.now
        assert ledger is not None
        if now > request.submitted:
            ledger.charge(Phase.QUEUE, request.submitted, now)
        answer = self._behind(request.access.op, request.access.span)
        assert answer.callbacks is not None
        answer.callbacks.append(partial(self._finish, request))

    def _finish(self, request: Request, answer: Request) -> None:
        """Finish a command; a command that waits in the host gets the tag before one submitted because of this answer.
        """
        ledger = request.ledger
        assert ledger is not None
        for part, begin, end in answer.pieces():
            ledger.charge(part, begin, end)
        self._free += 1
        if len(self._host):
            self._pass_on(self._host.take(self._drive.arm, self._env.now))
        happen(request)


# The access time that a policy weighs: the service time, as Kim defines it, or the response with the drive's queue.

AccessTime = Callable[[Drive], BlockDevice]
"""Makes of a drive a device whose requests cost the access time that a policy weighs."""


def service(drive: Drive) -> BlockDevice:
    """Cost an access by its service: overhead, and Kim's access time of seek, rotational latency and transfer (Kim 1).
    """
    return drive


class _Waited(Request):
    """A request whose cost is its whole response time."""

    __slots__ = ()

    def cost(self) -> float:
        return fsum(end - begin for _, begin, end in self.pieces())


class _Waiting:
    """*drive*, whose requests also cost their time in its queue."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    def start(self, access: Access) -> Request:
        inner = self._drive.start(access)
        outer = _Waited(self._drive.env, access)
        assert inner.callbacks is not None
        inner.callbacks.append(lambda done: happen(outer, done.value))
        return outer

    def read(self, access: Access) -> Wait:
        assert access.op is READ
        return wait_for(self.start(access), access.account)

    def write(self, access: Access) -> Wait:
        assert access.op is WRITE
        return wait_for(self.start(access), access.account)

    def flush(self, span: Span) -> Wait:
        return self._drive.flush(span)

    def discard(self, span: Span) -> None:
        self._drive.discard(span)


def response(drive: Drive) -> BlockDevice:
    """Cost an access by its response, with the wait in the drive's queue; Kim's figure 1 has access times of 30 ms and
    more.
    """
    return _Waiting(drive)


ACCESS_TIMES = {"service": service, "wait": response}


# Where the cache is: on the drive, behind its tags, or in the host, in front of them.

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
        """The order in which the drive serves its tags."""
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
    """A drive, how it is *ask*ed, and its *cache*, if it has one."""

    drive: Drive
    ask: Ask
    cache: CachedDrive | None = None

    def machine(self, env: simpy.Environment) -> Machine:
        """Return the drive and its cache as a machine, which has no CPU."""
        return Machine(env, {"drive": self.drive, **({} if self.cache is None else {"cache": self.cache})})


Placement = Callable[[simpy.Environment, NcqDrivePlan], Built]


def in_host(env: simpy.Environment, plan: NcqDrivePlan) -> Built:
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
"""Serial ATA has no more."""
NEVER = 1e6 * HOUR


def on_eviction(size: int) -> WritePolicy:
    """Keep what was written into a cache of *size* bytes until it is evicted."""
    return CacheWriteBack(NEVER, NEVER, size, size)


WRITING = {"back": on_eviction, "through": write_through}


@dataclass(frozen=True)
class NcqOptions:
    """Exchangeable parts, made anew for each run. The host's *scheduler* decides which request gets a tag."""

    drive: DiscType = HITACHI_7K1000C
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[..., EvictionPolicy] = Fac
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


# Readings of FAC where Kim leaves it open, by name: what a use adds to a block's worth, and against which maximum.

def longest(disc: DiscType) -> float:
    """The longest time in which the head reaches a block: a full stroke and a whole revolution."""
    return disc.overhead + disc.seek(disc.layout.cylinders - 1) + disc.revolution


def maxima(disc: DiscType) -> Mapping[str, Callable[[], Maximum]]:
    """Return Kim's static maximum, his dynamic one, and a dynamic one over all accesses, by name."""
    most = longest(disc)
    return {"static": lambda: StaticMaximum(most), "dynamic": DynamicMaximum,
            "dynamic, of all": lambda: DynamicMaximum(keep_maximum)}


_MAXIMA = maxima(HITACHI_7K1000C)
READINGS: Mapping[str, Callable[..., EvictionPolicy]] = {
    "fac-count": partial(Fac, Reading(first=count_alone, again=count_alone)),
    "fac-time": partial(Fac, Reading(first=number_alone, again=number_alone)),
    "fac-static": partial(Fac, Reading(maximum=_MAXIMA["static"])),
    "fac-all": partial(Fac, Reading(maximum=_MAXIMA["dynamic, of all"])),
    "fac-last": partial(Fac, Reading(maximum=partial(DynamicMaximum, old_weight=0.0))),
    "fac-each": partial(Fac, Reading(maximum=partial(DynamicMaximum, counter_max=0))),
    "fac-halves": partial(Fac, Reading(partitions=2)),
    "fac-hits": partial(Fac, Reading(first=count_alone)),
}
"""A worth of the number of uses alone, and of access times alone; Kim's static maximum, a dynamic one that never comes
down again, one that is the last maximum and no weighted average, and one averaged at each access and not at every
tenth; two partitions for ten; and N counted at hits alone, so that a first use is worth 1: N updates the worth "of each
block hit at the cache" (Kim 3)."""
