"""Gains as bars with their intervals, one below the other, and the axis of gains that curves share with them."""

from collections.abc import Mapping, Sequence

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from sim.plots.pictures import new_axes
from sim.plots.style import INK, STYLE, WIDTH

GAIN = "response time shorter by, %"


def gain_bars(frame: pd.DataFrame, names: Sequence[str], groups: Sequence[str], colours: Mapping[str, str],
              title: str) -> Axes:  # fmt: skip
    """A bar for each row of *frame*, in its order, called so by *names* and coloured by which of *groups* it is in."""
    with matplotlib.rc_context(STYLE):
        ax = new_axes(WIDTH, 1.5 + 0.3 * len(frame))
        places, gain = range(len(frame)), frame["gain"].to_numpy(float)
        ax.barh(places, gain, 0.68, color=[colours[group] for group in groups])
        spread = [gain - frame["gain_low"].to_numpy(float), frame["gain_high"].to_numpy(float) - gain]
        ax.errorbar(gain, places, xerr=spread, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2.0)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_yticks(places, names)
        ax.set_ylim(len(frame) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set_xlim(*reach(gain.tolist()))
        ax.set_xlabel(GAIN)
        ax.set_title(title)
        for group in dict.fromkeys(groups):
            ax.barh([0], [0], color=colours[group], label=group)
        ax.figure.legend(loc="outside lower left", ncols=len(colours), handlelength=1, columnspacing=1.4)
    return ax


def reach(gain: Sequence[float]) -> tuple[float, float]:
    """What an axis shows of *gain* and of nothing; intervals of two replications would leave no room for them."""
    least, most = min(0.0, *gain), max(0.0, *gain)
    return 1.25 * least - 5.0, 1.25 * most + 5.0


def gain_axis(ax: Axes, frame: pd.DataFrame) -> Axes:
    """*ax*, whose height is the gain of *frame*, with a line at nothing."""
    ax.axhline(0.0, color=INK, linewidth=0.8)
    ax.set_ylim(*reach(frame["gain"].tolist()))
    return ax
