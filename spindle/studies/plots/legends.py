"""Writes the names of drawn things: at the ends of lines in their colours, or in a legend below the picture."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

# The legend below the picture, where it hides nothing.

HANDLE, LETTER, ROW = 0.52, 0.083, 0.2
"""Inches of an entry of a legend beside its text, of a letter, and of the height of a row."""


def legend_below(ax: Axes, more: Mapping[str, Artist] | None = None, gid: str | None = None) -> None:
    """Add the named artists of *ax*, or *more*, to the legend below its figure.

    The figure becomes higher by the legend.
    """
    figure = ax.figure
    assert isinstance(figure, Figure)
    entries: dict[str, Artist] = {}
    for old in list(figure.legends):
        pairs = zip(old.texts, old.legend_handles, strict=True)
        entries |= {text.get_text(): handle for text, handle in pairs if handle is not None}
        remove(old)
    if more is None:
        handles, names = ax.get_legend_handles_labels()
        more = dict(zip(names, handles, strict=True))
    entries |= more
    if entries:
        count = columns(list(entries), figure.get_figwidth())
        legend = figure.legend(list(entries.values()), list(entries), loc="outside lower left", handlelength=1.4,
                               columnspacing=1.4, ncols=count)  # fmt: skip
        legend.set_gid(gid)
        _grow(figure, len(entries), count, 1)


def remove(legend: Legend) -> None:
    """Remove a *legend* that legend_below made, and its room below the figure."""
    figure = legend.figure
    assert isinstance(figure, Figure)
    names = [text.get_text() for text in legend.texts]
    _grow(figure, len(names), columns(names, figure.get_figwidth()), -1)
    legend.remove()


def _grow(figure: Figure, entries: int, count: int, times: int) -> None:
    figure.set_figheight(figure.get_figheight() + times * ROW * (0.5 + -(-entries // count)))


def columns(names: Sequence[str], width: float) -> int:
    """Return the largest number of columns of *names* that fit into *width* inches."""

    def width_of(count: int) -> float:
        return sum(HANDLE + LETTER * max(map(len, column)) for column in np.array_split(np.array(names), count))

    return next((count for count in range(len(names), 1, -1) if width_of(count) <= width), 1)


# Names at the ends of lines, in the colours of the lines; in a legend below only if ends are too close together.

LABEL = "direct label"
NAME_GAP = 12.0
"""Points from one name to the next."""
MAX_SHIFT = 14.0
"""Points from the end of a line to its name, at most, so that it is still recognised."""
NAME_BACKGROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
"""Style of the background of a name, so that it can be read across a line of the grid."""

EARLY_SHARE = 0.75
"""Share of the way to the furthest end; the name of a line that ends earlier would cross others."""


def label_ends(ax: Axes) -> None:
    """Write the name of every named line of *ax* at its end, and remove earlier ones."""
    _forget(ax)
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = sorted(((_height(ax, line), index) for index, line in enumerate(lines)), key=lambda end: end)
    heights = _keep_within(ax, spread([height for height, _ in ends], NAME_GAP))
    shifts = {index: new - old for (old, index), new in zip(ends, heights, strict=True)}
    if any(abs(shift) > MAX_SHIFT for shift in shifts.values()) or _one_ends_early(ax, lines):
        legend_below(ax, gid=LABEL)
        return
    for index, line in enumerate(lines):
        ax.annotate(
            str(line.get_label()), _end(line), (7, shifts[index]),
            textcoords="offset points", color=line.get_color(), va="center", annotation_clip=False, gid=LABEL,
            bbox=NAME_BACKGROUND,
        )  # fmt: skip


def label_anew(ax: Axes) -> None:
    """Write names at the ends of lines of *ax* again, after its axes have changed; only if there were any."""
    if any(text.get_gid() == LABEL for text in ax.texts):
        label_ends(ax)


def _forget(ax: Axes) -> None:
    for text in [text for text in ax.texts if text.get_gid() == LABEL]:
        text.remove()
    for legend in [legend for legend in getattr(ax.figure, "legends", []) if legend.get_gid() == LABEL]:
        remove(legend)


def _keep_within(ax: Axes, heights: list[float]) -> list[float]:
    """Move *heights*, ascending, away from the ticks below *ax* and the title above it."""
    foot, top = (float(ax.transAxes.transform((0.0, end))[1]) * 72 / float(ax.figure.dpi) for end in (0.0, 1.0))
    above = [max(height, foot + NAME_GAP * (place + 0.4)) for place, height in enumerate(heights)]
    below = [min(height, top - NAME_GAP * place) for place, height in enumerate(reversed(above))]
    return below[::-1]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xydata(), float)[-1]
    return float(x), float(y)


def _one_ends_early(ax: Axes, lines: Sequence[Line2D]) -> bool:
    left = float(ax.transAxes.transform((0.0, 0.0))[0])
    ends = [float(ax.transData.transform(_end(line))[0]) - left for line in lines]
    return bool(ends) and min(ends) < EARLY_SHARE * max(ends)


def _height(ax: Axes, line: Line2D) -> float:
    """Return the height of the line's end, in points above the foot of the figure."""
    return float(ax.transData.transform(_end(line))[1]) * 72 / float(ax.figure.dpi)


def spread(heights: list[float], gap: float) -> list[float]:
    """Move *heights*, ascending, just enough that neighbours are *gap* apart; each crowd keeps its middle."""
    crowds: list[list[float]] = []
    for height in heights:
        crowds.append([height])
        while len(crowds) > 1 and (
                fmean(crowds[-1]) - fmean(crowds[-2]) < gap * (len(crowds[-1]) + len(crowds[-2])) / 2):  # fmt: skip
            crowds[-2:] = [crowds[-2] + crowds[-1]]
    return [fmean(crowd) + gap * (index - (len(crowd) - 1) / 2) for crowd in crowds for index in range(len(crowd))]
