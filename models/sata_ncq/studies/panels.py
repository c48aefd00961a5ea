"""Policies against the size of the cache, a panel for each trace."""

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from sim.plots.curves import curve
from sim.plots.pictures import Picture
from sim.plots.style import STYLE, WIDTH

SHARE = "cache, of the blocks that are used at all"
COLUMNS = 2


def panels(table: pd.DataFrame, by: str, y: str, y_label: str) -> Axes:
    """*y* of each policy, a panel for each value of the column *by*."""
    names = list(table[by].unique())
    rows = -(-len(names) // COLUMNS)
    with matplotlib.rc_context(STYLE):
        figure = Picture(figsize=(1.5 * WIDTH, 0.6 + (2.9 if rows == 1 else 1.9 * rows)))
        axes = list(figure.subplots(rows, COLUMNS, sharex=True, squeeze=False).flat)
    for ax, name in zip(axes, names, strict=False):
        panel(table[table[by] == name], y, "policy", y_label, str(name), ax, x_label=" ")
    for ax in axes[len(names) :]:
        ax.set_axis_off()
    for ax in axes[-COLUMNS:]:
        ax.set_xlabel(SHARE)
    first: Axes = axes[0]
    return first


def panel(
    table: pd.DataFrame, y: str, by: str, y_label: str, title: str, axes: Axes, x_label: str = SHARE
) -> Axes:
    """*y* against the share of the cache, a line for each value of *by*, into *axes*."""
    axes.set_xscale("log")
    curve(table, "share", y, by, names={name: name for name in table[by].unique()}, x_label=x_label, y_label=y_label,
          title=title, ax=axes)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xticks(sorted(table["share"].unique()))
    axes.minorticks_off()
    return axes
