"""Names of what is drawn: at the ends of lines in their colours, or in a legend below, where it hides nothing."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

# A legend below the picture, where it hides nothing of it.

HANDLE, LETTER, ROW = 0.52, 0.083, 0.2
"""Inches that an entry takes beside its text, that a letter takes, and that a row is high."""


def legend_below(ax: Axes, more: Mapping[str, Artist] | None = None, gid: str | None = None) -> None:
    """Explain what *ax* drew under a name, after what is explained below its figure already; or *more*.

    The figure gets higher by the legend.
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
    """The most columns of *names* that stand side by side in *width* inches."""

    def width_of(count: int) -> float:
        return sum(HANDLE + LETTER * max(map(len, column)) for column in np.array_split(np.array(names), count))

    return next((count for count in range(len(names), 1, -1) if width_of(count) <= width), 1)


# Names at the ends of lines, in the colours of the lines; a legend below only where ends lie too close together.

LABEL = "direct label"
GAP = 12.0
"""Points from one name to the next."""
SHIFT_MOST = 14.0
"""Points by which a name may stand off the end of its line and still be recognised as its name."""
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
"""Behind a name, so that it is read across a line of the grid."""

EARLY = 0.75
"""Share of the way to the furthest end before which a line ends among the others, where its name would cross them."""


def label_ends(ax: Axes) -> None:
    """Name every line of *ax* that has a name, anew if some were named before."""
    _forget(ax)
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = sorted(((_height(ax, line), index) for index, line in enumerate(lines)), key=lambda end: end)
    heights = _keep_within(ax, spread([height for height, _ in ends], GAP))
    shifts = {index: new - old for (old, index), new in zip(ends, heights, strict=True)}
    if any(abs(shift) > SHIFT_MOST for shift in shifts.values()) or _one_ends_early(ax, lines):
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


def _keep_within(ax: Axes, heights: list[float]) -> list[float]:
    """Move *heights*, ascending, off the ticks below *ax* and the title above it."""
    foot, top = (float(ax.transAxes.transform((0.0, end))[1]) * 72 / float(ax.figure.dpi) for end in (0.0, 1.0))
    above = [max(height, foot + GAP * (place + 0.4)) for place, height in enumerate(heights)]
    below = [min(height, top - GAP * place) for place, height in enumerate(reversed(above))]
    return below[::-1]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xydata(), float)[-1]
    return float(x), float(y)


def _one_ends_early(ax: Axes, lines: Sequence[Line2D]) -> bool:
    left = float(ax.transAxes.transform((0.0, 0.0))[0])
    ends = [float(ax.transData.transform(_end(line))[0]) - left for line in lines]
    return bool(ends) and min(ends) < EARLY * max(ends)


def _height(ax: Axes, line: Line2D) -> float:
    """Return the height of the line's end, in points above the foot of the figure."""
    return float(ax.transData.transform(_end(line))[1]) * 72 / float(ax.figure.dpi)


def spread(heights: list[float], gap: float) -> list[float]:
    """Move *heights*, ascending, just enough to keep neighbours *gap* apart; each crowd keeps its middle."""
    crowds: list[list[float]] = []
    for height in heights:
        crowds.append([height])
        while len(crowds) > 1 and (
                fmean(crowds[-1]) - fmean(crowds[-2]) < gap * (len(crowds[-1]) + len(crowds[-2])) / 2):  # fmt: skip
            crowds[-2:] = [crowds[-2] + crowds[-1]]
    return [fmean(crowd) + gap * (index - (len(crowd) - 1) / 2) for crowd in crowds for index in range(len(crowd))]
