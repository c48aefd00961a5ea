"""Study of where disc caching pays: its gain by CPU busy and memory pressure, with the limits that the paper prints."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from spindle.models.hp3000.studies.misfits import MISFITS
from spindle.models.hp3000.studies.processor import GOOD_FIT, MISFIT, SATURATED
from spindle.models.hp3000.studies.trials import MIXED, PAIR, development, hybrid, run_with_theory
from spindle.sim.units import MIB
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import FAINT, INK, WIDTH
from spindle.studies.statistics import gains
from spindle.studies.study import Figure, Runs, Study
from spindle.studies.sweep.grid import Run

MAP_LOADS = {"hybrid": "hybrid load, 101 terminals", "development": "60 development sessions"}
SERIES_64_MEMORY, SHORT_MEMORY = 8 * MIB, 4 * MIB
"""Bytes of a Series 64's main memory, and of one that is short."""
OTHER_MEMORIES = [3 * MIB, 6 * MIB]
"""Bytes of further memories on the map."""
SLOW_MIPS = {"hybrid": 0.45, "development": 0.2}
"""MIPS of a CPU that each load keeps busy most of the time."""

LOAD_MARKS = {"hybrid": "o", "development": "s"}
NUMBER_OFFSETS = {"hybrid": -8, "development": 8}
"""Typographic points from a mark to its number, which differ by load because marks of both may be close."""
CLOSE_PERCENTS = (10.0, 0.6)
"""Percent of CPU and of memory pressure within which another mark leaves no room for a number."""
BUSY_LIMIT, PRESSURE_LIMIT = 65.0, 10.0
"""The paper's limits, beyond which caching should not pay: percent of CPU busy, and of memory pressure.

The paper does not define memory pressure."""


def machines() -> list[Runs]:
    """List runs of both loads on a Series 64, on one with less memory, and on one with a slower CPU."""

    def runs(load: str, mips: float, memory: int) -> Runs:
        run, terminals = (hybrid, 101) if load == "hybrid" else (development, 60)
        marks = {"load": load, "speed": mips, "case": ""}
        slower = {} if mips == 1.0 else {"mips": mips}
        return Runs(run, MIXED, marks, terminals=terminals, caching=PAIR, memory=memory, **slower)

    places = ((1.0, SERIES_64_MEMORY), (1.0, SHORT_MEMORY), (None, SERIES_64_MEMORY))
    return [runs(load, mips or slow, memory) for load, slow in SLOW_MIPS.items() for mips, memory in places]


def changed_series_64() -> list[Runs]:
    """List runs of the hybrid load with other memories, beside other work, and where CPU or memory is short."""

    def runs(case: str, caching: object = PAIR, run: Run = hybrid, **changes: Any) -> Runs:
        marks = {"load": "hybrid", "speed": 1.0, "case": case}
        return Runs(run, MIXED, marks, terminals=101, caching=caching, **changes)

    return [
        runs("", False, memory=OTHER_MEMORIES), runs("", True, run_with_theory, memory=OTHER_MEMORIES),
        *(runs(f"other work {share:g}", other_work=share) for share in (GOOD_FIT, MISFIT, SATURATED)),
        *(runs(name, **MISFITS[name].changes) for name in ("busy", "pressed")),
    ]


def gain_map(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise gains by load, speed, memory and case; ``plain_cpu_busy`` is the uncached system's.

    ``memory_pressure`` is the memory manager's share of the CPU, taken with caching: without it there is none as long
    as the programs have enough room.
    """
    values = ["cpu_busy", "memory_pressure", "memory_used", "hit_ratio", "disc_rate"]
    frame = frame.assign(memory=frame["memory"].fillna(SERIES_64_MEMORY).astype(int))
    return gains(frame, "caching", False, ["load", "speed", "memory", "case"], values)


def draw_gain_map(frame: pd.DataFrame) -> Axes:
    with drawing(WIDTH, 3.6) as ax:
        for load, rows in frame.groupby("load", sort=False):
            _points(ax, rows, str(load))
        ax.axvline(BUSY_LIMIT, color=INK, linestyle="--", linewidth=1.0)
        ax.axhline(PRESSURE_LIMIT, color=INK, linestyle="--", linewidth=1.0)
        ax.set_xlim(min(10.0, 100.0 * frame["plain_cpu_busy"].min() - 5.0), 105.0)
        ax.set_ylim(-1.0, 1.15 * max(PRESSURE_LIMIT, 100.0 * frame["memory_pressure"].max()))
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
        linewidths=0.6, marker=LOAD_MARKS[load], zorder=3, clip_on=False,
    )  # fmt: skip
    for x, y, gain in zip(busy, pressure, rows["gain"], strict=True):
        near = ((busy - x).abs() < CLOSE_PERCENTS[0]) & ((pressure - y).abs() < CLOSE_PERCENTS[1])
        place, alignment = _free_side((near & (busy < x)).any(), (near & (busy > x)).any(), NUMBER_OFFSETS[load])
        ax.annotate(f"{gain:.0f}", (x, y), place, textcoords="offset points", va="center", ha=alignment)
    ax.plot([], [], LOAD_MARKS[load], color=FAINT, label=MAP_LOADS[load])


def _free_side(left: bool, right: bool, usual: int) -> tuple[tuple[int, int], str]:
    """Return the offset of a number from its mark, and its alignment, away from a neighbour *left* or *right*."""
    if left and right:
        return (0, -14), "center"
    side = abs(usual) if left else -abs(usual) if right else usual
    return (side, 0), "left" if side > 0 else "right"


def misfit(frame: pd.DataFrame) -> pd.Series:
    """Tell for each point if it is beyond the paper's limits."""
    return (100.0 * frame["plain_cpu_busy"] > BUSY_LIMIT) | (100.0 * frame["memory_pressure"] > PRESSURE_LIMIT)


def caption_gain_map(frame: pd.DataFrame) -> str:
    outside, losing = misfit(frame), frame["gain"] <= 0.0
    ranges = [
        f"the {len(rows)} points {where} gain {rows['gain'].min():.0f} to {rows['gain'].max():.0f} %"
        for where, rows in (("within them", frame[~outside]), ("beyond them", frame[outside])) if len(rows)
    ]
    most = 0.0 if losing.all() else 100.0 * frame["memory_pressure"][~losing].max()
    return (
        f"Dashed are the paper's limits, {BUSY_LIMIT:.0f} % of the CPU and {PRESSURE_LIMIT:.0f} % of memory pressure, "
        f"which is taken as the memory manager's share of the CPU: {', '.join(ranges)}. "
        f"{losing.sum()} of {len(frame)} points lose, and the limits are right about "
        f"{(outside == losing).sum()} of them all. None gains beyond {most:.1f} % of memory pressure."
    )


STUDIES = (
    Study("gain_map", [*machines(), *changed_series_64()], Figure(gain_map, draw_gain_map, caption_gain_map)),
)  # fmt: skip
