"""Figures 6.6 to 6.18: what is read and written again, in sequence and at random, and who writes it to the disc."""

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.chart import most_frequent, quarter, smooth
from models.windows_nt.experiments.observe import (
    AVAILABLE,
    CACHE,
    CPU,
    DISC_READ,
    DISC_WRITE,
    FLUSH_PAGES,
    HITS,
    LAZY,
    LAZY_PAGES,
    OUTPUT,
    READS,
    watched,
)
from models.windows_nt.experiments.workloads import workload
from sim.plots.direct_labels import label_ends
from sim.plots.pictures import new_axes
from sim.plots.style import BLACK, BLUE, GREEN, ORANGE, STYLE, VERMILION
from sim.study.system import Effort, Experiment
from sim.units import MIB

COLUMNS = {
    CPU: "cpu_percent", DISC_READ: "read_percent", DISC_WRITE: "write_percent", READS: "copy_reads",
    HITS: "hit_percent", FLUSH_PAGES: "flush_pages", LAZY: "lazy_flushes", LAZY_PAGES: "lazy_pages",
    OUTPUT: "pages_output",
}  # fmt: skip


def logged(name: str) -> pd.DataFrame:
    log = watched(workload(name), 1).log
    frame = log[["seconds", *COLUMNS]].rename(columns=COLUMNS)
    return frame.assign(available_mb=log[AVAILABLE] / MIB, cache_mb=log[CACHE] / MIB)


def sequential_update(effort: Effort) -> pd.DataFrame:
    return logged("sequential_update")


def random_update(effort: Effort) -> pd.DataFrame:
    return logged("random_update")


def draw_lines(frame: pd.DataFrame, lines: dict[str, tuple[str, str, float]], y_label: str, title: str) -> Axes:
    """*lines* by column: what each is called, its colour, and what it is multiplied by."""
    with matplotlib.rc_context(STYLE):
        ax = new_axes()
        for column, (name, colour, scale) in lines.items():
            values = [scale * value for value in frame[column].tolist()]
            ax.plot(frame["seconds"].to_numpy(float), values, color=colour, label=name, linewidth=1.4)
        ax.set_xlabel("seconds of the trial")
        ax.set_ylabel(y_label)
        ax.set_ylim(bottom=0)
        ax.set_title(title)
        label_ends(ax)
    return ax


def draw_sequential_update(frame: pd.DataFrame) -> Axes:
    lines = {
        "lazy_pages": ("lazy writer, pages", BLUE, 1.0), "pages_output": ("memory manager, pages", BLACK, 1.0),
        "cache_mb": ("Cache Bytes, 0.1 MB", GREEN, 10.0),
    }  # fmt: skip
    return draw_lines(frame, lines, "a second, and tenths of MB", "The lazy writer: three flushes of 64 KB a second")


def remark_sequential_update(frame: pd.DataFrame) -> str:
    later = frame.tail(len(frame) // 2)
    return (
        f"The lazy writer's usual second is {most_frequent(later['lazy_pages'].tolist()):.0f} pages in "
        f"{most_frequent(later['lazy_flushes'].tolist()):.0f} flushes (the book: 48 in 3), "
        f"{later['flush_pages'].mean():.1f} pages a second on the average (45); {later['copy_reads'].mean():.0f} "
        "records of 512 bytes are read and rewritten a second (338), at "
        f"{later['cpu_percent'].mean():.0f} % of the processor."
    )


def draw_random_update(frame: pd.DataFrame) -> Axes:
    smoothed = frame.assign(**{name: smooth(frame[name].tolist(), 9) for name in (
        "cpu_percent", "read_percent", "write_percent")})
    lines = {
        "cpu_percent": ("processor", VERMILION, 1.0), "read_percent": ("disc, reads", ORANGE, 1.0),
        "write_percent": ("disc, writes", BLACK, 1.0), "hit_percent": ("hits", BLUE, 1.0),
    }  # fmt: skip
    return draw_lines(smoothed, lines, "percent", "As reads begin to hit, writes take the disc")


def remark_random_update(frame: pd.DataFrame) -> str:
    read, write, available = (frame[name].tolist() for name in ("read_percent", "write_percent", "available_mb"))
    return (
        f"From the first quarter to the last Disk Read Time goes from {quarter(read, 0):.0f} to "
        f"{quarter(read, 3):.0f} %, Disk Write Time from {quarter(write, 0):.0f} to {quarter(write, 3):.0f} %, and "
        f"Available Bytes from {quarter(available, 0):.2f} to {quarter(available, 3):.2f} MB. Times count waiting, so "
        "that two writes at once are more than 100 %."
    )


EXPERIMENTS = (
    Experiment(
        "sequential_update", "Figure 6.12: 10 MB in records of 512 bytes, each read and written again, in sequence.",
        sequential_update, draw_sequential_update, remark_sequential_update,
    ),
    Experiment(
        "random_update", "Figures 6.13 and 6.16: records of 4 KB over 3 MB of 10 MB, read and written again at random.",
        random_update, draw_random_update, remark_random_update,
    ),
)  # fmt: skip
