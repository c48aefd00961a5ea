"""The pyramid of memories, as a table of the model's own times."""

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.levels import levels
from models.unix_stdio.machines import MACHINES
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, STYLE, VERMILION, WIDTH
from sim.study.system import Effort


def memory_pyramid(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame([
        {"machine": name, "level": each.name, "seconds": each.seconds, "survives": int(each.survives)}
        for name, machine in MACHINES.items() for each in levels(machine)
    ])  # fmt: skip


def draw_memory_pyramid(frame: pd.DataFrame) -> Axes:
    rows = frame[frame["machine"] == "lecture"]
    ax = new_axes(WIDTH, 2.6)
    with matplotlib.rc_context(STYLE):
        places = range(len(rows))
        ax.barh(places, rows["seconds"].to_numpy(float) * 1e9, 0.62, left=1.0,
                color=[VERMILION if survives else BLUE for survives in rows["survives"]])  # fmt: skip
        ax.set_xscale("log")
        ax.set_xlim(1, 2e8)
        ax.set_yticks(places, rows["level"].tolist())
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.axhline(int((rows["survives"] == 0).sum()) - 0.5, color=VERMILION, linewidth=0.8)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("nanoseconds to a byte")
        ax.set_title("Fast above, permanent below")
    return ax
