"""Charts of runs: breakdowns of a response, heat maps, distributions of times, and one run's result."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from spindle.sim.clock import Phase
from spindle.sim.error import UserError, unknown
from spindle.sim.measure.result import Result
from spindle.studies.plots.curves import stacked_bars
from spindle.studies.plots.style import (
    BLUE,
    GREEN,
    HEIGHT,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    SMALLEST_FONT,
    STYLE,
    VERMILION,
    WIDTH,
    YELLOW,
    Picture,
    drawing,
    legend_below,
    styled,
)

# Where the time of a response goes, as a bar for each configuration; a part has the same colour in every picture.

PARTS: Mapping[Phase, tuple[str, str]] = {
    # The CPU in blues, the disc's own work in greens, and the waits between them in warm colours and greys.
    Phase.CPU: ("CPU", BLUE),
    Phase.CACHE: ("cache", SKY),
    Phase.MANAGER: ("memory manager", "#0B3C5D"),
    Phase.INTERRUPT: ("interrupts", "#B5D8EE"),
    Phase.CPU_WAIT: ("wait for CPU", "#7C8AA0"),
    Phase.LINE: ("line", "#BFBFBF"),
    Phase.LOCK: ("lock", VERMILION),
    Phase.MEMORY: ("wait for memory", PURPLE),
    Phase.WRITE_WAIT: ("wait for a write", "#8C4F78"),
    Phase.QUEUE: ("disc queue", ORANGE),
    Phase.OVERHEAD: ("disc command", "#C7B98B"),
    Phase.SEEK: ("seek", GREEN),
    Phase.ROTATION: ("rotation", "#7CCDB0"),
    Phase.TRANSFER: ("transfer", "#00573F"),
    Phase.CHANNEL: ("channel", YELLOW),
}


def breakdown(
    frame: pd.DataFrame,
    bar: str,
    *,
    title: str = "",
    x_label: str = "mean response, s",
) -> Axes:
    """A bar for each row of *frame*, named by its column *bar*, from the ``part_`` columns of a run's summary.

    Means over replications, as summarise makes them, add up as single runs do.
    """
    columns = {part: f"part_{part.name.lower()}" for part in Phase}
    parts = {columns[part]: PARTS[part][0] for part in Phase}
    colours = {columns[part]: PARTS[part][1] for part in Phase}
    return stacked_bars(frame, bar, parts, colours=colours, x_label=x_label, title=title)


# A map of one quantity over two axes, a field for each pair of values, each with its number in it.

COLOUR_MAP = "cividis"
"""Even to the eye, and the same to the colour-blind."""
DARK = 0.57
"""Up to here white letters have more contrast with the colours than INK."""
WIDE = 10.0
"""Ratio of the largest to the smallest from which a quantity is coloured by its logarithm."""


def heat_map(
    frame: pd.DataFrame,
    x: str,
    y: str,
    value: str,
    *,
    shown: str = "{:.2f}",
    better: str = "",
    x_label: str = "",
    y_label: str = "",
    title: str = "",
) -> Axes:
    """*value* at each pair of *x* and *y*, which ascend to the right and upwards, written as *shown* in its field.

    *better* is ``least`` or ``most`` where the best field shall be framed, or ``least of each row``. A pair that
    *frame* lacks stays white.
    """
    table = _table(frame, x, y, value)
    with drawing() as ax:
        values = table.to_numpy(float)
        scale = _scale(values)
        ax.imshow(np.ma.masked_invalid(values), cmap=COLOUR_MAP, norm=scale, origin="lower", aspect="auto")
        _write(ax, values, shown, scale)
        if better:
            for row, column in _best(values, better):
                _frame(ax, row, column)
        ax.set_xticks(range(table.shape[1]), [f"{each:g}" for each in table.columns])
        ax.set_yticks(range(table.shape[0]), [f"{each:g}" for each in table.index])
        ax.grid(visible=False)
        ax.set(xlabel=x_label or x, ylabel=y_label or y, title=title)
    return ax


def _table(frame: pd.DataFrame, x: str, y: str, value: str) -> pd.DataFrame:
    for name in (x, y, value):
        if name not in frame.columns:
            raise unknown("column", name, map(str, frame.columns))
    if frame.empty:
        raise UserError("there is nothing to plot: the table has no rows")
    if frame.duplicated([x, y]).any():
        raise UserError(f"a map has one {value} at each {x} and {y}; summarise replications first")
    return frame.pivot(index=y, columns=x, values=value).sort_index().sort_index(axis=1)


def _scale(values: np.ndarray[Any, Any]) -> Normalize:
    known = values[np.isfinite(values)]
    if not len(known):
        return Normalize()
    least, most = float(known.min()), float(known.max())
    return LogNorm(least, most) if 0.0 < WIDE * least < most else Normalize(least, most)


def _write(ax: Axes, values: np.ndarray[Any, Any], shown: str, scale: Normalize) -> None:
    """The numbers, white on the darker half of the colours."""
    for (row, column), number in np.ndenumerate(values):
        if number == number:
            colour = "white" if scale(number) < DARK else INK
            ax.text(column, row, shown.format(number), color=colour, ha="center", va="center")


def _best(values: np.ndarray[Any, Any], better: str) -> list[tuple[int, int]]:
    """Row and column of each field that is *better* than the others."""
    if better == "least of each row":
        return [(row, int(np.nanargmin(numbers))) for row, numbers in enumerate(values)]
    best = {"least": np.nanargmin, "most": np.nanargmax}[better](values)
    row, column = np.unravel_index(best, values.shape)
    return [(int(row), int(column))]


def _frame(ax: Axes, row: int, column: int) -> None:
    corner = (column - 0.5, row - 0.5)
    ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=VERMILION, linewidth=2.4, zorder=3, clip_on=False))


MAX_POINTS = 1500
"""Points of a drawn curve; more look the same."""
SHOWN_REQUESTS = 0.995
"""Share of the requests up to which the axis reaches; a few very long ones would squeeze all others."""
LONG_TAIL = 8.0
"""Multiple of the median beyond which an axis is logarithmic."""
LINE_GAP = 13.0
"""Typographic points from one name to the next."""
SMALL_HEIGHT, COLUMNS = 1.75, 3
"""Inches for a row of small panels, and how many stand in it."""
TITLE_LETTERS = 9.0
"""Letters of a title on an inch."""


class CurveStyle(NamedTuple):
    """Style of a curve, whose name has the same colour."""

    colour: str
    width: float
    alpha: float = 1.0
    style: str = "-"


class Corner(NamedTuple):
    """Place of the names, in parts of the axes, and their alignment."""

    x: float
    y: float
    ha: str
    va: str


LOWER_RIGHT, UPPER_LEFT = Corner(0.98, 0.05, "right", "baseline"), Corner(0.03, 0.98, "left", "top")


class Curve(NamedTuple):
    """The *times* of one source; *note* follows its name."""

    name: str
    times: npt.NDArray[np.float64]
    look: CurveStyle
    note: str = ""


def distributions(panels: Mapping[str, Sequence[Curve]], *, x_label: str, title: str = "") -> Figure:
    """Axes side by side, one for each of the *panels*, named above it; the curves drawn first lie below the others."""
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
            most = int(TITLE_LETTERS * figure.get_figwidth())
            shown = title if len(title) <= most else title[: most - 3] + "..."
            figure.suptitle(shown, x=0.012, ha="left", fontsize=STYLE["axes.titlesize"],
                            fontweight=STYLE["axes.titleweight"], parse_math=False)
    return figure


def small_distributions(panels: Mapping[str, Sequence[Curve]], *, x_label: str) -> Figure:
    """Draw many distributions: small axes in rows of three, all of one logarithmic scale."""
    _check(panels)
    every = [curve for curves in panels.values() for curve in curves]
    rows = -(-len(panels) // COLUMNS)
    with styled():
        figure = Picture(figsize=(1.62 * WIDTH, 0.4 + SMALL_HEIGHT * rows))
        grid = list(figure.subplots(rows, COLUMNS, sharey=True, squeeze=False).flat)
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
    # Good models' curves lie on each other, so that names beside them would overlap: all names stand in a corner.
    for place, curve in enumerate(reversed(curves), 0 if corner.y < 0.5 else 1 - len(curves)):
        ax.annotate(f"{curve.name}{curve.note}", (corner.x, corner.y), (0.0, LINE_GAP * place), ha=corner.ha,
                    va=corner.va, xycoords="axes fraction", textcoords="offset points", color=curve.look.colour,
                    fontsize=SMALLEST_FONT, parse_math=False)


def _steps(times: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Points of the distribution, the shares in percent."""
    count = min(MAX_POINTS, len(times))
    shares = np.linspace(0.0, 1.0, count + 1)
    return np.quantile(times, shares, method="inverted_cdf"), 100.0 * shares


