"""Kim's policies in the memory of a host, above his drive or above flash."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import simpy

from models.sata_ncq.contenders import COMPARED
from models.sata_ncq.machine import NcqOptions
from models.sata_ncq.parameters import NcqParameters
from models.sata_ncq.placement import Built, NcqDrivePlan, Placement, in_host
from models.sata_ncq.run import run
from sim.cache.overhead import NoOverhead
from sim.disc.flash.drive import FlashDrive
from sim.disc.flash.sheet import FlashType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.error import unknown
from sim.parameter import changed
from sim.units import Bytes
from workloads.traces.pc.places import places
from workloads.traces.replay.below import bare

NONE = "none"
"""No cache."""


@dataclass(frozen=True)
class OnFlash:
    """Where the cache is: in the host, in front of flash, which has tags of its own. A hit costs nothing."""

    sheet: FlashType

    def __call__(self, env: simpy.Environment, plan: NcqDrivePlan) -> Built:
        drive = FlashDrive(env, self.sheet, plan.host())
        if plan.cache is None:
            return Built(drive, bare(drive))
        cached = plan.cached(env, drive, plan.cache, NoOverhead())
        return Built(drive, cached, cached)


STORAGE: Mapping[str, Placement] = {
    "2010": in_host, "sata": OnFlash(INTEL_S3700), "nvme": OnFlash(SAMSUNG_960_PRO),
}  # fmt: skip


def stored(
    storage: str, policy: str, share: float, requests: int, under_way: int, seed: object, load: str = "pcfat32",
    **parameters: Any,
) -> dict[str, Any]:  # fmt: skip
    """A run of *policy* in a cache of so large a *share* of the blocks that *load* uses, above a drive of *storage*."""
    if storage not in STORAGE:
        raise unknown("storage", storage, STORAGE)
    values = changed(NcqParameters(), **parameters)
    used = sum(place.length for place in places(values.load(load), requests))
    cache = 0 if policy == NONE else max(1, round(share * used)) * values.block
    contender = COMPARED["LRU" if policy == NONE else policy]
    choices = replace(NcqOptions(), policy=contender.policy, cost=contender.cost, place=STORAGE[storage])
    return {**run(load=load, requests=requests, cache=Bytes(cache), under_way=under_way, seed=seed, choices=choices,
                  keep_rows=False, **parameters).summary()}  # fmt: skip
