"""A legend below the picture, where it hides nothing of it."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

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
    """Take away what legend_below made, and the room that it has."""
    figure = legend.figure
    assert isinstance(figure, Figure)
    names = [text.get_text() for text in legend.texts]
    _grow(figure, len(names), columns(names, figure.get_figwidth()), -1)
    legend.remove()


def _grow(figure: Figure, entries: int, count: int, times: int) -> None:
    figure.set_figheight(figure.get_figheight() + times * ROW * (0.5 + -(-entries // count)))


def columns(names: Sequence[str], width: float) -> int:
    """The most columns of *names* that stand side by side in *width* inches."""

    def taken(count: int) -> float:
        return sum(HANDLE + LETTER * max(map(len, column)) for column in np.array_split(np.array(names), count))

    return next((count for count in range(len(names), 1, -1) if taken(count) <= width), 1)
