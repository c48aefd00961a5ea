"""Sobol' indices as a picture: for each claim's number a line a parameter, from what it does alone to all it does."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sim.plots.pictures import drawing
from sim.plots.style import BLUE, FAINT, GRID, SMALL, VERMILION, WIDTH

CAPTION = (
    "How much of the swing of each claim's number is due to each parameter, while all of these are drawn together "
    "between half and double: by itself (filled) and in all that it has a part in (open), with 95 % intervals. Red: "
    "the two part by more than their intervals and chance, whose share is the grey bar; it acts together with another."
)
ROW, GAP = 0.18, 0.6
"""Inches of a row; the room between two claims, as a share of a row."""
APART = 0.14
"""How far the two indices of a row lie from its middle, so that neither hides the other's interval."""


def global_board(frame: pd.DataFrame) -> Axes:
    """What global_sensitivity gave, as CAPTION explains it; a number that nothing moves is left out."""
    claims = [rows for _, rows in frame[frame["spread"] > 0.0].groupby("id", sort=False)]
    names: dict[float, str] = {}
    with drawing(WIDTH, 1.1 + ROW * sum(len(rows) + GAP for rows in claims)) as ax:
        top = 0.0
        for rows in claims:
            chance = float(rows["chance"].iloc[0])
            ax.add_patch(Rectangle((0.0, top - 0.5), chance, len(rows), facecolor=GRID, linewidth=0))
            ax.annotate(str(rows["id"].iloc[0]), (1.0, top), (4, 0), xycoords=("axes fraction", "data"), fontsize=SMALL,
                        textcoords="offset points", va="center", annotation_clip=False)  # fmt: skip
            for place, row in enumerate(rows.to_dict("records")):
                _indices(ax, top + place, row)
                names[top + place] = str(row["parameter"])
            top += len(rows) + GAP
        ax.set_yticks(list(names), list(names.values()), fontsize=SMALL)
        ax.set_ylim(max(top, 1.0) - 0.5, -0.7)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("share of the variance")
        ax.grid(visible=False, axis="y")
        _legend(ax)
    return ax


def _indices(ax: Axes, place: float, row: dict[Any, Any]) -> None:
    colour = VERMILION if row["together"] else BLUE
    for name, filling, y in (("first", colour, place - APART), ("total", "white", place + APART)):
        low, value, high = (min(1.0, max(0.0, row[each])) for each in (f"{name}_low", name, f"{name}_high"))
        ax.plot([low, high], [y, y], color=colour, linewidth=1.0)
        ax.plot([value], [y], "o", color=colour, markerfacecolor=filling, markersize=3.6, zorder=4, clip_on=False)


def _legend(ax: Axes) -> None:
    for filling, words in ((BLUE, "by itself"), ("white", "in all")):
        ax.plot([], [], "o", color=BLUE, markerfacecolor=filling, label=words)
    ax.plot([], [], "s", color=VERMILION, label="together with another")
    ax.plot([], [], "s", color=FAINT, markerfacecolor=GRID, label="chance")
    ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.2)
