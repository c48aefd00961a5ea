"""Pictures of results: curves, stacked and interval bars, strips of lines; and claims' numbers as points in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from math import log10
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from spindle.sim.error import UserError, unknown
from spindle.studies.plots.style import (
    COLOURS,
    FAINT,
    INK,
    WHISKER,
    label_anew,
    label_ends,
    legend_below,
    new_axes,
    new_panels,
    row_axes,
    styled,
)

# Numbers of claims as points in a picture, with a mark and a word for each kind: published, measured, predicted.

CLAIM_GID = "of a claim"
"""Matplotlib's group id of points."""
POINT_STYLE: Mapping[str, Any] = {
    "marker": "D", "markersize": 6.0, "markeredgewidth": 0.9, "linestyle": "none", "clip_on": False, "zorder": 6,
}  # fmt: skip
FILLED: Mapping[str, Any] = {"color": INK, "markeredgecolor": "white"}


class PointKind(NamedTuple):
    """The *word* below a picture that explains its points, and their colours."""

    word: str
    colours: Mapping[str, Any]


PUBLISHED, MEASURED = PointKind("published", FILLED), PointKind("measured", FILLED)
PREDICTED = PointKind("predicted by hand", {"color": "white", "markeredgecolor": INK})
FREE_SHARE = 0.04
"""The share of an axis that is left free beyond a point."""

Place = float | str
"""On an axis; or the name of a bar, which is a tick of its axis."""
Point = tuple[Place, Place] | tuple[Place, Place, int]
"""Across, up, and in which panel of the picture where it has several."""
Numbers = Mapping[str, float]
"""Numbers of claims, by the id of the claim."""
Drawing = Callable[[pd.DataFrame], Axes]


class WithPoints:
    """A *picture* of a study's table, with the claims' *numbers* drawn in it as *points* of one *kind*.

    *points* places the numbers, given by the ids of their claims, when the picture is drawn.
    """

    def __init__(
        self, picture: Drawing, numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]],
        kind: PointKind,
    ) -> None:  # fmt: skip
        self.picture = picture
        self.numbers = numbers
        self.points = points
        self.kind = kind

    def __call__(self, table: pd.DataFrame) -> Axes:
        ax = self.picture(table)
        mark(ax, self.points(self.numbers()), self.kind)
        return ax


def with_points(
    numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]], kind: PointKind = PUBLISHED
) -> Callable[[Drawing], WithPoints]:
    """Return a decorator that makes WithPoints of a function that draws."""
    return lambda picture: WithPoints(picture, numbers, points, kind)


