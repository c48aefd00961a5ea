"""Sensitivity as a picture: a row for each assumed parameter halved and doubled, a column for each claim."""

from math import fsum
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle

from sim.claims.claims import Role
from sim.claims.sensitivity import IMPOSSIBLE
from sim.claims.verdicts import Verdict
from sim.plots.pictures import drawing
from sim.plots.style import FAINT, INK, SMALL, WIDTH
from sim.report.claims_board import MARKS

CAPTION = (
    "Above, each verdict as assumed; below, with one assumed number halved (½) or doubled (2). "
    "Pale: the verdict stays. Full colour: it flips. A small mark: it is no longer decided, or only now. "
    "A dash: no such machine is possible."
)
PALE = {str(Verdict.HOLDS): "#D6E6F2", str(Verdict.FAILS): "#F9E3D6", str(Verdict.UNDECIDED): "#F3F0E6"}
ROW, COLUMN, GAP = 0.15, 0.15, 0.5
"""Inches of a row, and of a column at least; the room between two roles, as a share of a column."""
NAMES = 1.6
"""Inches for the names of the rows."""
HALF = 0.46
"""Half a cell, of the room of 1 that it has."""
SIGNS = {0.5: "\u00bd", 2.0: "2"}


def sensitivity_board(frame: pd.DataFrame) -> Axes:
    """What sensitivity gave, as CAPTION explains it; the columns by role."""
    variants = frame[["parameter", "factor"]].drop_duplicates()
    width = max(WIDTH, NAMES + COLUMN * frame["id"].nunique())
    height = 1.75 + ROW * (len(variants) + 0.5 * variants["parameter"].nunique() + 2)
    with drawing(width, height) as ax:
        columns, rows, cells = _columns(frame), _rows(variants), frame.to_dict("records")
        for claim in frame.drop_duplicates("id").to_dict("records"):
            _mark(ax, columns[claim["id"]], 0.0, claim["base_verdict"], 4.5)
        places = [(columns[cell["id"]], rows[cell["parameter"], cell["factor"]]) for cell in cells]
        _fill(ax, places, cells)
        for (x, y), cell in zip(places, cells, strict=True):
            _say(ax, x, y, cell)
        _name_columns(ax, columns, frame)
        _name_rows(ax, rows)
        _legend(ax, frame)
    return ax


def _columns(frame: pd.DataFrame) -> dict[str, float]:
    """Where each claim stands: by role, the claims of a role as they come."""
    places: dict[str, float] = {}
    at = 0.0
    for role in Role:
        names = frame.loc[frame["role"].eq(str(role)), "id"].unique()
        places |= {name: at + number for number, name in enumerate(names)}
        at += len(names) + GAP if len(names) else 0.0
    return places


def _rows(variants: pd.DataFrame) -> dict[tuple[str, float], float]:
    places: dict[tuple[str, float], float] = {}
    at, before = 1.0, ""
    for name, factor in variants.itertuples(index=False):
        at += 1.0 if name == before else 1.5
        places[name, factor] = at
        before = name
    return places


def _fill(ax: Axes, places: list[tuple[float, float]], cells: list[dict[Any, Any]]) -> None:
    """All as one thing to draw, for there are hundreds."""
    boxes = [Rectangle((x - HALF, y - HALF), 2 * HALF, 2 * HALF) for x, y in places]
    ax.add_collection(PatchCollection(boxes, facecolors=[_colour(cell) for cell in cells], edgecolors="none"))


def _colour(cell: dict[Any, Any]) -> str:
    if cell["verdict"] == IMPOSSIBLE:
        return "white"
    return MARKS[Verdict(cell["verdict"])][1] if cell["flips"] else PALE[cell["base_verdict"]]


def _say(ax: Axes, x: float, y: float, cell: dict[Any, Any]) -> None:
    if cell["verdict"] == IMPOSSIBLE:
        ax.plot([x - 0.25, x + 0.25], [y, y], color=FAINT, linewidth=1.2)
    elif cell["flips"]:
        _mark(ax, x, y, cell["verdict"], 4.0, "white")
    elif cell["verdict"] != cell["base_verdict"]:
        _mark(ax, x, y, cell["verdict"], 2.6)


def _mark(ax: Axes, x: float, y: float, verdict: str, size: float, colour: str = "") -> None:
    mark, usual = MARKS[Verdict(verdict)]
    ax.plot([x], [y], mark, color=colour or usual, markersize=size, markeredgewidth=0.0, zorder=3, clip_on=False)


def _name_columns(ax: Axes, columns: dict[str, float], frame: pd.DataFrame) -> None:
    ax.set_xticks(list(columns.values()), list(columns), rotation=90, fontsize=SMALL)
    ax.set_xlim(-0.6, max(columns.values()) + 0.6)
    ax.tick_params(axis="x", length=0, pad=1)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    for role, names in frame.groupby("role", sort=False)["id"].unique().items():
        places = [columns[name] for name in names]
        ax.plot([min(places) - HALF, max(places) + HALF], [-0.9, -0.9], color=FAINT, linewidth=0.8, clip_on=False)
        ax.annotate(str(role), ((min(places) + max(places)) / 2, -1.1), fontsize=SMALL, color=INK, rotation=38,
                    ha="left", va="bottom", rotation_mode="anchor", annotation_clip=False)  # fmt: skip


def _name_rows(ax: Axes, rows: dict[tuple[str, float], float]) -> None:
    middles: dict[str, list[float]] = {"as assumed": [0.0]}
    for (name, factor), place in rows.items():
        middles.setdefault(name, []).append(place)
        ax.annotate(SIGNS[factor], (0.0, place), (-4, 0), xycoords=("axes fraction", "data"), fontsize=SMALL,
                    color=FAINT, textcoords="offset points", ha="center", va="center",
                    annotation_clip=False)  # fmt: skip
    ax.set_yticks([fsum(places) / len(places) for places in middles.values()], list(middles), fontsize=SMALL)
    ax.tick_params(axis="y", pad=9)
    ax.set_ylim(max(rows.values()) + 0.7, -0.9)


def _legend(ax: Axes, frame: pd.DataFrame) -> None:
    seen = {*frame["verdict"], *frame["base_verdict"]}
    for verdict in Verdict:
        if str(verdict) in seen:
            mark, colour = MARKS[verdict]
            ax.plot([], [], mark, color=colour, label=str(verdict))
    ax.plot([], [], "s", color=INK, markersize=7, label="flips")
    ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.2)
