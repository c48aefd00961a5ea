"""Where the time of a request goes, with NCQ and without, with a cache and without."""

from dataclasses import replace

import pandas as pd

from models.sata_ncq.experiments.extent import requests
from models.sata_ncq.machine import TAGS, Choices
from models.sata_ncq.run import run
from sim.eviction.lru import Lru
from sim.measure.result import Result
from sim.study.system import Effort
from sim.sweep.sweep import sweep
from sim.units import MIB, Bytes

RUNS = {"no cache, no NCQ": (0, 1), "no cache, 32 tags": (0, TAGS), "LRU of 1 MiB, 32 tags": (MIB, TAGS)}


def named_run(run_name: str, number: int, seed: int) -> Result:
    cache, depth = RUNS[run_name]
    return run(requests=number, cache=Bytes(cache), depth=depth, choices=replace(Choices(), policy=Lru),
               keep_rows=False, seed=seed)


def breakdown(effort: Effort) -> pd.DataFrame:
    """Means over the replications, one column a part."""
    frame = sweep(named_run, workers=effort.workers, progress=effort.progress, run_name=list(RUNS),
                  number=requests(effort) // 2, seed=effort.seeds)
    parts = [name for name in frame.columns if name.startswith("part_")]
    return frame.groupby("run_name", sort=False)[parts].mean().reset_index().rename(columns={"run_name": "run"})
