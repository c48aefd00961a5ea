"""The map of good fit and misfit, as a field engineer would want it: by how busy the CPU is and how short memory."""

from functools import cache

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from models.hp3000.experiments.gains import few, gains
from models.hp3000.run import run
from sim.error import unknown
from sim.measure.result import Result
from sim.plots.pictures import new_axes
from sim.plots.style import FAINT, INK, STYLE, WIDTH
from sim.study.system import Effort, Experiment
from sim.units import MIB

LOADS = {"hybrid": (63, 38, "hybrid load, 101 terminals"), "development": (0, 60, "60 development sessions")}
MIPS = {"hybrid": (1.0, 0.45), "development": (1.0, 0.2)}
MEMORY = {"hybrid": (8.0, 5.0, 3.5), "development": (8.0, 4.0)}
"""MiB."""

MARKS = {"hybrid": "o", "development": "s"}
BUSY_MOST, PRESSURE_MOST = 65.0, 10.0
"""Misfit beyond: percent of the CPU busy, and of memory pressure, which the paper does not define."""


def configured(load: str, **others: object) -> Result:
    """A *load* on some machine."""
    if load not in LOADS:
        raise unknown("load", load, LOADS)
    terminals, development, _ = LOADS[load]
    return run(terminals=terminals, development=development, **others)  # type: ignore[arg-type]


@cache
def gain_map(effort: Effort) -> pd.DataFrame:
    """``plain_cpu_busy`` is the uncached system's; ``memory_pressure`` is the memory manager's share of the CPU.

    That is taken with caching, for without it there is none as long as the programs have room for themselves.
    """
    frames = [
        few(effort).sweep(
            configured, load=load, mips=list(MIPS[load]), memory=[int(each * MIB) for each in MEMORY[load]],
            caching=[False, True],
        )
        for load in LOADS
    ]  # fmt: skip
    values = ["cpu_busy", "memory_pressure", "memory_used", "hit_ratio", "disc_rate"]
    return gains(pd.concat(frames, ignore_index=True), "caching", False, ["load", "mips", "memory"], values)


def draw_gain_map(frame: pd.DataFrame) -> Axes:
    ax = new_axes(WIDTH, 3.9)
    with matplotlib.rc_context(STYLE):
        for load, rows in frame.groupby("load", sort=False):
            _points(ax, rows, MARKS[str(load)], LOADS[str(load)][2])
        ax.axvline(BUSY_MOST, color=INK, linestyle="--", linewidth=1.0)
        ax.axhline(PRESSURE_MOST, color=INK, linestyle="--", linewidth=1.0)
        ax.set_xlim(min(10.0, 100.0 * frame["plain_cpu_busy"].min() - 5.0), 100)
        ax.set_ylim(-0.5, 1.15 * max(PRESSURE_MOST, 100.0 * frame["memory_pressure"].max()))
        ax.set_xlabel("CPU busy without caching, %")
        ax.set_ylabel("memory pressure with caching, %")
        ax.set_title("Where disc caching fits")
        ax.figure.colorbar(ax.collections[0], ax=ax, label="gain, %")
        ax.figure.legend(loc="outside lower left", ncols=2)
    return ax


def _points(ax: Axes, rows: pd.DataFrame, mark: str, name: str) -> None:
    busy, pressure = 100.0 * rows["plain_cpu_busy"], 100.0 * rows["memory_pressure"]
    ax.scatter(
        busy, pressure, c=rows["gain"], cmap="RdBu", norm=Normalize(-100.0, 100.0), s=270, edgecolors=INK,
        linewidths=0.6, marker=mark, zorder=3, clip_on=False,
    )  # fmt: skip
    for x, y, gain in zip(busy, pressure, rows["gain"], strict=True):
        ink = "white" if abs(gain) > 60.0 else INK
        ax.text(x, y, f"{gain:.0f}", color=ink, ha="center", va="center", fontsize=8, zorder=4)
    ax.plot([], [], mark, color=FAINT, label=name)


def misfit(frame: pd.DataFrame) -> pd.Series:
    """Whether a point is one by the paper's limits."""
    return (100.0 * frame["plain_cpu_busy"] > BUSY_MOST) | (100.0 * frame["memory_pressure"] > PRESSURE_MOST)


def remark_gain_map(frame: pd.DataFrame) -> str:
    outside, losing = misfit(frame), frame["gain"] <= 0.0
    said = [
        f"the {len(rows)} points {where} gain {rows['gain'].min():.0f} to {rows['gain'].max():.0f} %"
        for where, rows in (("within them", frame[~outside]), ("beyond them", frame[outside])) if len(rows)
    ]
    most = 0.0 if losing.all() else 100.0 * frame["memory_pressure"][~losing].max()
    return (
        f"Dashed are the paper's limits, {BUSY_MOST:.0f} % of the CPU and {PRESSURE_MOST:.0f} % of memory pressure, "
        f"which is taken as the memory manager's share of the CPU: {', '.join(said)}. "
        f"{losing.sum()} of {len(frame)} lose; the limits tell that of "
        f"{(outside == losing).sum()}. Nothing gains beyond {most:.1f} % of memory pressure."
    )


EXPERIMENTS = (
    Experiment(
        "gain_map",
        "Where disc caching fits, in the plane of CPU busy before it and memory pressure with it.",
        gain_map, draw_gain_map, remark_gain_map, slow=True,
    ),
)  # fmt: skip
