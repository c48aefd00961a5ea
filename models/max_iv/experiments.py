"""What Max-IV's experiments vary and how their results are drawn."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS
from models.max_iv.references import Referred
from models.max_iv.run import run
from sim.experiment.beside import summarise_beside
from sim.experiment.hit_curve import hit_curve, hit_remark, summarise_hits
from sim.experiment.load_curve import load_curve, load_remark
from sim.experiment.system import Effort, Experiment
from sim.measure.result import Result

SIZES = (64, 128, 192, *range(256, 513, 32), 640, 768, 1024)
"""With the sizes between 256 and 512 at which Jacobson did not look (3.2)."""
STRETCH = 3.0
"""Few users give few commands, so these runs last so many times as long as others."""
CACHED = {0: "no cache", SECTORS: f"{SECTORS} sectors"}
RESPONSE = "RETURN to first character, s"
RULES = "end-of-file marks make it forget sectors, and who reads one on its way makes a late hit"


def stretched(minutes: float, warm_up: float, **others: object) -> Result:
    return run(minutes=STRETCH * minutes, warm_up=STRETCH * warm_up, **others)  # type: ignore[arg-type]


def referred(sectors: int, **others: object) -> Result:
    """A run that also says what Che's approximation makes of its references."""
    seen = Referred()
    return seen.beside(stretched(sectors=sectors, watch=seen, **others), sectors)  # type: ignore[arg-type]


def hit_ratio_vs_sectors(effort: Effort) -> pd.DataFrame:
    """Hit ratio and response of 3 users against the size of the cache."""
    frame = effort.sweep(referred, users=3, sectors=list(SIZES))
    values = ["hit_ratio", "read_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "management_share",
              "response_mean", "response_p95"]
    return summarise_hits(frame, ["sectors"], values)


def draw_hit_ratio_vs_sectors(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "sectors", x_label="sectors in the cache", y_label="hits, of all requests",
        title="No step between 256 and 512 sectors",
    )


def remark_hit_ratio_vs_sectors(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "sectors", "sectors", RULES)


def response_vs_users(effort: Effort) -> pd.DataFrame:
    """Response against the number of users, without a cache (0 sectors) and with Jacobson's."""
    frame = effort.sweep(stretched, users=list(range(1, 7)), sectors=[0, SECTORS])
    values = ["response_mean", "response_p95", "op_rate", "cpu_busy", "disc_busy", "hit_ratio"]
    return summarise_beside(frame, "users", ["users", "sectors"], values)


def draw_response_vs_users(frame: pd.DataFrame) -> Axes:
    return load_curve(
        frame, "users", "sectors", CACHED, x_label="users", y_label=RESPONSE,
        title="The cache helps most where users share the disc",
    )


def remark_response_vs_users(frame: pd.DataFrame) -> str:
    return load_remark(frame, "users", "users", "sectors", CACHED)


def breakdown(effort: Effort) -> pd.DataFrame:
    """Where a response of 3 users goes, cached and not: means over the replications, one column a part."""
    frame = effort.sweep(stretched, users=3, sectors=[0, SECTORS])
    parts = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby("sectors", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["sectors"].map(CACHED)).drop(columns="sectors")


EXPERIMENTS = (
    Experiment(
        "hit_ratio_vs_sectors",
        "How the hit ratio grows with the number of sectors in the cache, also between 256 and 512.",
        hit_ratio_vs_sectors, draw_hit_ratio_vs_sectors, remark_hit_ratio_vs_sectors,
    ),
    Experiment(
        "response_vs_users",
        "How response time grows with the number of users, with the cache and without.",
        response_vs_users, draw_response_vs_users, remark_response_vs_users,
    ),
)
