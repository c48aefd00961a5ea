"""The parts of Kim's system that may be exchanged, and the drive that they make."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from models.sata_ncq.access_time import AccessTime, response
from models.sata_ncq.parameters import NcqParameters
from models.sata_ncq.placement import Built, NcqDrivePlan, Placement, on_drive
from sim.cache.write_policy import CacheWriteBack, WritePolicy
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Fcfs, Scheduler
from sim.disc.sheets import HITACHI_7K1000C
from sim.error import UserError
from sim.eviction.fac import Fac
from sim.eviction.policy import EvictionPolicy
from sim.units import HOUR
from workloads.traces.replay.caching import CachePlan, write_through
from workloads.traces.replay.storage import Places

TAGS = 32
"""Serial ATA has no more."""
NEVER = 1e6 * HOUR


def on_eviction(size: int) -> WritePolicy:
    """What was written into a cache of *size* bytes stays there until it has to go."""
    return CacheWriteBack(NEVER, NEVER, size, size)


WRITING = {"back": on_eviction, "through": write_through}


@dataclass(frozen=True)
class NcqOptions:
    """Each is made anew for a run. The *scheduler* is the host's, and decides which request gets a tag."""

    drive: DiscType = HITACHI_7K1000C
    scheduler: Callable[[], Scheduler] = Fcfs
    policy: Callable[..., EvictionPolicy] = Fac
    place: Placement = on_drive
    write: Callable[[int], WritePolicy] = on_eviction
    cost: AccessTime = response


def build(env: simpy.Environment, parameters: NcqParameters, choices: NcqOptions, cache: int, depth: int) -> Built:
    """A drive with a cache of so many bytes, or with none at 0, and *depth* tags; without NCQ it has one."""
    if not 1 <= depth <= TAGS:
        raise UserError(f"depth must be 1, which is no NCQ, or up to {TAGS}, the tags that SATA has, not {depth}")
    if cache < 0:
        raise UserError(f"cache must be a number of bytes, 0 for none, not {cache}")
    plan = CachePlan(cache, parameters.block, choices.policy, choices.write) if cache else None
    return choices.place(
        env,
        NcqDrivePlan(choices.drive, choices.scheduler, depth, parameters.ageing, parameters.link, plan, choices.cost),
    )


def places(built: Built, block: int) -> Places:
    """Devices of a trace that do not fit beside one another begin at different places of the one drive."""
    capacity = built.drive.capacity // block * block
    return Places(lambda _: (built.ask, capacity), block, 1, True)
