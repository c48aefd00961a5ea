"""Hits against the size of the cache, also between 256 and 512 sectors, where Jacobson did not look."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.experiments.common import referred
from sim.plots.curves import stacked_bars
from sim.plots.hit_curve import hit_curve, hit_remark, summarise_hits
from sim.plots.style import BLUE, GREEN, ORANGE, SKY
from sim.study.system import Effort, Experiment

SIZES = (64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024)
RULES = "end-of-file marks make it forget sectors, and who reads one on its way makes a late hit"
KINDS = {"absent": "reads of a sector", "large": "large reads", "writes": "writes", "weofs": "end-of-file marks"}


def hit_ratio_vs_sectors(effort: Effort) -> pd.DataFrame:
    """Hit ratio and response of 3 users against the size of the cache, and what misses."""
    frame = effort.sweep(referred, users=3, sectors=list(SIZES))
    values = ["hit_ratio", "read_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "oversize_share",
              "management_share", "response_mean", "response_p95"]
    return summarise_hits(frame, ["sectors"], values)


def draw_hit_ratio_vs_sectors(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "sectors", x_label="sectors in the cache", y_label="hits, of all requests",
        title="No step between 256 and 512 sectors",
    )


def remark_hit_ratio_vs_sectors(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "sectors", "sectors", RULES)


def miss_breakdown(effort: Effort) -> pd.DataFrame:
    """What misses, as shares of all requests, at some sizes of the cache."""
    frame = effort.sweep(referred, users=3, sectors=[128, 256, 512, 1024])
    rows = frame.groupby("sectors", sort=False)[
        ["hit_ratio", "late_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "oversize_share"]
    ].mean().reset_index()  # fmt: skip
    missed = 1.0 - rows["hit_ratio"] - rows["late_hit_ratio"]
    return rows.assign(
        absent=missed * rows["miss_reads"] * (1.0 - rows["oversize_share"]),
        large=missed * rows["miss_reads"] * rows["oversize_share"],
        writes=missed * rows["miss_writes"], weofs=missed * rows["miss_weofs"],
    )  # fmt: skip


def draw_miss_breakdown(frame: pd.DataFrame) -> Axes:
    colours = {"absent": BLUE, "large": SKY, "writes": ORANGE, "weofs": GREEN}
    return stacked_bars(
        frame, "sectors", KINDS, colours=colours, x_label="misses, of all requests",
        title="What still misses is mostly read for the first time", least=0.0,
        names={sectors: f"{sectors} sectors" for sectors in frame["sectors"]},
    )  # fmt: skip


def remark_miss_breakdown(frame: pd.DataFrame) -> str:
    row = frame[frame["sectors"] == 512].iloc[0]
    return (
        f"With 512 sectors {row['miss_reads']:.0%} of the misses are reads; {row['oversize_share']:.0%} of these are "
        "larger than a sector, so that most of them are not from loading programs, as Jacobson thought they might be."
    )


EXPERIMENTS = (
    Experiment(
        "hit_ratio_vs_sectors",
        "How the hit ratio grows with the number of sectors in the cache, also between 256 and 512.",
        hit_ratio_vs_sectors, draw_hit_ratio_vs_sectors, remark_hit_ratio_vs_sectors,
    ),
    Experiment(
        "miss_breakdown", "What misses: reads that were not there, large ones, writes and end-of-file marks.",
        miss_breakdown, draw_miss_breakdown, remark_miss_breakdown, slow=True,
    ),
)  # fmt: skip
