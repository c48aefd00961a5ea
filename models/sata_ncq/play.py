"""The drive with NCQ for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.sata_ncq.machine import ACCESS_TIMES, PLACEMENTS, READINGS, WRITING, NcqOptions
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import run
from spindle.playable import Offered, Playable
from spindle.sim.disc.registry import DRIVES, SCHEDULERS
from spindle.sim.eviction.registry import POLICIES
from spindle.workloads.pc import LOADS

# The parts of the drive that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": DRIVES, "scheduler": SCHEDULERS, "policy": {**POLICIES, **READINGS}, "place": PLACEMENTS, "write": WRITING,
    "cost": ACCESS_TIMES,
}  # fmt: skip


SIZES = ("0", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB")
DEPTHS = [str(each) for each in (1, 2, 4, 8, 16, 32, 64, 128, 256)]

PLAYABLE = Playable(
    run=run,
    parameters=NcqParameters(),
    parts=PARTS,
    choose=NcqOptions,
    offered={
        "load": Offered("the made-up trace", words={name: name for name in LOADS}),
        "requests": Offered("how many are replayed", [str(each) for each in (500, 1000, 2000, 5000, 10_000, 20_000)]),
        "cache": Offered("the cache; 0 is none", SIZES),
        "depth": Offered("tags of the drive; 1 is no NCQ", DEPTHS),
        "under_way": Offered("requests that there always are, unless timed", DEPTHS),
        "timed": Offered("whether each is submitted at its time"),
    },
    begin={"requests": "2000"},
    vary=("cache", ("256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB")),
    curves=("response_mean", "hit_ratio"),
    window="0s:0.2s",
    tour={
        "How large a cache is worth having?": ("cache", "256KiB,1MiB,4MiB,8MiB", {}),
        "Does it pay to keep the blocks that took long?": ("policy", "lru,fac,atca", {"cache": "1MiB"}),
        "What do more tags gain?": ("depth", "1,4,32", {"cache": "1MiB"}),
        "Does the order of the host's queue matter?": ("scheduler", "fcfs,sstf,look", {"cache": "1MiB", "depth": "1"}),
        "What if uses come in more phases?": ("phases", "4,16", {"cache": "1MiB", "policy": "fac"}),
    },
)
