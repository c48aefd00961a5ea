"""A paper's own points in a picture: one mark and one word for them, whatever the paper is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log10
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.plots.direct_labels import label_anew
from sim.plots.legends import legend_below
from sim.plots.pictures import styled
from sim.plots.style import INK

WORD = "published"
GID = "published"
LOOK: Mapping[str, Any] = {
    "marker": "D", "color": INK, "markersize": 6.0, "markeredgecolor": "white", "markeredgewidth": 0.9,
    "linestyle": "none", "clip_on": False, "zorder": 6,
}  # fmt: skip
ROOM = 0.04
"""The share of an axis that is left free beyond a point."""

Place = float | str
"""On an axis; or the name of a bar, which is a tick of its axis."""
Point = tuple[Place, Place] | tuple[Place, Place, int]
"""Across, up, and in which panel of the picture where it has several."""
Numbers = Mapping[str, float]
"""What a paper prints, by the id of the claim."""
Drawing = Callable[[pd.DataFrame], Axes]


class WithPublished:
    """A *picture* of a study's table, and in it the *points* that the claims' *numbers* are.

    *points* gets the numbers by the ids of their claims, and is asked when the picture is drawn.
    """

    def __init__(
        self, picture: Drawing, numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]]
    ) -> None:
        self.picture = picture
        self.numbers = numbers
        self.points = points

    def __call__(self, table: pd.DataFrame) -> Axes:
        ax = self.picture(table)
        mark(ax, self.points(self.numbers()))
        return ax


def with_published(
    numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]]
) -> Callable[[Drawing], WithPublished]:
    """WithPublished for a function that draws, written above it."""
    return lambda picture: WithPublished(picture, numbers, points)


def mark(ax: Axes, points: Sequence[Point]) -> None:
    """Draw *points* into the picture of *ax*, whose axes then reach so far; a bar that is not there has none."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    marks = {}
    for panel, own in enumerate(figure.axes):
        with styled():
            places = [_place(own, each) for each in points if (each[2] if len(each) == 3 else 0) == panel]
            shown = [(x, y) for x, y in places if x is not None and y is not None]
            if not shown:
                continue
            xs, ys = [x for x, _ in shown], [y for _, y in shown]
            own.set_xlim(_reach(own.get_xlim(), xs, own.get_xscale() == "log"))
            own.set_ylim(_reach(own.get_ylim(), ys, own.get_yscale() == "log"))
            (marks[WORD],) = own.plot(xs, ys, **LOOK, label="_published", gid=GID)
            label_anew(own)
    if marks:
        with styled():
            legend_below(ax, marks)


def _place(ax: Axes, point: Point) -> tuple[float | None, float | None]:
    x, y = point[0], point[1]
    return _number(x, ax.get_xticks(), ax.get_xticklabels()), _number(y, ax.get_yticks(), ax.get_yticklabels())


def _number(place: Place, ticks: Iterable[float], labels: Iterable[Any]) -> float | None:
    if not isinstance(place, str):
        return float(place)
    return next((float(at) for at, text in zip(ticks, labels, strict=False) if text.get_text() == place), None)


def _reach(limits: tuple[float, float], values: Sequence[float], is_log: bool) -> tuple[float, float]:
    """*limits*, in their order, moved as far as *values* and some ROOM beyond them need."""
    low, high = sorted(limits)
    first, last, least, most = (log10(each) if is_log else each for each in (low, high, min(values), max(values)))
    room = ROOM * (last - first)
    first, last = (min(first, least - room) if least < first else first), (max(last, most + room))
    ends = (10.0**first, 10.0**last) if is_log else (first, last)
    return ends if limits[0] <= limits[1] else ends[::-1]
