"""Draws distributions of times, as the share of requests that took no longer: a curve for each source, in panels."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spindle.sim.error import UserError
from spindle.studies.plots.files import Picture
from spindle.studies.plots.style import HEIGHT, SMALLEST_FONT, STYLE, WIDTH, styled

MAX_POINTS = 1500
"""Points of a drawn curve, at most; more look the same."""
SHOWN_REQUESTS = 0.995
"""Share of the requests that the axis shows; a few very long ones would squeeze all others."""
LONG_TAIL = 8.0
"""Longest shown time, as a multiple of the median, above which an axis is logarithmic."""
LINE_GAP = 13.0
"""Typographic points from one name to the next."""
SMALL_HEIGHT, PANELS_A_ROW = 1.75, 3
"""Inches of a row of small panels, and their number in it."""
TITLE_LETTERS_AN_INCH = 9.0


class CurveStyle(NamedTuple):
    """The style of a curve; its name has the same colour."""

    colour: str
    width: float
    alpha: float = 1.0
    style: str = "-"


class Corner(NamedTuple):
    """The corner of a panel for the names of curves: place, as shares of the axes, and alignment."""

    x: float
    y: float
    ha: str
    va: str


LOWER_RIGHT, UPPER_LEFT = Corner(0.98, 0.05, "right", "baseline"), Corner(0.03, 0.98, "left", "top")


class Curve(NamedTuple):
    """A curve to draw: the *times* of one source; *note* is written after its name."""

    name: str
    times: npt.NDArray[np.float64]
    look: CurveStyle
    note: str = ""


def distributions(panels: Mapping[str, Sequence[Curve]], *, x_label: str, title: str = "") -> Figure:
    """Draw *panels* side by side, each named above; curves drawn first are behind the others."""
    _check(panels)
    with styled():
        figure = Picture(figsize=(WIDTH if len(panels) == 1 else 1.62 * WIDTH, HEIGHT))
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (name, curves) in zip(row, panels.items(), strict=True):
            _draw(ax, curves, LOWER_RIGHT)
            _reach(ax, curves)
            ax.set_xlabel(f"{name}: {x_label}" if len(panels) > 1 else x_label)
        row[0].set_ylabel("requests, %")
        if title:
            most = int(TITLE_LETTERS_AN_INCH * figure.get_figwidth())
            shown = title if len(title) <= most else title[: most - 3] + "..."
            figure.suptitle(shown, x=0.012, ha="left", fontsize=STYLE["axes.titlesize"],
                            fontweight=STYLE["axes.titleweight"], parse_math=False)
    return figure


def small_distributions(panels: Mapping[str, Sequence[Curve]], *, x_label: str) -> Figure:
    """Draw many distributions: small axes in rows of three, all of one logarithmic scale."""
    _check(panels)
    every = [curve for curves in panels.values() for curve in curves]
    rows = -(-len(panels) // PANELS_A_ROW)
    with styled():
        figure = Picture(figsize=(1.62 * WIDTH, 0.4 + SMALL_HEIGHT * rows))
        grid = list(figure.subplots(rows, PANELS_A_ROW, sharey=True, squeeze=False).flat)
        for ax, (name, curves) in zip(grid, panels.items(), strict=False):
            _draw(ax, curves, UPPER_LEFT)
            _reach_by_ratios(ax, every)
            ax.set_title(name, fontsize=STYLE["font.size"], pad=5.0, parse_math=False)
        for ax in grid[len(panels):]:
            ax.set_axis_off()
        figure.supxlabel(x_label, fontsize=STYLE["font.size"])
        figure.supylabel("requests, %", fontsize=STYLE["font.size"])
    return figure


def _check(panels: Mapping[str, Sequence[Curve]]) -> None:
    if not panels or not all(len(curve.times) for curves in panels.values() for curve in curves):
        raise UserError("there is nothing to plot: no times")


def _draw(ax: Axes, curves: Sequence[Curve], corner: Corner) -> None:
    for curve in curves:
        times, shares = _steps(curve.times)
        colour, width, alpha, style = curve.look
        ax.plot(times, shares, style, color=colour, linewidth=width, alpha=alpha, label=curve.name)
    ax.set_ylim(0, 100)
    # Curves of good models coincide, and names beside them would overlap: so all names are in a corner.
    for place, curve in enumerate(reversed(curves), 0 if corner.y < 0.5 else 1 - len(curves)):
        ax.annotate(f"{curve.name}{curve.note}", (corner.x, corner.y), (0.0, LINE_GAP * place), ha=corner.ha,
                    va=corner.va, xycoords="axes fraction", textcoords="offset points", color=curve.look.colour,
                    fontsize=SMALLEST_FONT, parse_math=False)


def _steps(times: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the points of the distribution, with shares in percent."""
    count = min(MAX_POINTS, len(times))
    shares = np.linspace(0.0, 1.0, count + 1)
    return np.quantile(times, shares, method="inverted_cdf"), 100.0 * shares


def _reach(ax: Axes, curves: Sequence[Curve]) -> None:
    """Set the axis of times: from 0, unless a few times are very much longer than most."""
    most, median = _max_shown(curves), float(np.median(curves[0].times))
    if 0.0 < LONG_TAIL * median < most:
        _reach_by_ratios(ax, curves)
    else:
        ax.set_xlim(0.0, most or 1.0)


def _reach_by_ratios(ax: Axes, curves: Sequence[Curve]) -> None:
    """Make the axis of times logarithmic."""
    most = _max_shown(curves)
    least = max(min(float(np.quantile(curve.times, 1.0 - SHOWN_REQUESTS)) for curve in curves), most / 1e4)
    if least < most:
        ax.set_xscale("log")
        ax.set_xlim(least, most)
        ax.xaxis.set_major_formatter("{x:g}")


def _max_shown(curves: Sequence[Curve]) -> float:
    return max(float(np.quantile(curve.times, SHOWN_REQUESTS, method="inverted_cdf")) for curve in curves)
