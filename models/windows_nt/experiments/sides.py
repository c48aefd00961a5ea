"""Figures 6.19 to 6.21: one process reads a file by way of the cache, another maps its own; who gets the memory?"""

from functools import cache

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.chart import quarter
from models.windows_nt.experiments.observe import AVAILABLE, CACHE, watched, working_set
from models.windows_nt.experiments.workloads import workload
from sim.plots.curves import curve
from sim.plots.direct_labels import label_ends
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, GREEN, SKY, STYLE, VERMILION
from sim.study.system import Effort, Experiment
from sim.units import MIB
from workloads.probe.variant import spread_over

SPREADS = range(1, 9)
"""MB."""
SECONDS = 60.0
PAGES = "Memory: Pages/sec"
MAPPED = "MAPPED.EXE"


def at(spread: int, seed: object = 1, seconds: float = SECONDS, **parameters: object) -> dict[str, float]:
    """Both processes spread over so many MB each: responses, and who holds what in the second half."""
    seen = watched(spread_over(workload("side_by_side"), spread * MIB), seed, seconds, 1.0, **parameters)
    (mapped,) = [name for name in seen.log.columns if name.startswith(working_set(MAPPED)[:-1])]
    lines = {"cache_mb": seen.mb(CACHE), "mapped_mb": seen.mb(mapped), "available_mb": seen.mb(AVAILABLE),
             "pages_per_second": seen.line(PAGES)}
    return {
        "spread_mb": spread,
        "buffered_ms": seen.result.extras["response_ms_1"], "mapped_ms": seen.result.extras["response_ms_2"],
        **{name: (quarter(line, 2) + quarter(line, 3)) / 2 for name, line in lines.items()},
    }  # fmt: skip


@cache
def side_by_side(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame([at(spread) for spread in SPREADS])


def draw_side_by_side(frame: pd.DataFrame) -> Axes:
    return curve(
        frame.melt("spread_mb", ["buffered_ms", "mapped_ms"], "way", "ms"), "spread_mb", "ms", "way",
        names={"buffered_ms": "buffered", "mapped_ms": "mapped"}, x_label="each spread over, MB",
        y_label="response, ms", title="Mapping is faster until memory is short",
    )  # fmt: skip


def remark_side_by_side(frame: pd.DataFrame) -> str:
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"Mapped to buffered is {first['mapped_ms'] / first['buffered_ms']:.2f} over {first['spread_mb']:.0f} MB and "
        f"{last['mapped_ms'] / last['buffered_ms']:.2f} over {last['spread_mb']:.0f} MB (the book: faster, then even)."
    )


def memory_shares(effort: Effort) -> pd.DataFrame:
    return side_by_side(effort)


def draw_memory_shares(frame: pd.DataFrame) -> Axes:
    with matplotlib.rc_context(STYLE):
        ax = new_axes()
        x = frame["spread_mb"].to_numpy(float)
        for column, name, colour in (
            ("cache_mb", "Cache Bytes", GREEN), ("mapped_mb", "mapped working set", VERMILION),
            ("available_mb", "Available Bytes", BLUE),
        ):  # fmt: skip
            ax.plot(x, frame[column].to_numpy(float), "o-", color=colour, label=name)
        ax.plot(x, frame["pages_per_second"].to_numpy(float) / 10, "o-", color=SKY, label="Pages/sec, tens")
        ax.set_xlabel("each spread over, MB")
        ax.set_ylabel("MB, and tens of pages a second")
        ax.set_ylim(bottom=0)
        ax.set_title("Who holds the memory")
        label_ends(ax)
    return ax


def remark_memory_shares(frame: pd.DataFrame) -> str:
    ahead = frame[frame["mapped_mb"] > frame["cache_mb"]]["spread_mb"].tolist()
    where = f"from {min(ahead):.0f} MB on" if ahead else "nowhere"
    return f"The mapped working set is the larger {where} (the book: the cache at first, then the process)."


EXPERIMENTS = (
    Experiment(
        "side_by_side", "Figure 6.21: the response of a process that maps its file and of one that reads it.",
        side_by_side, draw_side_by_side, remark_side_by_side,
    ),
    Experiment(
        "memory_shares", "Figures 6.19 and 6.20: what the cache and the mapped process hold, and what is left.",
        memory_shares, draw_memory_shares, remark_memory_shares,
    ),
)  # fmt: skip
