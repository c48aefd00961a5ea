"""Figures 6.3 to 6.5: the cache grows into memory until it holds what is read, and what is seen of that."""

from functools import cache

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.chart import crossing, quarter, smooth, teeth
from models.windows_nt.experiments.observe import AVAILABLE, CACHE, CPU, DISC, HITS, READS, watched
from models.windows_nt.experiments.workloads import workload
from sim.plots.direct_labels import label_ends
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, GREEN, STYLE, VERMILION
from sim.study.system import Effort, Experiment
from sim.units import MIB

TOOTH = 0.1
"""MB by which Available Bytes must jump to be a tooth."""


@cache
def logged() -> pd.DataFrame:
    seen = watched(workload("large_read"), 1)
    log = pd.concat([seen.lead, seen.log])
    columns = {CPU: "cpu_percent", DISC: "disc_percent", READS: "copy_reads", HITS: "hit_percent"}
    frame = log[["seconds", *columns]].rename(columns=columns)
    return frame.assign(available_mb=log[AVAILABLE] / MIB, cache_mb=log[CACHE] / MIB)


def cache_growth(effort: Effort) -> pd.DataFrame:
    return logged()


def draw_cache_growth(frame: pd.DataFrame) -> Axes:
    """Shares on the left scale, in tens of percent, so that all four lines share one axis with the megabytes."""
    with matplotlib.rc_context(STYLE):
        ax = new_axes()
        for column, name, colour, scale in (
            ("available_mb", "Available Bytes, MB", BLUE, 1.0), ("cache_mb", "Cache Bytes, MB", GREEN, 1.0),
            ("cpu_percent", "processor, 10 %", VERMILION, 0.1), ("disc_percent", "disc, 10 %", "#E69F00", 0.1),
        ):  # fmt: skip
            values = [scale * value for value in frame[column].tolist()]
            drawn = smooth(values) if scale < 1 else values
            ax.plot(frame["seconds"].to_numpy(float), drawn, color=colour, label=name, linewidth=1.5)
        ax.set_xlabel("seconds of the trial")
        ax.set_ylabel("MB, and tens of percent")
        ax.set_ylim(0, 10.4)
        ax.set_title("The cache takes what memory there is")
        label_ends(ax)
    return ax


def remark_cache_growth(frame: pd.DataFrame) -> str:
    trial = frame[frame["seconds"] > 0]
    cpu, disc, cache, available = (trial[name].tolist() for name in (
        "cpu_percent", "disc_percent", "cache_mb", "available_mb"))
    return (
        f"The lines cross at {crossing(disc, cpu, cache):.2f} MB of cache (the book: about 3). Available Bytes has "
        f"{teeth(available, TOOTH)} teeth and settles at {quarter(available, 3):.2f} MB (the book: 2.75)."
    )


def hits_and_rate(effort: Effort) -> pd.DataFrame:
    return logged()


def draw_hits_and_rate(frame: pd.DataFrame) -> Axes:
    with matplotlib.rc_context(STYLE):
        ax = new_axes()
        x = frame["seconds"].to_numpy(float)
        hits, reads = frame["hit_percent"].to_numpy(float), frame["copy_reads"].to_numpy(float) / 10
        ax.plot(x, hits, color=BLUE, label="Copy Read Hits %", linewidth=1.5)
        ax.plot(x, reads, color=VERMILION, label="Copy Reads/sec, tens", linewidth=1.5)
        ax.set_xlabel("seconds of the trial")
        ax.set_ylabel("percent, and tens a second")
        ax.set_ylim(0, 106)
        ax.set_title("A hit percentage is worth its rate")
        label_ends(ax)
    return ax


def remark_hits_and_rate(frame: pd.DataFrame) -> str:
    before = frame[frame["seconds"] <= 0]
    hits, reads = max(zip(before["hit_percent"].tolist(), before["copy_reads"].tolist(), strict=True))
    last = frame.tail(len(frame) // 4).mean()
    return (
        f"Before the trial, when Probe reads its scripts, {hits:.0f} % of {reads:.0f} reads in a second hit; "
        f"in the last quarter {last['hit_percent']:.1f} % of {last['copy_reads']:.0f}."
    )


EXPERIMENTS = (
    Experiment(
        "cache_growth", "Figure 6.3: 8 KB records over 4 MB of a file of 10 MB, read for two minutes.",
        cache_growth, draw_cache_growth, remark_cache_growth,
    ),
    Experiment(
        "hits_and_rate", "Figure 6.5: the hit percentage of that run, and the rate without which it says nothing.",
        hits_and_rate, draw_hits_and_rate, remark_hits_and_rate,
    ),
)  # fmt: skip
