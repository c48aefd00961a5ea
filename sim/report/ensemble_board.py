"""The ensemble as a picture: a strip for each claim, with its members, their band, and the published number."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sim.claims.bands import FAILS, bands, in_condition
from sim.claims.claims import Role
from sim.claims.members import MemberTrial
from sim.output.tables import number
from sim.plots.pictures import drawing
from sim.plots.style import BLUE, FAINT, GREEN, INK, SMALL, VERMILION, WIDTH

COLOURS = {str(Role.PREDICTED): GREEN, str(Role.CONSISTENT): BLUE, FAILS: VERMILION, "": FAINT}
ROW = 0.42
"""Inches of a strip."""
HALF = 0.3
"""Half a strip, of the room of 1 that it has."""
WOBBLE = 0.19
"""How far a dot lies from the middle of its strip at most, so that equal ones are seen."""


def ensemble_strips(bench: MemberTrial, members: pd.DataFrame) -> Axes:
    """A frame of trials, as the CAPTION of bands explains it."""
    banded = bands(bench, members)
    kept = members[members["kept"].astype(bool)]
    with drawing(WIDTH, 0.9 + ROW * len(banded)) as ax:
        for place, band in enumerate(banded.to_dict("records")):
            _strip(ax, place, band, in_condition(bench, bench.claims[band["id"]], kept))
        ax.set_yticks(range(len(banded)), [_name(band) for band in banded.to_dict("records")], fontsize=SMALL)
        ax.tick_params("y", pad=20)  # room for a number with a sign
        ax.set_ylim(len(banded) - 0.4, -0.6)
        ax.set_xlim(-0.13, 1.13)
        ax.set_xticks([])
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        _legend(ax, banded)
    return ax


def _strip(ax: Axes, place: int, band: dict[Any, Any], kept: "pd.Series[Any]") -> None:
    """One claim, its values moved and stretched so that all of it lies between 0 and 1."""
    ends = [value for value in (band["band_low"], band["band_high"], band["published"], band["default"])
            if value == value]  # fmt: skip
    if band["low"] == band["high"]:
        ends += [0.0, 1.0]  # which is all that an inequality may be
    least, most = min(ends), max(ends)
    room = (most - least) or 1.0

    def at(value: float) -> float:
        return float(min(1.0, max(0.0, (value - least) / room)))

    low, high = at(band["low"]), at(band["high"])
    colour = COLOURS[band["role"]]
    ax.add_patch(Rectangle((low, place - HALF), high - low, 2 * HALF, facecolor=GREEN, alpha=0.16, linewidth=0))
    if len(kept):
        start, end = at(band["band_low"]), at(band["band_high"])
        ax.add_patch(Rectangle((start, place - WOBBLE), end - start, 2 * WOBBLE, facecolor=colour, alpha=0.2,
                               linewidth=0))  # fmt: skip
        wobbles = [place + WOBBLE * (2 * (0.618 * nth % 1.0) - 1) for nth in range(len(kept))]
        ax.plot([at(value) for value in kept], wobbles, ".", color=colour, markersize=3.5)
    if band["default"] == band["default"]:
        ax.plot([at(band["default"])], [place], "D", color=INK, markersize=4.5, markerfacecolor="white", zorder=4)
    ax.plot([at(band["published"])] * 2, [place - HALF, place + HALF], color=INK, linewidth=1.6, zorder=3)
    for x, value, side in ((-0.02, least, "right"), (1.02, most, "left")):
        ax.annotate(number(float(f"{value:.2g}")), (x, place), fontsize=SMALL, color=FAINT, ha=side, va="center")


def _name(band: dict[Any, Any]) -> str:
    unit = "" if band["unit"] == "1" else f", {band['unit']}"
    few = f", {band['members']} members" if band["members"] < band["kept"] else ""
    return f"{band['id']} {band['measure'].replace('_', ' ')}{unit}\npaper: {number(band['published'])}{few}"


def _legend(ax: Axes, banded: pd.DataFrame) -> None:
    for role, colour in COLOURS.items():
        if role and banded["role"].eq(role).any():
            ax.plot([], [], ".", color=colour, label=role, markersize=8)
    ax.plot([], [], "D", color=INK, markerfacecolor="white", label="default machine")
    ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.2)
