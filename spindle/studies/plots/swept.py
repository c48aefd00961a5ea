"""Draws a sweep as lines with intervals, bars, a map or panels, depending on its axes; and draws a search."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spindle.measures import axis_label, label_of
from spindle.output.text import thin_out
from spindle.sim.error import UserError
from spindle.sim.quantity import quantity, unit_of
from spindle.studies.plots.axes import new_axes
from spindle.studies.plots.curves import curve
from spindle.studies.plots.files import Picture
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, INK, PALETTE, SMALLEST_FONT, WHISKER, WIDTH, styled
from spindle.studies.plots.terminal import LOGARITHMIC, MAX_LINES, SweptTable, Text
from spindle.studies.statistics import summarise
from spindle.studies.sweep.find import FindAnswer

MAX_PANELS = 9
MAX_TICKS = 8
MAX_STRETCH = 2.0
"""Multiple of the largest mean up to which an axis follows wide intervals."""


def swept_picture(table: SweptTable, measures: Sequence[str]) -> Axes:
    """Draw *measures* of all runs, one panel each; UserError if they cannot be drawn."""
    for name in measures:
        if name not in table.frame or not pd.api.types.is_numeric_dtype(table.frame[name]):
            raise UserError(f"{name} is no number of these runs, and has no picture")
    axes = table.varying
    if not axes:
        raise UserError("a picture shows what varies, and nothing does: give several values of something")
    if len(measures) > MAX_PANELS:
        raise UserError(f"a picture has at most {MAX_PANELS} panels, not {len(measures)}: name fewer by --columns")
    if len(axes) > 2 or (len(axes) == 2 and len(measures) == 1 and _is_map(table, axes)):
        return _multiples(table, axes, measures[0])
    panels = _panels(len(measures))
    for ax, name in zip(panels, measures, strict=True):
        _panel(table, axes, name, ax)
    return _add_title(panels, table, measures, axes)


def _is_map(table: SweptTable, axes: Sequence[str]) -> bool:
    return all(table.is_number(name) for name in axes) and table.frame[axes[1]].nunique() > MAX_LINES


def _panels(count: int, columns: int = 1) -> list[Axes]:
    if count == 1:
        return [new_axes()]
    rows = -(-count // columns)
    with styled():
        figure = Picture(figsize=(WIDTH * (1.0 if columns == 1 else 1.8), 0.7 + 2.4 * rows))
        grid = figure.subplots(rows, columns, squeeze=False).flatten()
        for spare in grid[count:]:
            spare.remove()
        return list(grid[:count])


def _add_title(panels: Sequence[Axes], table: SweptTable, measures: Sequence[str], axes: Sequence[str]) -> Axes:
    what = label_of(measures[0]) if len(measures) == 1 else "what was measured"
    title = f"{what} against {label_of(axes[0])}"
    with styled():
        panels[0].set_title(f"{table.title}: {title}" if table.title else _capital(title))
    return panels[0]


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def _panel(table: SweptTable, axes: Sequence[str], measure: str, ax: Axes) -> None:
    """Draw one measure: as lines if the first axis is a number, otherwise as bars."""
    first, by = axes[0], axes[1] if len(axes) > 1 else None
    means = summarise(table.frame.dropna(subset=[measure]), [*axes], [measure])
    label = axis_label(measure, table.unit(measure))
    if not table.is_number(first):
        _bars(table, means, first, by, measure, label, ax)
        return
    names = {} if by is None else {value: table.text(by, value) for value in means[by].unique()}
    curve(means, first, measure, by, x_label=label_of(first), y_label=label, names=names, ax=ax)
    _scale(table, first, means, ax)
    if _is_wide(means[measure]):
        ax.set_yscale("log")
    else:
        ax.set_ylim(*_reach(means[measure], means[f"{measure}_high"], ax.get_ylim()))
    if by is not None and not ax.get_legend():
        ax.annotate(label_of(by), (1.0, 1.02), xycoords="axes fraction", color=INK, va="bottom", fontsize=SMALLEST_FONT)


def _is_wide(values: pd.Series) -> bool:
    """Tell if *values* differ so much that small ones could not be told apart on a linear axis."""
    return bool(values.min() > 0.0 and values.max() >= LOGARITHMIC * values.min())


def _reach(means: pd.Series, highs: pd.Series, limits: tuple[float, float]) -> tuple[float, float]:
    """Return *limits* that begin at 0 if no mean is negative, and do not follow wide intervals far beyond the means."""
    if not means.min() >= 0.0:
        return limits
    largest = float(means.max())
    most = max(largest, min(float(highs.max()), MAX_STRETCH * largest)) if highs.notna().any() else 0.0
    return 0.0, 1.06 * max(most, float(means.max())) or 1.0


def _scale(table: SweptTable, name: str, means: pd.DataFrame, ax: Axes) -> None:
    """Set the values that were run as ticks, with their units; a wide range is logarithmic."""
    values = sorted(means[name].unique())
    if min(values) > 0 and max(values) >= LOGARITHMIC * min(values):
        ax.set_xscale("log")
        ax.set_xticks([], minor=True)
    places = values if len(values) <= MAX_TICKS else thin_out(values, MAX_TICKS)
    ax.set_xticks(list(places), [table.text(name, each) for each in places], minor=False)
    ax.minorticks_off()


def _bars(
    table: SweptTable, means: pd.DataFrame, first: str, by: str | None, measure: str, label: str, ax: Axes
) -> None:
    groups = list(dict.fromkeys(means[first]))
    kinds = [None] if by is None else list(dict.fromkeys(means[by]))
    high = 0.8 / len(kinds)
    with styled():
        for place, kind in enumerate(kinds):
            rows = means if kind is None else means[means[by] == kind]
            rows = rows.set_index(first).reindex(groups)
            offset = np.arange(len(groups)) + (place - (len(kinds) - 1) / 2) * high
            name = "_nameless" if kind is None else f"{label_of(str(by))} {table.text(str(by), kind)}"
            ends = np.abs(np.array([rows[measure] - rows[f"{measure}_low"], rows[f"{measure}_high"] - rows[measure]]))
            ax.barh(offset, rows[measure], 0.86 * high, color=PALETTE[place % len(PALETTE)], label=name,
                    xerr=np.nan_to_num(ends) if np.isfinite(ends).any() else None, error_kw=WHISKER)  # fmt: skip
        ax.set_yticks(range(len(groups)), [table.text(first, each) for each in groups])
        ax.set_ylim(len(groups) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set(xlabel=label, ylabel=label_of(first))
        ax.set_xlim(*_reach(means[measure], means[f"{measure}_high"], ax.get_xlim()))
        if by is not None:
            legend_below(ax)


def _multiples(table: SweptTable, axes: Sequence[str], measure: str) -> Axes:
    """Draw a map of two axes, or for three a panel of lines for each value of the last."""
    if len(axes) > 3:
        raise UserError(f"a picture has at most three axes, not {', '.join(axes)}: fix one of them")
    if len(axes) == 2:
        (ax,) = _panels(1)
        _map(table, axes, measure, ax)
        return ax
    values = list(dict.fromkeys(table.frame[axes[2]]))
    if len(values) > MAX_PANELS:
        raise UserError(f"{axes[2]} has {len(values)} values, and a picture at most {MAX_PANELS} panels")
    panels = _panels(len(values), 2)
    for ax, value in zip(panels, values, strict=True):
        own = SweptTable(table.frame[table.frame[axes[2]] == value], table.axes, table.texts, table.units)
        _panel(own, axes[:2], measure, ax)
        with styled():
            ax.set_title(f"{label_of(axes[2])} {table.text(axes[2], value)}", fontsize=10)
    if table.is_number(axes[0]):
        _align(panels)
    return panels[0]


def _align(panels: Sequence[Axes]) -> None:
    """Give all *panels* the same vertical axis, a logarithmic one if any of them has it."""
    top = max(ax.get_ylim()[1] for ax in panels)
    low = min(ax.get_ylim()[0] for ax in panels)
    wide = any(ax.get_yscale() == "log" for ax in panels) and all(ax.dataLim.ymin > 0.0 for ax in panels)
    least = min(ax.dataLim.ymin for ax in panels)
    for ax in panels:
        ax.set_yscale("log" if wide else "linear")
        ax.set_ylim(0.8 * least if wide else min(0.0, low), top)


def _map(table: SweptTable, axes: Sequence[str], measure: str, ax: Axes) -> None:
    """Draw the mean of *measure* over two axes as colours, with a scale beside them."""
    cells = table.frame.groupby([*axes])[measure].mean().unstack(axes[0])
    with styled():
        scale = "log" if _is_wide(pd.Series(cells.to_numpy(float).ravel())) else "linear"
        image = ax.imshow(cells.to_numpy(float), aspect="auto", origin="lower", cmap="viridis", norm=scale)
        for set_ticks, values, name in ((ax.set_xticks, cells.columns, axes[0]), (ax.set_yticks, cells.index, axes[1])):
            places = range(len(values)) if len(values) <= MAX_TICKS else thin_out(range(len(values)), MAX_TICKS)
            set_ticks(list(places), [table.text(name, values[place]) for place in places])
        ax.grid(visible=False)
        ax.set(xlabel=label_of(axes[0]), ylabel=label_of(axes[1]),
               title=_capital(f"{label_of(measure)} by {label_of(axes[0])} and {label_of(axes[1])}"))  # fmt: skip
        figure = ax.figure
        assert isinstance(figure, Figure)
        figure.colorbar(image, ax=ax, label=axis_label(measure, table.unit(measure)))


def found_picture(answer: FindAnswer, text: Text) -> Axes:
    """Draw the probed values of a search, the bound of its condition, and the value found within its interval."""
    name, measure, bound = answer.name, answer.condition.measure, answer.condition.bound
    label, unit = label_of(measure), unit_of(measure)
    title = _capital(f"{label} meets {quantity(bound, unit)} at {text(answer.value)}")
    ax = curve(answer.curve, name, measure, x_label=label_of(name), y_label=axis_label(measure, unit), title=title)
    with styled():
        ax.axhline(bound, color=INK, linewidth=1.0, linestyle=":")
        ax.axvspan(answer.low, answer.high, color=BLUE, alpha=0.12, linewidth=0)
        ax.axvline(answer.value, color=INK, linewidth=1.0)
        places = sorted({answer.curve[name].min(), answer.value, answer.curve[name].max()})
        if places[0] > 0 and places[-1] >= LOGARITHMIC * places[0]:
            ax.set_xscale("log")
        ax.set_xticks(places, [text(each) for each in places])
        ax.minorticks_off()
    return ax
