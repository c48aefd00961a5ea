"""A trace in one picture: sizes, runs, times between requests, distances and hot spots, reads beside writes."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from spindle.sim.units import KIB, MS
from spindle.studies.plots.style import BLUE, COLOURS, STYLE, WIDTH, Picture, styled
from spindle.traces.character import KINDS
from spindle.traces.characterise import HOT, TICK, Characterisation, Histogram

COLOUR = dict(zip(KINDS, COLOURS, strict=False))


class PortraitPanel(NamedTuple):
    """Distributions by the name of their line, in *unit*, on an axis with *label*."""

    label: str
    unit: float
    lines: Mapping[str, Histogram]


def portrait(character: Characterisation, title: str) -> Figure:
    kinds = {name: character.kinds[op] for name, op in KINDS.items() if op in character.kinds}
    panels = [
        PortraitPanel("size, KiB", 1 / KIB, {name: kind.sizes for name, kind in kinds.items()}),
        PortraitPanel("run, requests", 1.0, {name: kind.runs for name, kind in kinds.items()}),
        PortraitPanel("time between requests, ms", TICK / MS, {"": character.gaps}),
        PortraitPanel("other blocks between uses", 1.0, {"": character.locality.distances}),
    ]
    shown = [panel for panel in panels if any(line.total for line in panel.lines.values())]
    with styled():
        figure = Picture(figsize=(1.62 * WIDTH, 4.9))
        axes = list(figure.subplots(2, 3).flat)
        for ax, panel in zip(axes, shown, strict=False):
            _distribution(ax, panel)
        _hot_spots(axes[len(shown)], character)
        for ax in axes[len(shown) + 1 :]:
            ax.set_axis_off()
        figure.suptitle(title, x=0.012, ha="left", fontsize=STYLE["axes.titlesize"],
                        fontweight=STYLE["axes.titleweight"], parse_math=False)
    return figure


def _distribution(ax: Axes, panel: PortraitPanel) -> None:
    for place, (name, line) in enumerate(panel.lines.items()):
        if line.total:
            values = panel.unit * np.asarray(line.values, float)
            shares = 100.0 * np.cumsum(line.counts) / line.total
            colour = COLOUR.get(name, BLUE)
            ax.step([values[0], *values], [0.0, *shares], where="post", color=colour)
            ax.annotate(name, (0.97, 0.06 + 0.11 * place), xycoords="axes fraction", ha="right", color=colour)
    _scale(ax, panel)
    ax.set_ylim(0, 100)
    ax.set_xlabel(panel.label)
    ax.set_ylabel("%, no more than that")


def _scale(ax: Axes, panel: PortraitPanel) -> None:
    """Ratios where the values are far apart, and 0 at the left edge of what lies above it."""
    values = [panel.unit * value for line in panel.lines.values() for value in line.values]
    above = [value for value in values if value > 0.0]
    if not above or max(above) < 8.0 * min(above):
        return
    if min(values) > 0.0:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(numticks=6))
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xscale("symlog", linthresh=max(min(above), max(above) / 1e6))
        ax.set_xlim(left=0.0)


def _hot_spots(ax: Axes, character: Characterisation) -> None:
    ax.plot([100.0 * share for share in HOT], [100.0 * part for part in character.locality.hot], marker="o", color=BLUE)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(0, 103)
    ax.set_xlabel("hottest blocks, %")
    ax.set_ylabel("references to them, %")