def _reach(ax: Axes, curves: Sequence[Curve]) -> None:
    """Set the axis of times: from 0, unless a few are very much longer than most."""
    most, median = _max_shown(curves), float(np.median(curves[0].times))
    if 0.0 < LONG_TAIL * median < most:
        _reach_by_ratios(ax, curves)
    else:
        ax.set_xlim(0.0, most or 1.0)


def _reach_by_ratios(ax: Axes, curves: Sequence[Curve]) -> None:
    """A logarithmic axis of the times."""
    most = _max_shown(curves)
    least = max(min(float(np.quantile(curve.times, 1.0 - SHOWN_REQUESTS)) for curve in curves), most / 1e4)
    if least < most:
        ax.set_xscale("log")
        ax.set_xlim(least, most)
        ax.xaxis.set_major_formatter("{x:g}")


def _max_shown(curves: Sequence[Curve]) -> float:
    return max(float(np.quantile(curve.times, SHOWN_REQUESTS, method="inverted_cdf")) for curve in curves)


# The picture of one run: the share of responses that took no longer, and where the time of a response goes.

MIN_PART = 0.005
"""The share of a response that a part must have to be drawn."""
STEPS = 200
"""Points of a distribution of which only quantiles were kept."""


def result_picture(result: Result) -> Axes:
    """Two panels; the upper one is returned. UserError where nothing was answered."""
    if not result.recorder.count:
        raise UserError("nothing was answered within the measured time, so there is nothing to draw")
    with styled():
        figure = Picture(figsize=(WIDTH, 3.9))
        upper, lower = figure.subplots(2, 1, height_ratios=(3, 1))
        assert isinstance(upper, Axes)
        _distribution(result, upper)
        _parts(result, lower)
    return upper


