"""Windows NT on the page of ``spindle play``."""

from pathlib import Path

import workloads
from models.play.playable import Offered, Playable
from models.play.scripts import ProbeScripts
from models.windows_nt.parameters import NtParameters
from models.windows_nt.parts import PARTS, choose
from models.windows_nt.run import run

HOME = Path(workloads.__file__).parents[1]
PROBES = {path.relative_to(HOME).as_posix(): path for path in sorted((HOME / "workloads" / "probe").glob("*.scr"))}

PLAYABLE = Playable(
    run=run,
    parameters=NtParameters(),
    parts=PARTS,
    choose=choose,
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
)  # fmt: skip
