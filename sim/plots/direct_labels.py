"""Names at the ends of lines, in the colours of the lines; a legend below only where ends lie too close together."""

from statistics import fmean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.plots.legends import legend_below, remove

LABEL = "direct label"
GAP = 12.0
"""Points from one name to the next."""
SHIFT_MOST = 14.0
"""Points by which a name may stand beside the end of its line before one no longer sees whose it is."""
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
"""Behind a name, so that it is read across a line of the grid."""


def label_ends(ax: Axes) -> None:
    """Name every line of *ax* that has a name, anew if some were named before."""
    _forget(ax)
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = sorted(((_height(ax, line), index) for index, line in enumerate(lines)), key=lambda end: end)
    heights = _within(ax, spread([height for height, _ in ends], GAP))
    shifts = {index: new - old for (old, index), new in zip(ends, heights, strict=True)}
    if any(abs(shift) > SHIFT_MOST for shift in shifts.values()):
        legend_below(ax, gid=LABEL)
        return
    for index, line in enumerate(lines):
        ax.annotate(
            str(line.get_label()), _end(line), (7, shifts[index]),
            textcoords="offset points", color=line.get_color(), va="center", annotation_clip=False, gid=LABEL,
            bbox=PAPER,
        )  # fmt: skip


def label_anew(ax: Axes) -> None:
    """Name the lines of *ax* again, whose axes have changed, if they have names at their ends."""
    if any(text.get_gid() == LABEL for text in ax.texts):
        label_ends(ax)


def _forget(ax: Axes) -> None:
    for text in [text for text in ax.texts if text.get_gid() == LABEL]:
        text.remove()
    for legend in [legend for legend in getattr(ax.figure, "legends", []) if legend.get_gid() == LABEL]:
        remove(legend)


def _within(ax: Axes, heights: list[float]) -> list[float]:
    """*heights*, ascending, moved to where no name stands on the ticks below *ax* or on the title above it."""
    foot, top = (float(ax.transAxes.transform((0.0, end))[1]) * 72 / float(ax.figure.dpi) for end in (0.0, 1.0))
    above = [max(height, foot + GAP * (place + 0.4)) for place, height in enumerate(heights)]
    below = [min(height, top - GAP * place) for place, height in enumerate(reversed(above))]
    return below[::-1]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xydata(), float)[-1]
    return float(x), float(y)


def _height(ax: Axes, line: Line2D) -> float:
    """Where the line ends, in points above the foot of the figure."""
    return float(ax.transData.transform(_end(line))[1]) * 72 / float(ax.figure.dpi)


def spread(heights: list[float], gap: float) -> list[float]:
    """*heights*, ascending, moved as little as keeps neighbours *gap* apart: a crowd stays where its middle was."""
    crowds: list[list[float]] = []
    for height in heights:
        crowds.append([height])
        while len(crowds) > 1 and _collide(crowds[-2], crowds[-1], gap):
            crowds[-2:] = [crowds[-2] + crowds[-1]]
    return [fmean(crowd) + gap * (index - (len(crowd) - 1) / 2) for crowd in crowds for index in range(len(crowd))]


def _collide(lower: list[float], upper: list[float], gap: float) -> bool:
    return fmean(upper) - fmean(lower) < gap * (len(upper) + len(lower)) / 2
