"""Draws results as curves: a line for each value of a column, with its interval; or lines in strips."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from spindle.sim.error import UserError
from spindle.studies.plots.axes import new_axes, new_panels
from spindle.studies.plots.legends import label_ends
from spindle.studies.plots.style import FAINT, PALETTE, styled
from spindle.studies.statistics import require_columns

MARKED_POINTS = 25
"""Largest number of points of a curve that are drawn as marks."""
def curve(
    frame: pd.DataFrame, x: str, y: str, by: str | None = None, *, band: tuple[str, str] | None = None,
    x_label: str = "", y_label: str = "", title: str = "", names: Mapping[Any, str] | None = None,
    dashed: bool = False, ax: Axes | None = None, base: float = 0.0, floor: float | None = None,
    span: tuple[float | None, float | None] | None = None,
) -> Axes:  # fmt: skip
    """Draw *y* against *x*, one line for each value of *by*, within its confidence *band*.

    The columns of the *band* are ``y_low`` and ``y_high`` where they exist, as summarise makes them. Labels say
    the unit: ``response time, s``. *names* are labels for the values of *by* at the ends of their lines; a word without
    one is its own label. Given *ax*, the lines are added to it, in its next colours; *dashed* ones are thinner and
    have the colours of its first. A value of *by* without points keeps its colour, so that a line has the same in every
    panel. *x* is drawn by its logarithm to a *base*, or over its *span*; *floor* is the lower end of *y*.
    """
    band = band or _usual_band(frame, y)
    check_columns(frame, [x, y, *([by] if by else []), *(band or ())])
    ax = ax or new_axes()
    if base:
        ax.set_xscale("log", base=base)
    used = 0 if dashed else len(ax.lines) % len(PALETTE)
    colours = cycle(PALETTE[used:] + PALETTE[:used])
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
    """Draw *y* against *x* into *ax*, thin and grey behind its lines; without a *name* if that is empty."""
    check_columns(frame, [x, y])
    points = frame.dropna(subset=[x, y]).sort_values(x, kind="stable")
    xs, ys = (points[column].to_numpy(float) for column in (x, y))
    ax.plot(xs, ys, color=FAINT, linewidth=0.8, zorder=1.5, label=name or "_nameless")
    label_ends(ax)
def _usual_band(frame: pd.DataFrame, y: str) -> tuple[str, str] | None:
    low, high = f"{y}_low", f"{y}_high"
    return (low, high) if low in frame.columns and high in frame.columns else None
def check_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    require_columns(frame, names)
    if frame.empty:
        raise UserError("there is nothing to plot: the table has no rows")
def groups(frame: pd.DataFrame, by: str | None) -> list[tuple[Any, pd.DataFrame]]:
    """Return the rows for each value of *by*, in the order in which the values appear."""
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
class DrawnLine(NamedTuple):
    """A line to draw: a *column* of the table, its name, and its colour."""

    column: str
    name: str
    colour: str
def strips(
    frame: pd.DataFrame, x: str, panels: Mapping[str, Sequence[DrawnLine]], *, x_label: str, title: str, mark: str = ""
) -> Axes:
    """Draw lines of *frame* against *x*; *panels*, named by their unit, have the lines of that unit.

    *mark* is drawn at each point. The uppermost axes are returned.
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
