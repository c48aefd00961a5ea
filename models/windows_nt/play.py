"""Windows NT for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import spindle.workloads.probe
from spindle.models.windows_nt.cache import KeepsPages, MakesRoom
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.memory import ByReference, ByShare
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.processes import ClearMem, FileServer, Nobody
from spindle.models.windows_nt.run import run
from spindle.playable import Offered, Playable, ProbeScripts
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.workloads.probe.script import Mode

# The parts of the laptop that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": STORES, "scheduler": SCHEDULERS, "trimming": {"share": ByShare, "reference": ByReference},
    "flushing": {"keeps": KeepsPages, "makes-room": MakesRoom},
    "beside": {"nobody": Nobody, "clearmem": ClearMem, "server": FileServer},
    "mode": {"script": None, "buffered": Mode.BUFFERED, "unbuffered": Mode.UNBUFFERED, "mapped": Mode.MAPPED,
             "write-through": Mode.WRITE_THROUGH, "asynchronous": Mode.ASYNCHRONOUS},
}  # fmt: skip


FOLDER = Path(spindle.workloads.probe.__file__).parent
PROBES = {f"workloads/probe/{path.name}": path for path in sorted(FOLDER.glob("*.scr"))}

PLAYABLE = Playable(
    run=run,
    parameters=NtParameters(),
    parts=PARTS,
    choose=NtOptions,
    offered={
        "probe": Offered("the experiment of Response Probe", words=PROBES),
        "seconds": Offered("how long the trial is", [f"{each}s" for each in (2, 5, 10, 20, 30, 60, 120)]),
        "cache": Offered("a cache of a fixed size, instead of a working set",
                         ("384KiB", "512KiB", "768KiB", "1MiB", "1.5MiB", "2MiB", "3MiB", "4MiB", "6MiB", "8MiB")),
    },
    begin={"probe": "workloads/probe/random_read.scr", "seconds": "10s"},
    vary=("cache", ("384KiB", "512KiB", "768KiB", "1MiB", "2MiB")),
    curves=("response_mean", "Cache: Copy Read Hits %"),
    window="5s:5s",
    scripts=ProbeScripts(),
    tour={
        "What does the cache gain a program that reads at random?": ("mode", "unbuffered,buffered,mapped", {}),
        "How large a cache of fixed size does it need?": ("cache", "384KiB,512KiB,768KiB,1MiB,2MiB", {}),
        "What does a server beside it take away?": ("beside", "nobody,server", {}),
        "What is left of the gain on a quicker disc?": ("drive", "hp7933,barracuda4lp,hitachi7k1000.c", {}),
    },
)  # fmt: skip
