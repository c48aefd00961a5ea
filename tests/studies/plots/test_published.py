"""A paper's points: where they lie, how far the axes reach for them, and that one word explains them below."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from spindle.studies.plots.axes import new_axes, new_panels
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.claim_points import CLAIM_GID, mark, with_points
from spindle.studies.plots.curves import DrawnLine, curve, strips
from spindle.studies.plots.files import png
from spindle.studies.plots.legends import LABEL, columns, label_ends, legend_below

CURVE = pd.DataFrame({"x": [1, 2, 3], "y": [1.0, 2.0, 3.0], "by": ["one"] * 3})
BARS = pd.DataFrame({"run": ["cached", "not"], "cpu": [1.0, 1.0], "disc": [1.0, 3.0]})


def points_of(ax: Axes) -> list[list[float]]:
    lines = [line for line in ax.lines if line.get_gid() == CLAIM_GID]
    return [point for line in lines for point in np.asarray(line.get_xydata()).tolist()]


def words_below(ax: Axes) -> list[str]:
    return [text.get_text() for legend in ax.figure.legends for text in legend.texts]


def test_the_numbers_of_claims_become_points_and_the_axes_reach_them() -> None:
    @with_points(lambda: {"A1": 8.0, "A2": 2.5}, lambda paper: [(2, paper["A1"]), (4, paper["A2"])])
    def picture(table: pd.DataFrame) -> Axes:
        return curve(table, "x", "y", "by", names={"one": "first"})

    ax = picture(CURVE)
    assert points_of(ax) == [[2, 8.0], [4, 2.5]]
    assert (ax.get_xlim()[1] > 4, ax.get_ylim()[1] > 8, ax.get_ylim()[0]) == (True, True, 0)
    assert words_below(ax) == ["published"]
    assert [text.get_text() for text in ax.texts if text.get_gid() == LABEL] == ["first"]


def test_a_point_stands_at_the_bar_of_its_name_and_none_at_a_bar_that_is_not_there() -> None:
    ax = stacked_bars(BARS, "run", {"cpu": "CPU", "disc": "disc"})
    mark(ax, [(2.5, "not"), (1.0, "nowhere")])
    assert points_of(ax) == [[2.5, 1]]
    assert words_below(ax) == ["CPU", "disc", "published"]
    assert ax.get_ylim() == (1.5, -0.5)  # the first bar is the uppermost


def test_a_point_may_lie_in_another_panel_and_on_a_logarithmic_axis() -> None:
    upper, lower = new_panels(2)
    lower.set_yscale("log")
    lower.set_ylim(1.0, 10.0)
    mark(upper, [(0.5, 0.5), (0.5, 100.0, 1)])
    assert (points_of(upper), points_of(lower)) == ([[0.5, 0.5]], [[0.5, 100.0]])
    assert lower.get_ylim() == pytest.approx((1.0, 10.0**2.04))
    assert words_below(upper) == ["published"]


def test_nothing_published_leaves_the_picture_as_it_was() -> None:
    ax = curve(CURVE, "x", "y")
    before = png(ax)
    mark(ax, [])
    assert png(ax) == before


@pytest.mark.parametrize(
    ("names", "width", "count"),
    [(["ab", "cd"], 5.2, 2), (["a" * 30] * 3, 5.2, 1), (["a" * 20] * 4, 5.2, 2), (["a"], 1, 1)],
)
def test_as_many_columns_as_stand_side_by_side(names: list[str], width: float, count: int) -> None:
    assert columns(names, width) == count


def test_a_legend_makes_its_own_room_and_gives_it_back() -> None:
    ax = new_axes()
    height = ax.figure.get_figheight()
    for name in "abcdef":
        ax.plot([0, 1], [1, 1], label=f"line {name}")
    legend_below(ax)
    higher = ax.figure.get_figheight()
    label_ends(ax)
    label_ends(ax)
    assert height < higher == pytest.approx(ax.figure.get_figheight())
    for line in list(ax.lines)[1:]:
        line.remove()
    label_ends(ax)
    assert [text.get_text() for text in ax.texts] == ["line a"]


def test_names_stand_neither_on_the_ticks_nor_on_the_title() -> None:
    ax = new_axes()
    for name, height in (("low", 0.0), ("lower", 0.08), ("high", 1.0)):
        ax.plot([0, 1], [height, height], label=name)
    ax.set_ylim(0, 1)
    label_ends(ax)
    foot, top = (ax.transAxes.transform((0, end))[1] * 72 / ax.figure.dpi for end in (0, 1))
    stand = [ax.transData.transform(text.xy)[1] * 72 / ax.figure.dpi + text.xyann[1] for text in ax.texts]
    assert foot < min(stand)
    assert max(stand) <= top


def test_a_panel_for_each_unit() -> None:
    frame = pd.DataFrame({"s": [0.0, 1.0], "mb": [1.0, 2.0], "busy": [50.0, 90.0]})
    panels = {"MB": [DrawnLine("mb", "cache", "red")], "%": [DrawnLine("busy", "CPU", "blue")]}
    ax = strips(frame, "s", panels, x_label="seconds", title="Two units")
    assert [each.get_ylabel() for each in ax.figure.axes] == ["MB", "%"]
    assert [np.asarray(each.lines[0].get_ydata()).tolist() for each in ax.figure.axes] == [[1.0, 2.0], [50.0, 90.0]]
    assert (ax.get_title(loc="left"), ax.figure.axes[1].get_xlabel()) == ("Two units", "seconds")


def test_a_title_begins_at_the_edge_of_the_picture() -> None:
    bars = BARS.assign(run=["a very long name of a bar", "another that is as long"])
    ax = stacked_bars(
        bars, "run", {"cpu": "CPU", "disc": "disc"}, title="A title as long as the picture is wide at most"
    )
    png(ax)
    (title,) = (text for text in ax.get_children() if getattr(text, "get_text", str)() == ax.get_title(loc="left"))
    box = title.get_window_extent()
    assert 0 < box.x0 < box.x1 < ax.figure.bbox.x1
    assert box.x0 < ax.get_window_extent().x0
