"""Study of where disc caching fits: a map of its gain by CPU busy without it and memory pressure with it, beside the
paper's limits for a field engineer.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from spindle.models.hp3000.studies.trials import MIXED, PAIR, development, hybrid
from spindle.sim.units import MIB
from spindle.studies.plots.style import FAINT, INK, WIDTH, drawing, legend_below
from spindle.studies.statistics import gains
from spindle.studies.study import Figure, Runs, Study

LOADS = {"hybrid": "hybrid load, 101 terminals", "development": "60 development sessions"}
SHORT_MEMORY = 4 * MIB
"""Main memory that is short; a Series 64 has twice as much."""
SLOW = {"hybrid": 0.45, "development": 0.2}
"""MIPS of a CPU that is busy most of the time."""

MARKS = {"hybrid": "o", "development": "s"}
SIDES = {"hybrid": -8, "development": 8}
"""Points from a mark to its number: two marks of different loads lie side by side."""
BUSY_MOST, PRESSURE_MOST = 65.0, 10.0
"""The paper's limits, beyond which a load is a misfit: percent of CPU busy and of memory pressure, undefined there."""


def machines() -> list[Runs]:
    """Both loads on a Series 64, on one with less memory, and on one with a slower CPU."""

    def runs(load: str, mips: float, memory: int) -> Runs:
        run, terminals = (hybrid, 101) if load == "hybrid" else (development, 60)
        marks = {"load": load, "speed": mips}
        slower = {} if mips == 1.0 else {"mips": mips}
        return Runs(run, MIXED, marks, terminals=terminals, caching=PAIR, memory=memory, **slower)

    places = ((1.0, 8 * MIB), (1.0, SHORT_MEMORY), (None, 8 * MIB))
    return [runs(load, mips or slow, memory) for load, slow in SLOW.items() for mips, memory in places]


def gain_map(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise gains by load, speed and memory; ``plain_cpu_busy`` is the uncached system's.

    ``memory_pressure`` is the memory manager's share of the CPU, taken with caching: without it there is none as long
    as the programs have enough room.
    """
    values = ["cpu_busy", "memory_pressure", "memory_used", "hit_ratio", "disc_rate"]
    return gains(frame, "caching", False, ["load", "speed", "memory"], values)


def draw_gain_map(frame: pd.DataFrame) -> Axes:
    with drawing(WIDTH, 3.6) as ax:
        for load, rows in frame.groupby("load", sort=False):
            _points(ax, rows, str(load))
        ax.axvline(BUSY_MOST, color=INK, linestyle="--", linewidth=1.0)
        ax.axhline(PRESSURE_MOST, color=INK, linestyle="--", linewidth=1.0)
        ax.set_xlim(min(10.0, 100.0 * frame["plain_cpu_busy"].min() - 5.0), 105.0)
        ax.set_ylim(-0.5, 1.15 * max(PRESSURE_MOST, 100.0 * frame["memory_pressure"].max()))
        ax.set(xlabel="CPU busy without caching, %", ylabel="memory pressure with caching, %",
               title="Where disc caching fits")
        ax.figure.colorbar(ax.collections[0], ax=ax, label="gain, %")
        legend_below(ax)
    return ax


def _points(ax: Axes, rows: pd.DataFrame, load: str) -> None:
    """Draw each of *rows*, its gain in percent beside it."""
    busy, pressure = 100.0 * rows["plain_cpu_busy"], 100.0 * rows["memory_pressure"]
    ax.scatter(
        busy, pressure, c=rows["gain"], cmap="RdBu", norm=Normalize(-100.0, 100.0), s=70, edgecolors=INK,
        linewidths=0.6, marker=MARKS[load], zorder=3, clip_on=False,
    )  # fmt: skip
    for x, y, gain in zip(busy, pressure, rows["gain"], strict=True):
        ax.annotate(f"{gain:.0f}", (x, y), (SIDES[load], 0), textcoords="offset points", va="center",
                    ha="left" if SIDES[load] > 0 else "right")  # fmt: skip
    ax.plot([], [], MARKS[load], color=FAINT, label=LOADS[load])


def misfit(frame: pd.DataFrame) -> pd.Series:
    """Tell for each point if it is a misfit by the paper's limits."""
    return (100.0 * frame["plain_cpu_busy"] > BUSY_MOST) | (100.0 * frame["memory_pressure"] > PRESSURE_MOST)


def caption_gain_map(frame: pd.DataFrame) -> str:
    outside, losing = misfit(frame), frame["gain"] <= 0.0
    ranges = [
        f"the {len(rows)} points {where} gain {rows['gain'].min():.0f} to {rows['gain'].max():.0f} %"
        for where, rows in (("within them", frame[~outside]), ("beyond them", frame[outside])) if len(rows)
    ]
    most = 0.0 if losing.all() else 100.0 * frame["memory_pressure"][~losing].max()
    return (
        f"Dashed are the paper's limits, {BUSY_MOST:.0f} % of the CPU and {PRESSURE_MOST:.0f} % of memory pressure, "
        f"which is taken as the memory manager's share of the CPU: {', '.join(ranges)}. "
        f"{losing.sum()} of {len(frame)} points lose, and the limits are right about "
        f"{(outside == losing).sum()} of them all. None gains beyond {most:.1f} % of memory pressure."
    )


STUDIES = (
    Study(
        "gain_map",
        "Where disc caching fits, in the plane of CPU busy before it and memory pressure with it.",
        machines(), Figure(gain_map, draw_gain_map, caption_gain_map),
    ),
)  # fmt: skip
