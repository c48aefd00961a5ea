"""Pictures of distributions: what is drawn where, and names that no letter can break."""

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.studies.plots.distributions import MAX_POINTS, Curve, CurveStyle, distributions, small_distributions
from spindle.studies.plots.files import png

LOOK = CurveStyle("#123456", 1.5)


def curve(times: list[float] | np.ndarray, name: str = "model", note: str = "") -> Curve:
    return Curve(name, np.asarray(times, float), LOOK, note)


def test_the_share_of_requests_that_took_no_longer() -> None:
    (ax,) = distributions({"reads": [curve([3.0, 1.0, 1.0, 2.0])]}, x_label="response time, ms").axes
    (line,) = ax.lines
    assert np.asarray(line.get_xydata()).tolist() == [[1, 0], [1, 25], [1, 50], [2, 75], [3, 100]]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("response time, ms", "requests, %", "linear")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 3), (0, 100))


def test_panels_stand_side_by_side_and_name_their_curves_in_order() -> None:
    first = [curve([1.0], "measured"), curve([2.0], "model", ", demerit 5%")]
    left, right = distributions({"reads": first, "writes": [curve([1.0])]}, x_label="ms", title="Drive").axes
    assert (left.get_xlabel(), right.get_xlabel()) == ("reads: ms", "writes: ms")
    assert [text.get_text() for text in left.texts] == ["model, demerit 5%", "measured"]
    assert left.texts[0].get_position()[1] < left.texts[1].get_position()[1]
    assert {text.get_color() for text in left.texts} == {LOOK.colour}


def test_small_panels_stand_in_rows_and_what_is_left_over_is_empty() -> None:
    panels = {name: [curve([1.0, place + 2.0], name), curve([1.0], "model")] for place, name in enumerate("abcd")}
    figure = small_distributions(panels, x_label="response time, ms")
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["a", "b", "c", "d", "", ""]
    assert [ax.axison for ax in figure.axes] == [True] * 4 + [False] * 2
    for ax in figure.axes[:4]:
        assert ax.texts[0].get_position()[1] < ax.texts[1].get_position()[1] == 0
        assert (ax.get_xscale(), ax.get_xlim()) == ("log", pytest.approx((1, 5), rel=0.01))
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("response time, ms", "requests, %")
    places = [ax.get_subplotspec() for ax in figure.axes]
    assert [(place.rowspan.start, place.colspan.start) for place in places if place] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]  # fmt: skip


def test_a_curve_of_many_requests_has_few_points() -> None:
    (ax,) = distributions({"all": [curve(np.arange(100_000))]}, x_label="ms").axes
    assert len(ax.lines[0].get_xdata()) == MAX_POINTS + 1


def test_a_long_tail_makes_the_axis_logarithmic() -> None:
    (ax,) = distributions({"all": [curve([1.0] * 90 + [500.0] * 10)]}, x_label="ms").axes
    assert ax.get_xscale() == "log"
    (short,) = distributions({"all": [curve([1.0] * 999 + [500.0])]}, x_label="ms").axes
    assert (short.get_xscale(), short.get_xlim()) == ("linear", (0, 1))


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0, 5.0], [5.0] * 3])
def test_any_times_can_be_drawn(times: list[float]) -> None:
    for draw in (distributions, small_distributions):
        assert png(draw({"a": [curve(times)]}, x_label="ms"))


def test_the_same_times_are_drawn_alike() -> None:
    panels = {"a": [curve([0.0, 5.0])], "b": [curve([5.0])]}
    for draw in (distributions, small_distributions):
        assert png(draw(panels, x_label="ms")) == png(draw(panels, x_label="ms"))


def test_a_title_is_text_whatever_it_says() -> None:
    figure = distributions({"a": [curve([1.0], "$x^", "$\\bad")]}, x_label="ms", title="$\\frac{" + "x" * 10_000)
    assert figure.get_suptitle().endswith("...")
    assert png(figure)


def test_nothing_cannot_be_drawn() -> None:
    for panels in ({}, {"a": [curve([])]}):
        for draw in (distributions, small_distributions):
            with pytest.raises(UserError, match="there is nothing to plot"):
                draw(panels, x_label="ms")