def _distribution(result: Result, ax: Axes) -> None:
    shares = np.linspace(1 / STEPS, 1.0, STEPS)
    seconds = result.recorder.percentiles(*shares)
    ax.plot(seconds, shares * 100, color=BLUE)
    median, p95 = result.recorder.percentiles(0.5, 0.95)
    for share, value, name in ((50, median, "median"), (95, p95, "95 %")):
        ax.plot([value], [share], marker="o", color=BLUE)
        ax.annotate(f"{name} {value:.3g} s", (value, share), (6, -4), textcoords="offset points", va="top", color=INK)
    ax.set(xlabel="response, s", ylabel="% take no longer", ylim=(0, 104), title=f"Responses of {result.system}")
    ax.set_xlim(left=0)


def _parts(result: Result, ax: Axes) -> None:
    """The mean response as one bar of its parts."""
    left, mean = 0.0, result.recorder.mean
    for part, (name, colour) in PARTS.items():
        seconds = result.breakdown()[part.name.lower()]
        if seconds >= MIN_PART * mean:
            ax.barh(0, seconds, 0.6, left, color=colour, edgecolor="white", linewidth=0.8, label=name)
            left += seconds
    ax.set(xlabel="mean response, s", yticks=[])
    ax.grid(visible=False, axis="y")
    legend_below(ax)
