"""Claims as a picture: how far the simulation lies from each published number, and whether that is near enough."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.claims.verdicts import Verdict
from sim.plots.pictures import drawing
from sim.plots.style import BLUE, FAINT, ORANGE, SMALL, VERMILION, WIDTH

MARKS = {Verdict.HOLDS: ("o", BLUE), Verdict.FAILS: ("X", VERMILION), Verdict.UNDECIDED: ("D", ORANGE),
         Verdict.NOT_SCORED: ("s", FAINT)}  # fmt: skip
LEAST, MOST = 0.0, 2.0
"""What lies beyond is marked at the edge, with its value."""


def claims_board(frame: pd.DataFrame) -> Axes:
    """A row for each claim of *frame* that has a published number other than 0 and a simulated one.

    All numbers are shown as multiples of the published one: the bar is what the bounds allow, the dot what was
    simulated, with its 95 % interval. An inequality is left out, for it has no size.
    """
    inequality = frame["low"].eq(frame["high"]) & frame["published"].eq(1.0)
    shown = frame[frame["published"].ne(0) & frame["simulated"].notna() & ~inequality]
    with drawing(WIDTH, 1.35 + 0.21 * max(1, len(shown))) as ax:
        ax.axvline(1.0, color=FAINT, linewidth=1.0, zorder=1)
        for place, row in enumerate(shown.to_dict("records")):
            _row(ax, place, row)
        ax.set_yticks(range(len(shown)), [str(name) for name in shown["id"]])
        ax.set_ylim(max(1, len(shown)) - 0.4, -0.6)
        ax.set_xlim(LEAST, MOST)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("simulated / published")
        _legend(ax, [verdict for verdict in Verdict if str(verdict) in set(shown["verdict"])])
    return ax


def _row(ax: Axes, place: int, row: Mapping[Any, Any]) -> None:
    unit = row["published"]
    low, high = sorted((row["low"] / unit, row["high"] / unit))
    ax.barh(place, high - low, 0.62, low, color="#D9E2E8", zorder=2)
    value = row["simulated"] / unit
    mark, colour = MARKS[Verdict(row["verdict"])]
    ends = sorted((row["ci_low"] / unit, row["ci_high"] / unit))
    ax.plot(ends, [place, place], color=colour, linewidth=1.6, zorder=3)
    if LEAST <= value <= MOST:
        ax.plot([value], [place], mark, color=colour, markersize=5.5, zorder=4, clip_on=False)
        return
    edge, inwards, align = (MOST, -8, "right") if value > MOST else (LEAST, 8, "left")
    ax.plot([edge], [place], ">" if value > MOST else "<", color=colour, zorder=4, clip_on=False)
    ax.annotate(f"{value:.3g}", (edge, place), (inwards, 0), textcoords="offset points", ha=align, va="center",
                color=colour, fontsize=SMALL)  # fmt: skip


def _legend(ax: Axes, verdicts: list[Verdict]) -> None:
    for verdict in verdicts:
        mark, colour = MARKS[verdict]
        ax.plot([], [], mark, color=colour, label=str(verdict))
    if verdicts:
        ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.4)
