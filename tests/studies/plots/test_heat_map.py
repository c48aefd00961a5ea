"""A map by hand: which number stands in which field, which is framed, and what is refused."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from spindle.sim.error import UserError
from spindle.studies.plots.files import png
from spindle.studies.plots.heat_map import heat_map

# Unsorted, and without the field of 96 and 4.
FRAME = pd.DataFrame({"random": [16, 4, 16], "sequential": [4, 4, 96], "value": [3.0, 1.0, 2.0]})


def test_fields_ascend_to_the_right_and_upwards_and_have_their_numbers() -> None:
    axes = heat_map(FRAME, "random", "sequential", "value", shown="{:.0f}", title="Map")
    assert {text.get_position(): text.get_text() for text in axes.texts} == {(0, 0): "1", (1, 0): "3", (1, 1): "2"}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["4", "16"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["4", "96"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == ("random", "sequential", "Map")
    assert png(axes) == png(heat_map(FRAME, "random", "sequential", "value", shown="{:.0f}", title="Map"))


def test_a_number_can_be_read_on_the_colour_behind_it() -> None:
    texts = heat_map(FRAME, "random", "sequential", "value").texts
    assert {text.get_text(): to_hex(text.get_color()) for text in texts} == {
        "1.00": "#ffffff", "3.00": "#333333", "2.00": "#ffffff",
    }  # fmt: skip


def test_a_wide_range_is_coloured_by_its_logarithm() -> None:
    """Half of the way from 1 to 100 is 10: what lies below is on the darker colours."""
    texts = heat_map(FRAME.assign(value=[1.0, 9.0, 100.0]), "random", "sequential", "value", shown="{:.0f}").texts
    assert [text.get_text() for text in texts if to_hex(text.get_color()) == "#ffffff"] == ["9", "1"]


@pytest.mark.filterwarnings("error")
def test_a_map_of_nothing_known_is_empty() -> None:
    axes = heat_map(FRAME.assign(value=float("nan")), "random", "sequential", "value")
    assert not axes.texts
    assert png(axes)


@pytest.mark.parametrize(("better", "corners"), [
    ("least", [(-0.5, -0.5)]), ("most", [(0.5, -0.5)]), ("least of each row", [(-0.5, -0.5), (0.5, 0.5)]),
])  # fmt: skip
def test_the_best_field_is_framed(better: str, corners: list[tuple[float, float]]) -> None:
    axes = heat_map(FRAME, "random", "sequential", "value", better=better)
    assert [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle)] == corners


@pytest.mark.parametrize(("frame", "column", "said"), [
    (FRAME, "valeu", "unknown column 'valeu'"),
    (FRAME.iloc[:0], "value", "no rows"),
    (pd.concat([FRAME, FRAME]), "value", "summarise replications first"),
])  # fmt: skip
def test_what_makes_no_map_is_refused(frame: pd.DataFrame, column: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        heat_map(frame, "random", "sequential", column)
