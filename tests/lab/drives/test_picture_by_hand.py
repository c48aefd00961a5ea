"""Tests by hand what a picture of a model's errors shows: bars, medians and means of groups, and their names."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from spindle.lab.drives.errors import Axis
from spindle.lab.drives.picture import _draw, _name, error_picture
from spindle.sim.units import MS
from spindle.studies.plots.style import BLUE, FAINT, STYLE, VERMILION, WIDTH

GROUPS = {"read late ": [1.0, 2.0, 3.0, 4.0, 10.0], "few": [50.0] * 4, "read": [0.0, -1.0, -1.0, -3.0, 0.0, -7.0]}
AXIS = Axis(list(GROUPS), np.repeat([0, 1, 2], [5, 4, 6]))
ERRORS = np.array([each for group in GROUPS.values() for each in group])


def labels(ax: Axes) -> dict[float, str]:
    return {float(at): text.get_text() for at, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)}


def test_a_panel_has_the_middle_half_the_median_and_the_mean_of_each_group_of_five_or_more() -> None:
    """Of 1, 2, 3, 4 and 10 the half lies from 2 to 4, the median is 3 and the mean 4; of the others -2.5 to -0.25."""
    ax = Figure().subplots()
    _draw(ax, AXIS, ERRORS)
    nought, medians, means = ax.lines
    (bars,) = ax.collections
    assert [*nought.get_ydata()] == [0.0, 0.0]
    assert (to_hex(nought.get_color()), nought.get_linewidth()) == (FAINT.lower(), 0.8)
    assert [each.tolist() for each in bars.get_segments()] == [[[0, 2], [0, 4]], [[1, -2.5], [1, -0.25]]]
    assert (to_hex(bars.get_color()[0]), bars.get_linewidth(), bars.get_alpha()) == (BLUE.lower(), 7.0, 0.3)
    assert ([*medians.get_xdata()], [*medians.get_ydata()], medians.get_marker()) == ([0, 1], [3.0, -1.0], "_")
    assert (to_hex(medians.get_color()), medians.get_markersize(), medians.get_markeredgewidth()) == (
        BLUE.lower(), 8.0, 2.0)  # fmt: skip
    assert ([*means.get_xdata()], [*means.get_ydata()], means.get_marker()) == ([0, 1], [4.0, -2.0], "x")
    assert {medians.get_linestyle(), means.get_linestyle()} == {"None"}
    assert to_hex(means.get_color()) == VERMILION.lower()
    assert ax.get_xlim() == (-0.6, 1.6)
    assert not any(line.get_visible() for line in ax.get_xgridlines())
    assert labels(ax) == {0.0: "read\nlate", 1.0: "read"}
    assert {text.get_fontsize() for text in ax.get_xticklabels()} == {8.0}


@pytest.mark.parametrize(("count", "shown"), [(1, [0]), (4, [0, 1, 2, 3]), (5, [0, 2, 4]), (8, [0, 4, 7])])
def test_four_names_fit_and_of_more_the_first_the_middle_and_the_last(count: int, shown: list[int]) -> None:
    ax = Figure().subplots()
    _name(ax, [f"name {number}" for number in range(count)])
    assert labels(ax) == {float(number): f"name\n{number}" for number in shown}


def test_a_picture_has_a_panel_for_each_property_by_what_it_explains() -> None:
    """Four properties take two rows of three; the errors are in milliseconds, on one scale."""
    names = ["size", "head", "zone", "$pause$"]
    budget: Any = SimpleNamespace(
        axes=dict.fromkeys(reversed(names), AXIS), errors=ERRORS * MS, disc=SimpleNamespace(name="D" * 60),
        shares=lambda: dict(zip(names, (0.5, 0.25, 0.126, 0.0), strict=True)),
        phases=lambda: {"rotation": 0.625, "seek": 0.1},
    )  # fmt: skip
    figure = error_picture(budget)
    assert figure.get_size_inches().tolist() == pytest.approx([1.62 * WIDTH, 0.5 + 2 * 1.9])
    assert len(figure.axes) == 6
    titles = [ax._left_title for ax in figure.axes[:4]]  # type: ignore[attr-defined]
    assert [title.get_text() for title in titles] == ["size: 50%", "head: 25%", "zone: 13%", "$pause$: 0%"]
    assert all([*ax.lines[1].get_ydata()] == pytest.approx([3.0, -1.0]) for ax in figure.axes[:4])
    assert {(title.get_fontsize(), title.get_parse_math()) for title in titles} == {(STYLE["font.size"], False)}
    first = figure.axes[0]
    assert all(first.get_shared_y_axes().joined(first, ax) for ax in figure.axes[1:])
    assert first.titleOffsetTrans.transform((0, 0)).tolist() == pytest.approx([0, 5 / 72 * figure.dpi])  # type: ignore[attr-defined]
    assert figure.get_suptitle() == f"{'D' * 50}: rotation explains 62% of the mean square error"
    above, beside = figure._suptitle, figure._supylabel  # type: ignore[attr-defined]
    assert (above.get_position()[0], above.get_ha(), above.get_fontweight()) == (0.012, "left", "bold")
    assert (above.get_fontsize(), above.get_parse_math()) == (STYLE["axes.titlesize"], False)
    assert (beside.get_text(), beside.get_fontsize()) == ("model less drive, ms", STYLE["font.size"])
