"""Draws results as bars: stacked from the parts of a whole, or in groups with confidence intervals."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.curves import check_columns
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import FAINT, INK, PALETTE, WHISKER


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
    """Draw a bar for each row of *frame*, named by its column *bar*, stacked from *parts* (name by column).

    Parts that are below the share *least* of the longest bar in all rows are drawn together as "other". *names* label
    the bars.
    """
    check_columns(frame, [bar, *parts])
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
"""The share of the longest bar from which a part is as wide as a pixel."""
def _bars(ax: Axes, places: range, parts: Mapping[str, Any], fills: Mapping[str, str]) -> None:
    spare = cycle(PALETTE)
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
    """A *column* of a frame, and the names of its values in the order in which they are drawn."""

    column: str
    names: Mapping[Any, str]
ONE_KIND = Named("", {None: ""})
GROUP_SHARE, BAR_INCHES = 0.8, 0.17
"""The share of its place that a group of bars fills; the width of a bar."""
def interval_bars(
    frame: pd.DataFrame, value: str, groups: Named, kinds: Named = ONE_KIND, *, x_label: str = "", title: str = ""
) -> Axes:
    """Draw a bar for each of *groups* and within it for each of *kinds*, as long as *value*, with its interval.

    The columns of the interval are ``value_low`` and ``value_high``. *kinds* that *frame* lacks are left out.
    """
    check_columns(frame, [value, f"{value}_low", f"{value}_high", groups.column])
    seen = {each: name for each, name in kinds.names.items() if each is None or (frame[kinds.column] == each).any()}
    step = GROUP_SHARE / len(seen)
    names = list(groups.names.values())
    with row_axes(names, 1.1 + len(names) * (0.17 + BAR_INCHES * len(seen)), x_label=x_label, title=title) as ax:
        for place, (kind, name) in enumerate(seen.items()):
            rows = frame if kind is None else frame[frame[kinds.column] == kind]
            cells = rows.set_index(groups.column).reindex(list(groups.names))
            ends, low, high = (cells[each].to_numpy(float) for each in (value, f"{value}_low", f"{value}_high"))
            ax.barh(np.arange(len(names)) + step * (place - (len(seen) - 1) / 2), ends, 0.86 * step, label=name or None,
                    color=PALETTE[place], xerr=[ends - low, high - ends], error_kw=WHISKER)  # fmt: skip
        ax.axvline(0.0, color=INK, linewidth=0.8)
        if kinds is not ONE_KIND:
            legend_below(ax)
    return ax
