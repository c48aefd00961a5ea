"""Draws numbers of claims as points into a picture, with a mark for each kind: published, measured, predicted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log10
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spindle.studies.plots.legends import label_anew, legend_below
from spindle.studies.plots.style import INK, styled

CLAIM_GID = "of a claim"
"""Matplotlib's group id of the points of claims."""
POINT_STYLE: Mapping[str, Any] = {
    "marker": "D", "markersize": 6.0, "markeredgewidth": 0.9, "linestyle": "none", "clip_on": False, "zorder": 6,
}  # fmt: skip
FILLED_STYLE: Mapping[str, Any] = {"color": INK, "markeredgecolor": "white"}


class PointKind(NamedTuple):
    """A kind of points: the *word* in the legend that explains them, and their colours."""

    word: str
    colours: Mapping[str, Any]


PUBLISHED, MEASURED = PointKind("published", FILLED_STYLE), PointKind("measured", FILLED_STYLE)
PREDICTED = PointKind("predicted by hand", {"color": "white", "markeredgecolor": INK})
FREE_SHARE = 0.04
"""The share of an axis that is left free beyond a point."""
Place = float | str
"""A place on an axis: a number, or the name of a bar, which is a tick of the axis."""
Point = tuple[Place, Place] | tuple[Place, Place, int]
"""A point: across, up, and the number of the panel in a picture of several."""
Numbers = Mapping[str, float]
"""Numbers of claims, by the id of the claim."""
Drawing = Callable[[pd.DataFrame], Axes]


class WithPoints:
    """A *picture* of a study's table into which *numbers* of claims are drawn as *points* of one *kind*.

    *points* places the numbers, given by the ids of their claims, when the picture is drawn.
    """

    def __init__(
        self, picture: Drawing, numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]],
        kind: PointKind,
    ) -> None:  # fmt: skip
        self.picture = picture
        self.numbers = numbers
        self.points = points
        self.kind = kind

    def __call__(self, table: pd.DataFrame) -> Axes:
        ax = self.picture(table)
        mark(ax, self.points(self.numbers()), self.kind)
        return ax


def with_points(
    numbers: Callable[[], Numbers], points: Callable[[Numbers], Sequence[Point]], kind: PointKind = PUBLISHED
) -> Callable[[Drawing], WithPoints]:
    """Return a decorator that turns a function that draws into WithPoints."""
    return lambda picture: WithPoints(picture, numbers, points, kind)


def mark(ax: Axes, points: Sequence[Point], kind: PointKind = PUBLISHED) -> None:
    """Draw *points* into the picture of *ax*, and extend its axes to them; points of absent bars are left out."""
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
            own.set_xlim(_widen_limits(own.get_xlim(), xs, own.get_xscale() == "log"))
            own.set_ylim(_widen_limits(own.get_ylim(), ys, own.get_yscale() == "log"))
            (marks[kind.word],) = own.plot(xs, ys, **POINT_STYLE, **kind.colours, label="_of_a_claim", gid=CLAIM_GID)
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


def _widen_limits(limits: tuple[float, float], values: Sequence[float], is_log: bool) -> tuple[float, float]:
    """Return *limits*, in their order, widened to include *values* and the share FREE_SHARE beyond them."""
    low, high = sorted(limits)
    first, last, least, most = (log10(each) if is_log else each for each in (low, high, min(values), max(values)))
    room = FREE_SHARE * (last - first)
    first, last = (min(first, least - room) if least < first else first), (max(last, most + room))
    ends = (10.0**first, 10.0**last) if is_log else (first, last)
    return ends if limits[0] <= limits[1] else ends[::-1]
