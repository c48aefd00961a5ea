"""Draws gains: the percentage by which a change shortens responses, with its interval, as bars or lines."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import INK

GAIN = "response time shorter by, %"


def gain_bars(
    frame: pd.DataFrame, names: Sequence[str], groups: Sequence[str], colours: Mapping[str, str], title: str
) -> Axes:
    """Draw a bar for each row of *frame*, in its order, with its name of *names*, coloured by its group of *groups*."""
    with row_axes(names, 1.2 + 0.3 * len(frame), x_label=GAIN, title=title) as ax:
        places, gain = range(len(frame)), frame["gain"].to_numpy(float)
        ax.barh(places, gain, 0.68, color=[colours[group] for group in groups])
        spread = [gain - frame["gain_low"].to_numpy(float), frame["gain_high"].to_numpy(float) - gain]
        ax.errorbar(gain, places, xerr=spread, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2.0)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_xlim(*reach(frame))
        for group in dict.fromkeys(groups):
            ax.barh([0], [0], color=colours[group], label=group)
        legend_below(ax)
    return ax


def reach(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis for the gains of *frame*: they include zero, all gains, and their intervals.

    Intervals of two replications, which would leave no room for the gains, are cut.
    """
    gain = frame["gain"]
    least, most = min(0.0, gain.min()), max(0.0, gain.max())
    span = most - least or 1.0
    low, high = frame.get("gain_low", gain).min(), frame.get("gain_high", gain).max()
    low, high = max(min(least, low), least - 2.0 * span), min(max(most, high), most + 2.0 * span)
    return low - 0.06 * (high - low), high + 0.08 * (high - low)


def gain_axis(ax: Axes, frame: pd.DataFrame) -> Axes:
    """Give *ax*, whose height is the gain of *frame*, its limits and a line at 0."""
    ax.axhline(0.0, color=INK, linewidth=0.8)
    ax.set_ylim(*reach(frame))
    return ax


def gain_curve(
    frame: pd.DataFrame, x: str, by: str | None = None, *, x_label: str, title: str,
    names: Mapping[Any, str] | None = None, span: tuple[float | None, float | None] | None = None,
) -> Axes:  # fmt: skip
    """Draw the gain against *x*, a line for each value of *by*."""
    return gain_axis(curve(frame, x, "gain", by, x_label=x_label, y_label=GAIN, title=title, names=names, span=span),
                     frame)
