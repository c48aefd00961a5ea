"""Draws the errors of one drive model (errors.py), with a small panel for each property of its requests."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spindle.lab.drives.errors import Axis, ErrorBudget
from spindle.lab.drives.timed_requests import Times
from spindle.sim.units import MS
from spindle.studies.plots.files import Picture
from spindle.studies.plots.style import BLUE, FAINT, STYLE, VERMILION, WIDTH, styled

PANELS_A_ROW = 3
ROW_INCHES = 1.9

MIN_DRAWN = 5
"""A group of fewer requests is not drawn."""
MAX_NAMES = 4
"""Names of groups that fit below a panel."""


def error_picture(budget: ErrorBudget) -> Figure:
    """Draw the middle half of each group's errors as a bar, their median on it, and their mean as a cross."""
    axes = budget.axes
    with styled():
        figure = Picture(figsize=(1.62 * WIDTH, 0.5 + ROW_INCHES * -(-len(axes) // PANELS_A_ROW)))
        grid = figure.subplots(-(-len(axes) // PANELS_A_ROW), PANELS_A_ROW, sharey=True, squeeze=False).flat
        shares = budget.shares()
        for ax, (name, share) in zip(grid, shares.items(), strict=False):
            _draw(ax, axes[name], budget.errors / MS)
            ax.set_title(f"{name}: {share:.0%}", fontsize=STYLE["font.size"], pad=5.0, parse_math=False)
        phase, share = next(iter(budget.phases().items()))
        figure.suptitle(f"{budget.disc.name[:50]}: {phase} explains {share:.0%} of the mean square error", x=0.012,
                        ha="left", fontsize=STYLE["axes.titlesize"], fontweight="bold", parse_math=False)
        figure.supylabel("model less drive, ms", fontsize=STYLE["font.size"])
    return figure


def _draw(ax: Axes, axis: Axis, errors: Times) -> None:
    groups = {name: errors[axis.group_of == number] for number, name in enumerate(axis.names)}
    groups = {name: group for name, group in groups.items() if len(group) >= MIN_DRAWN}
    places = np.arange(len(groups))
    low, middle, high = np.array([np.quantile(group, [0.25, 0.5, 0.75]) for group in groups.values()]).T
    ax.axhline(0.0, color=FAINT, linewidth=0.8)
    ax.vlines(places, low, high, color=BLUE, linewidth=7.0, alpha=0.3)
    ax.plot(places, middle, "_", color=BLUE, markersize=8.0, markeredgewidth=2.0)
    ax.plot(places, [float(np.mean(group)) for group in groups.values()], "x", color=VERMILION)
    ax.set_xlim(-0.6, len(groups) - 0.4)
    ax.grid(axis="x", visible=False)
    _name(ax, list(groups))


def _name(ax: Axes, names: list[str]) -> None:
    """Write all names below their bars if they are at most MAX_NAMES; otherwise the first, the middle and the last."""
    all_fit = len(names) <= MAX_NAMES
    shown = range(len(names)) if all_fit else sorted({0, len(names) // 2, len(names) - 1})
    ax.set_xticks(list(shown), [names[place].strip().replace(" ", "\n") for place in shown], fontsize=8.0)
