"""The buffer pool for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.buffer_pool.machine import PoolOptions
from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.models.buffer_pool.run import MIXES, run
from spindle.playable import Offered, Playable
from spindle.sim.disc.registry import STORES
from spindle.sim.eviction.registry import POLICIES

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": STORES, "policy": POLICIES}


SIZES = ("1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB", "64MiB", "128MiB")

PLAYABLE = Playable(
    run=run,
    parameters=PoolParameters(),
    parts=PARTS,
    choose=PoolOptions,
    offered={
        "scale": Offered("100,000 accounts each", [str(each) for each in (1, 2, 5, 10, 20, 50)]),
        "clients": Offered("that ask without thinking", [str(each) for each in (1, 2, 4, 8, 16, 32)]),
        "pool": Offered("shared buffers", SIZES),
        "mix": Offered("what a client does", words={name: name for name in MIXES}),
        "scans": Offered("sequential scans of all accounts at a time", [str(each) for each in range(5)]),
        "minutes": Offered("that are measured", ("0.3s", "0.6s", "1.2s", "3s", "6s")),
        "warm_up": Offered("before that", ("0s", "0.3s", "0.6s", "1.2s", "3s", "6s")),
    },
    begin={"minutes": "0.3s", "warm_up": "0.3s"},
    vary=("pool", ("4MiB", "8MiB", "16MiB", "32MiB")),
    curves=("response_mean", "heap_hit_ratio"),
    window="0s:0.02s",
    tour={
        "How large a pool is worth having?": ("pool", "2MiB,8MiB,32MiB,128MiB", {}),
        "What does a scan cost the clients?": ("scans", "0,1,2", {"pool": "16MiB"}),
        "Which policy withstands a scan?": ("policy", "lru,clock-sweep,midpoint", {"pool": "16MiB", "scans": "1"}),
        "How many clients does a drive bear?": ("clients", "1,4,16", {"pool": "16MiB"}),
        "What is another drive worth?": ("drive", "hitachi7k1000.c,intels3700,samsung960pro", {"pool": "16MiB"}),
    },
)