def mark(ax: Axes, points: Sequence[Point], kind: PointKind = PUBLISHED) -> None:
    """Draw *points* into the picture of *ax*, and extend its axes to them; points of absent bars are left out."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    marks = {}
    for panel, own in enumerate(figure.axes):
        with styled():
            places = [_place(own, each) for each in points if (each[2] if len(each) == 3 else 0) == panel]
            shown = [(x, y) for x, y in places if x is not None and y is not None]
            if not shown:
                continue
            xs, ys = [x for x, _ in shown], [y for _, y in shown]
            own.set_xlim(_widen_limits(own.get_xlim(), xs, own.get_xscale() == "log"))
            own.set_ylim(_widen_limits(own.get_ylim(), ys, own.get_yscale() == "log"))
            (marks[kind.word],) = own.plot(xs, ys, **POINT_STYLE, **kind.colours, label="_of_a_claim", gid=CLAIM_GID)
            label_anew(own)
    if marks:
        with styled():
            legend_below(ax, marks)


def _place(ax: Axes, point: Point) -> tuple[float | None, float | None]:
    x, y = point[0], point[1]
    return _number(x, ax.get_xticks(), ax.get_xticklabels()), _number(y, ax.get_yticks(), ax.get_yticklabels())


def _number(place: Place, ticks: Iterable[float], labels: Iterable[Any]) -> float | None:
    if not isinstance(place, str):
        return float(place)
    return next((float(at) for at, text in zip(ticks, labels, strict=False) if text.get_text() == place), None)


def _widen_limits(limits: tuple[float, float], values: Sequence[float], is_log: bool) -> tuple[float, float]:
    """*limits*, in their order, moved as far as *values* and some FREE_SHARE beyond them need."""
    low, high = sorted(limits)
    first, last, least, most = (log10(each) if is_log else each for each in (low, high, min(values), max(values)))
    room = FREE_SHARE * (last - first)
    first, last = (min(first, least - room) if least < first else first), (max(last, most + room))
    ends = (10.0**first, 10.0**last) if is_log else (first, last)
    return ends if limits[0] <= limits[1] else ends[::-1]


MARKED_POINTS = 25
"""A curve of more points than this is drawn without marks."""


def curve(
    frame: pd.DataFrame,
    x: str,
    y: str,
    by: str | None = None,
    *,
    band: tuple[str, str] | None = None,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    names: Mapping[Any, str] | None = None,
    dashed: bool = False,
    ax: Axes | None = None,
    base: float = 0.0,
    floor: float | None = None,
    span: tuple[float | None, float | None] | None = None,
) -> Axes:
    """*y* against *x*, one line for each value of *by*, within its confidence *band*.

    The columns of the *band* are ``y_low`` and ``y_high`` where they exist, as summarise makes them. Labels say
    the unit: ``response time, s``. *names* are labels for the values of *by* at the ends of their lines; a word without
    one stands for itself. Given *ax*, the lines are added to it, in its next colours; *dashed* ones are thinner and
    have the colours of its first. A value of *by* without points keeps its colour, so that a line has the same in every
    panel. *x* is drawn by its logarithm to a *base*, or over its *span*; *floor* is the lower end of *y*.
    """
    band = band or _usual_band(frame, y)
    _check_columns(frame, [x, y, *([by] if by else []), *(band or ())])
    ax = ax or new_axes()
    if base:
        ax.set_xscale("log", base=base)
    used = 0 if dashed else len(ax.lines) % len(COLOURS)
    colours = cycle(COLOURS[used:] + COLOURS[:used])
    with styled():
        for value, rows in groups(frame, by):
            points, colour = rows.dropna(subset=[x, y]).sort_values(x, kind="stable"), next(colours)
            if len(points):
                word = value if isinstance(value, str) else f"{by} {value}"
                name = (names or {}).get(value, word) if by else ""
                _line(ax, points, (x, y), band, name, colour, dashed)
        if pd.api.types.is_integer_dtype(frame[x]) and ax.get_xscale() == "linear":
            ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 2.5, 5, 10]))
        _label_axes(ax, x_label or x, y_label or y, title)
        if by:
            label_ends(ax)
        if base:
            ax.xaxis.set_major_formatter("{x:g}")
        if floor is not None:
            ax.set_ylim(floor, None)
        if span is not None:
            ax.set_xlim(*span)
    return ax


def faint_line(frame: pd.DataFrame, x: str, y: str, name: str, ax: Axes) -> None:
    """*y* against *x* added to *ax*, thin and grey behind its lines; without a *name* where that is empty."""
    _check_columns(frame, [x, y])
    points = frame.dropna(subset=[x, y]).sort_values(x, kind="stable")
    xs, ys = (points[column].to_numpy(float) for column in (x, y))
    ax.plot(xs, ys, color=FAINT, linewidth=0.8, zorder=1.5, label=name or "_nameless")
    label_ends(ax)


def _usual_band(frame: pd.DataFrame, y: str) -> tuple[str, str] | None:
    low, high = f"{y}_low", f"{y}_high"
    return (low, high) if low in frame.columns and high in frame.columns else None


def _check_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in frame.columns:
            raise unknown("column", name, map(str, frame.columns))
    if frame.empty:
        raise UserError("there is nothing to plot: the table has no rows")


def groups(frame: pd.DataFrame, by: str | None) -> list[tuple[Any, pd.DataFrame]]:
    """The rows for each value of *by*, in the order in which the values appear."""
    return list(frame.groupby(by, sort=False, dropna=False)) if by else [(None, frame)]


def _line(
    ax: Axes, points: pd.DataFrame, columns: tuple[str, str], band: tuple[str, str] | None, name: str, colour: str,
    dashed: bool,
) -> None:  # fmt: skip
    xs, ys = (points[column].to_numpy(float) for column in columns)
    if band:
        low, high = (points[column].to_numpy(float) for column in band)
        ax.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0)
    mark = "" if len(xs) > MARKED_POINTS else "o"
    style: dict[str, Any] = {"linestyle": "--", "linewidth": 1.2} if dashed else {"marker": mark}
    ax.plot(xs, ys, color=colour, label=name or "_nameless", clip_on=False, **style)


def _label_axes(ax: Axes, x_label: str, y_label: str, title: str) -> None:
    """Label the axes. A quantity that cannot be negative starts at 0."""
    ax.set(xlabel=x_label, ylabel=y_label)
    if title:
        ax.set_title(title)
    low, high = ax.dataLim.intervaly
    if low >= 0:
        ax.set_ylim(0, high * 1.06 or 1)


def stacked_bars(
    frame: pd.DataFrame,
    bar: str,
    parts: Mapping[str, str],
    *,
    colours: Mapping[str, str] | None = None,
    x_label: str = "",
    title: str = "",
    names: Mapping[Any, str] | None = None,
    least: float = 0.01,
) -> Axes:
    """One bar for each row of *frame*, named by its column *bar*, made of the columns *parts* (column: its name).

    Parts that are nowhere worth a share *least* of the longest bar are drawn together as "other". *names* are labels
    of the bars.
    """
    _check_columns(frame, [bar, *parts])
    values = frame[list(parts)].to_numpy(float)
    longest = float(values.sum(axis=1).max())
    large = [column for column, worth in zip(parts, values.max(axis=0), strict=True) if worth >= least * longest]
    drawn = {parts[column]: frame[column].to_numpy(float) for column in large}
    drawn["other"] = values.sum(axis=1) - sum(drawn.values())
    fills = {parts[column]: colour for column, colour in (colours or {}).items() if column in parts}
    called = [str((names or {}).get(value, value)) for value in frame[bar]]
    with row_axes(called, 0.95 + 0.42 * len(frame), x_label=x_label, title=title) as ax:
        _bars(ax, range(len(frame)), drawn, fills)
    return ax


VISIBLE_SHARE = 0.003
"""The share of the longest bar that a part must have to be as wide as a pixel."""


def _bars(ax: Axes, places: range, parts: Mapping[str, Any], fills: Mapping[str, str]) -> None:
    spare = cycle(COLOURS)
    left = 0.0 * next(iter(parts.values()))
    longest = sum(parts.values(), left).max()
    for name, widths in parts.items():
        if not widths.max() > VISIBLE_SHARE * longest:
            continue
        colour = FAINT if name == "other" else fills.get(name) or next(spare)
        ax.barh(places, widths, 0.62, left, color=colour, edgecolor="white", linewidth=0.8, label=name)
        left = left + widths
    ax.set_xlim(0, left.max() * 1.02 or 1)
    legend_below(ax)


class Named(NamedTuple):
    """A *column* of words or numbers, and the names of its values in the order in which they are drawn."""

    column: str
    names: Mapping[Any, str]


ONE_KIND = Named("", {None: ""})
GROUP_SHARE, BAR_INCHES = 0.8, 0.17
"""The share of its room that a group of bars fills; inches of a bar."""


def interval_bars(
    frame: pd.DataFrame, value: str, groups: Named, kinds: Named = ONE_KIND, *, x_label: str = "", title: str = ""
) -> Axes:
    """A bar for each of *groups* and within it for each of *kinds*, as long as *value*, with its interval.

    The columns of the interval are ``value_low`` and ``value_high``. *kinds* that *frame* lacks are left out.
    """
    _check_columns(frame, [value, f"{value}_low", f"{value}_high", groups.column])
    seen = {each: name for each, name in kinds.names.items() if each is None or (frame[kinds.column] == each).any()}
    step = GROUP_SHARE / len(seen)
    names = list(groups.names.values())
    with row_axes(names, 1.1 + len(names) * (0.17 + BAR_INCHES * len(seen)), x_label=x_label, title=title) as ax:
        for place, (kind, name) in enumerate(seen.items()):
            rows = frame if kind is None else frame[frame[kinds.column] == kind]
            cells = rows.set_index(groups.column).reindex(list(groups.names))
            ends, low, high = (cells[each].to_numpy(float) for each in (value, f"{value}_low", f"{value}_high"))
            ax.barh(np.arange(len(names)) + step * (place - (len(seen) - 1) / 2), ends, 0.86 * step, label=name or None,
                    color=COLOURS[place], xerr=[ends - low, high - ends], error_kw=WHISKER)  # fmt: skip
        ax.axvline(0.0, color=INK, linewidth=0.8)
        if kinds is not ONE_KIND:
            legend_below(ax)
    return ax


class DrawnLine(NamedTuple):
    """A *column* of the table, its name, and its colour."""

    column: str
    name: str
    colour: str


def strips(
    frame: pd.DataFrame, x: str, panels: Mapping[str, Sequence[DrawnLine]], *, x_label: str, title: str, mark: str = ""
) -> Axes:
    """Draw lines of *frame* against *x*, those of one unit in one of *panels*, which are named by their unit.

    *mark* stands at each point. The axes returned are the uppermost.
    """
    axes = new_panels(len(panels)) if len(panels) > 1 else [new_axes()]
    with styled():
        for ax, (unit, lines) in zip(axes, panels.items(), strict=True):
            for line in lines:
                ax.plot(frame[x].to_numpy(float), frame[line.column].to_numpy(float), color=line.colour, marker=mark,
                        label=line.name, linewidth=1.5)  # fmt: skip
            ax.set_ylim(bottom=0)
            ax.set_ylabel(unit)
        axes[0].set_title(title)
        axes[-1].set_xlabel(x_label)
        for ax in axes:
            label_ends(ax)
    return axes[0]
