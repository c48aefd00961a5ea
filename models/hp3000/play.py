"""The HP3000 for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.hp3000.caching.competition import COMPETITIONS
from spindle.models.hp3000.caching.control import ALIGNMENTS, FLUSHES, WRITES
from spindle.models.hp3000.image import HOLDS
from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.series import SERIES
from spindle.playable import Offered, Playable, TepeScripts
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.registry import DRIVES, SCHEDULERS
from spindle.sim.eviction.registry import POLICIES

# The parts of a Series 64 that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "series": SERIES,
    "cpu": {"preemptive": PreemptiveCpu, "fcfs": FcfsCpu},
    "drive": DRIVES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "hold": HOLDS,
    "alignment": ALIGNMENTS,
    "write": WRITES,
    "flush": FLUSHES,
    "cache_memory": COMPETITIONS,
}


TERMINALS = ("21", "42", "63", "84", "101")

PLAYABLE = Playable(
    run=run,
    parameters=MpeParameters(),
    parts=PARTS,
    choose=MpeOptions,
    offered={
        "terminals": Offered("clerks who enter and look up orders", [str(each) for each in range(1, 128)]),
        "development": Offered("programmers who edit, compile and test beside them",
                               [str(each) for each in range(64)]),
        "caching": Offered("whether idle memory is a disc cache"),
        "minutes": Offered("how long is measured", [f"{each}min" for each in (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 60)]),
        "warm_up": Offered("how long the machine runs before", [f"{each}min" for each in (0, 1, 2, 3, 5, 10)]),
    },
    begin={"development": "38", "minutes": "3min", "warm_up": "1min"},
    vary=("terminals", TERMINALS),
    curves=("response_mean", "hit_ratio"),
    window="60s:10s",
    scripts=TepeScripts(),
    users={"terminals": "63", "development": "0"},
    tour={
        "What does it gain the paper's 63 clerks and 38 programmers?": ("caching", "false,true", {"terminals": "63"}),
        "How many clerks may work without it?": ("terminals", "21,42,63,84", {"caching": "false", "development": "0"}),
        "How many may work with it?": ("terminals", "21,42,63,84", {"development": "0"}),
        "What should a miss fetch?": ("fetch_random", "1KiB,4KiB,8KiB,16KiB,24KiB", {"terminals": "63"}),
        "How much memory does it need beside programs?": ("memory", "3MiB,4MiB,6MiB,8MiB", {"terminals": "63"}),
    },
)
