"""Draws the figure for a paper: a panel for each trace, or a mark for each trace with the mean over traces."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from spindle.studies.confidence import confidence
from spindle.studies.plots.files import Picture
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import INK, PALETTE, styled

PANELS_ACROSS = 3
"""Most panels side by side."""
PANEL_WIDTH, PANEL_HEIGHT = 2.35, 2.1
"""Inches, so that three panels are as wide as a page of a paper."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
"""Dashes, as MARKERS, are given to the policies in turn."""
SHARE_LABEL = "cache, % of what is used"
"""Label of the axis of cache sizes."""
MARKS_WIDTH = 0.7
"""Share of the distance between two ticks over which the policies at a tick are spread."""


def panels_picture(table: pd.DataFrame, column: str, label: str) -> Figure:
    """Draw *column* against the share, a panel for each trace and a line for each policy."""
    traces, policies = list(dict.fromkeys(table["trace"])), list(dict.fromkeys(table["policy"]))
    across = min(PANELS_ACROSS, len(traces))
    down = ceil(len(traces) / across)
    with styled():
        figure = Picture(figsize=(max(3.6, PANEL_WIDTH * across), 0.5 + PANEL_HEIGHT * down))
        axes = list(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat)
        for place, (ax, trace) in enumerate(zip(axes, traces, strict=False)):
            rows = table[table["trace"] == trace]
            _lines(ax, rows, column, policies)
            ax.set_title(trace, fontsize=10.0)
            ax.set_ylabel(label if place % across == 0 else "")
            ax.set_xlabel(SHARE_LABEL if place + across >= len(traces) else "")
            ax.tick_params(labelbottom=place + across >= len(traces))
        axes[0].set_ylim(bottom=0.0)
        for ax in axes[len(traces) :]:
            ax.set_visible(False)
        legend_below(axes[0])
    return figure


def _lines(ax: Axes, rows: pd.DataFrame, column: str, policies: Sequence[str]) -> None:
    """Draw a line for each policy; where lines lie over each other, dashes and hollow marks show all of them."""
    for number, policy in enumerate(policies):
        own = rows[rows["policy"] == policy].sort_values("share")
        ax.plot(own["share"], own[column], color=PALETTE[number % len(PALETTE)], label=policy, clip_on=False,
                linestyle=DASHES[number % len(DASHES)], linewidth=1.4, marker=MARKERS[number % len(MARKERS)],
                markersize=7.0 - number % 4, markerfacecolor="none", zorder=2.0 + 0.1 * number)  # fmt: skip
    ax.set_xscale("log")
    _plain_shares(ax, sorted(rows["share"].unique()))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _plain_shares(ax: Axes, shares: Sequence[float]) -> None:
    """Label the axis with *shares* as percents, as many as have room."""
    step = ceil(len(shares) / 6)
    ax.xaxis.set_major_locator(FixedLocator(list(shares[::step])))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100.0 * value:.4g}"))


def relative_picture(table: pd.DataFrame, against: str) -> Figure:
    """Draw relative misses at each share: a mark for each trace and policy, the mean over traces and its interval."""
    shares, policies = sorted(table["share"].unique()), list(dict.fromkeys(table["policy"]))
    with styled():
        figure = Picture(figsize=(min(7.1, max(3.6, 1.0 + 0.2 * len(shares) * (1 + len(policies)))), 3.0))
        ax = figure.subplots()
        for number, policy in enumerate(policies):
            shift = MARKS_WIDTH * ((number + 0.5) / len(policies) - 0.5)
            _draw_compared(ax, table[table["policy"] == policy], shares, shift, number, policy)
        ax.axhline(1.0, color=INK, linewidth=0.8, zorder=1.5)
        ax.set_xticks(range(len(shares)), [f"{100.0 * share:.4g}" for share in shares])
        ax.set_xlim(-0.5, len(shares) - 0.5)
        ax.grid(visible=False, axis="x")
        ax.set_xlabel(SHARE_LABEL)
        ax.set_ylabel(f"misses, those of {against} are 1")
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        legend_below(ax)
    return figure


def _draw_compared(
    ax: Axes, rows: pd.DataFrame, shares: Sequence[float], shift: float, number: int, name: str
) -> None:
    colour, label = PALETTE[number % len(PALETTE)], name
    for place, share in enumerate(shares):
        values: list[float] = rows[rows["share"] == share]["relative_misses"].tolist()
        ax.plot(np.full(len(values), place + shift), values, color=colour, alpha=0.45, linestyle="none", markersize=4,
                marker=MARKERS[number % len(MARKERS)], markerfacecolor="none")  # fmt: skip
        if len(values) > 1:
            mean = confidence(values)
            ax.errorbar(place + shift, mean.mean, yerr=[[mean.mean - mean.low], [mean.high - mean.mean]], color=colour,
                        fmt=MARKERS[number % len(MARKERS)], markersize=6, capsize=3, linewidth=1.4, label=label,
                        zorder=3)  # fmt: skip
        else:
            ax.plot([place + shift], values, color=colour, linestyle="none", marker=MARKERS[number % len(MARKERS)],
                    markersize=6, label=label)  # fmt: skip
        label = "_nameless"
