"""Where a response of the hybrid load goes."""

import pandas as pd

from models.hp3000.experiments.hybrid import CACHED
from models.hp3000.experiments.loads import hybrid_runs
from sim.study.system import Effort


def breakdown(effort: Effort) -> pd.DataFrame:
    """101 terminals, cached and not: means over the replications, one column a part."""
    frame = hybrid_runs(effort)
    full = frame[frame["terminals"] == frame["terminals"].max()]
    parts = [name for name in frame.columns if name.startswith("part_")]
    means: pd.DataFrame = full.groupby("caching", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["caching"].map(CACHED)).drop(columns="caching")
