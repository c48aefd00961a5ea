"""Pictures: what is drawn where, with equal bytes twice, and without matplotlib's global state."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spindle.sim.clock import Phase
from spindle.sim.error import UserError
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.curves import curve, faint_line
from spindle.studies.plots.files import png, save, svg
from spindle.studies.plots.gains import gain_curve
from spindle.studies.plots.legends import spread
from spindle.studies.plots.phases import PHASE_LOOKS, breakdown
from spindle.studies.plots.style import BLUE, FAINT, GREEN, VERMILION
from spindle.studies.report.sensitivity_board import claims_board

LOAD = pd.DataFrame(
    {
        "caching": [True, True, False, False],
        "terminals": [101, 10, 10, 101],
        "mean": [0.31, 0.1, 0.15, 0.92],
        "mean_low": [0.29, 0.1, 0.1, 0.8],
        "mean_high": [0.33, 0.1, 0.2, 1.04],
    }
)
CLAIMS = pd.DataFrame(
    [
        ("B1", "predicted", 10.0, 9.0, 11.0, 10.5, 10.2, 10.8, "holds"),
        ("B2", "predicted", -10.0, -11.0, -9.0, -5.0, -5.5, -4.5, "fails"),
        ("B3", "calibrated", 1.0, 0.9, 1.1, 4.0, 4.0, 4.0, "fails"),
        ("B4", "shape", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, "holds"),
        ("B5", "definition", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "holds"),
        ("X1", "contradictory", 1.0, 0.9, 1.1, np.nan, np.nan, np.nan, "not scored"),
    ],
    columns=["id", "role", "published", "low", "high", "simulated", "ci_low", "ci_high", "verdict"],
)


def test_a_line_for_each_value_in_order_of_x_within_its_band() -> None:
    ax = curve(LOAD, "terminals", "mean", "caching", x_label="terminals", y_label="mean response, s", title="Load")
    drawn = [(line.get_label(), line.get_color(), np.asarray(line.get_xydata()).tolist()) for line in ax.lines]
    assert drawn == [
        ("caching True", BLUE, [[10, 0.1], [101, 0.31]]),
        ("caching False", VERMILION, [[10, 0.15], [101, 0.92]]),
    ]
    bands = [band.get_paths()[0].get_extents() for band in ax.collections]
    assert [(band.y0, band.y1) for band in bands] == [(0.1, 0.33), (0.1, 1.04)]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("terminals", "mean response, s", "Load")
    assert ax.get_ylim()[0] == 0


def test_lines_that_end_apart_are_named_at_their_ends_and_others_in_a_legend() -> None:
    apart = curve(LOAD, "terminals", "mean", "caching", names={True: "on", False: "off"})
    assert [(text.get_text(), text.get_color()) for text in apart.texts] == [("on", BLUE), ("off", VERMILION)]
    assert apart.figure.legends == []
    same = pd.concat([LOAD[LOAD["caching"]].assign(which=which) for which in "abcdef"])
    together = curve(same, "terminals", "mean", "which")
    assert [text.get_text() for text in together.texts] == []
    (legend,) = together.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list("abcdef")


def test_lines_are_added_in_the_next_colour_or_dashed_in_that_of_the_line_they_go_with() -> None:
    ax = curve(LOAD[LOAD["caching"]], "terminals", "mean", "caching", names={True: "simulated"})
    theory = pd.DataFrame({"terminals": [10, 101], "bound": [0.05, 0.1], "by": "theory"})
    assert curve(theory, "terminals", "bound", "by", names={"theory": "bound"}, dashed=True, ax=ax) is ax
    curve(theory, "terminals", "bound", "by", names={"theory": "again"}, ax=ax)
    styles = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
    assert styles == [(BLUE, "-"), (BLUE, "--"), (GREEN, "-")]
    assert [text.get_text() for text in ax.texts] == ["simulated", "bound", "again"]


def test_an_axis_may_be_logarithmic_begin_elsewhere_or_end_where_it_is_told() -> None:
    ax = curve(LOAD, "terminals", "mean", "caching", base=2, floor=-1.0, span=(5.0, None))
    assert (ax.get_xscale(), ax.get_xlim()[0], ax.get_ylim()[0]) == ("log", 5.0, -1.0)
    assert ax.xaxis.get_major_formatter()(16) == "16"
    plain = curve(LOAD, "terminals", "mean", "caching")
    assert (plain.get_xscale(), plain.get_ylim()[0]) == ("linear", 0.0)


def test_a_gain_has_its_line_of_nothing_and_all_of_its_interval() -> None:
    gained = pd.DataFrame({"users": [1, 2], "gain": [-5.0, 20.0], "gain_low": [-9.0, 15.0], "gain_high": [-1.0, 25.0]})
    ax = gain_curve(gained, "users", x_label="users", title="A cache", span=(0, 3))
    low, high = ax.get_ylim()
    assert (low < -9.0, high > 25.0, ax.get_xlim()) == (True, True, (0.0, 3.0))
    assert [line.get_ydata() for line in ax.lines if line.get_linewidth() == 0.8] == [[0.0, 0.0]]


def test_a_faint_line_lies_behind_and_takes_no_colour_of_another() -> None:
    ax = curve(LOAD[LOAD["caching"]], "terminals", "mean", "caching", names={True: "simulated"})
    bounds = pd.DataFrame({"terminals": [101, 10, 50], "bound": [0.2, 0.1, np.nan]})
    faint_line(bounds, "terminals", "bound", "bound", ax)
    above, below = ax.lines
    assert np.asarray(below.get_xydata()).tolist() == [[10, 0.1], [101, 0.2]]
    assert (below.get_color(), below.get_zorder() < above.get_zorder()) == (FAINT, True)
    assert [text.get_text() for text in ax.texts] == ["simulated", "bound"]


def test_what_is_not_there_is_not_drawn_or_refused() -> None:
    gaps = pd.DataFrame({"x": [1.0, 2.0, 3.0, 1.0, 1.0], "y": [1.0, np.nan, 3.0, np.nan, 2.0], "by": list("aaabc")})
    ax = curve(gaps, "x", "y", "by")
    assert [np.asarray(line.get_xydata()).tolist() for line in ax.lines] == [[[1, 1], [3, 3]], [[1, 2]]]
    assert [line.get_color() for line in ax.lines] == [BLUE, GREEN]  # the colour between is kept for b
    with pytest.raises(UserError, match="unknown column 'meen': did you mean mean"):
        curve(LOAD, "terminals", "meen")
    with pytest.raises(UserError, match="the table has no rows"):
        curve(LOAD[:0], "terminals", "mean")


@pytest.mark.parametrize(
    ("heights", "apart"),
    [
        ([0.0, 50.0], [0.0, 50.0]),
        ([10.0, 14.0], [6.0, 18.0]),
        ([0.0, 0.0, 0.0], [-12.0, 0.0, 12.0]),
        # The two above push the third, and all three share their middle, 11.
        ([0.0, 13.0, 20.0], [-1.0, 11.0, 23.0]),
        ([], []),
    ],
)
def test_names_are_moved_apart_as_little_as_needed(heights: list[float], apart: list[float]) -> None:
    assert spread(heights, 12.0) == pytest.approx(apart)


def test_bars_are_made_of_their_parts_and_small_ones_together() -> None:
    frame = pd.DataFrame({"name": ["a", "b"], "p": [6.0, 2.0], "q": [3.95, 1.0], "r": [0.03, 0.0], "s": [0.02, 0.01]})
    ax = stacked_bars(frame, "name", {"p": "big", "q": "half", "r": "tiny", "s": "less"}, x_label="time, s")
    drawn = {
        container.get_label(): [(bar.get_x(), bar.get_width()) for bar in container] for container in ax.containers
    }
    assert list(drawn) == ["big", "half", "other"]
    assert [bar for pair in drawn["half"] for bar in pair] == pytest.approx([6.0, 3.95, 2.0, 1.0])
    assert [bar for pair in drawn["other"] for bar in pair] == pytest.approx([9.95, 0.05, 3.0, 0.01])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_every_part_of_a_response_has_a_name_and_a_colour_of_its_own() -> None:
    assert list(PHASE_LOOKS) == list(Phase)
    names, colours = ({look[place] for look in PHASE_LOOKS.values()} for place in (0, 1))
    assert len(names) == len(colours) == len(Phase)
    frame = pd.DataFrame([{"caching": "on", **{f"part_{part.name.lower()}": 1.0 for part in Phase}}])
    ax = breakdown(frame, "caching")
    assert [container.get_label() for container in ax.containers] == [name for name, _ in PHASE_LOOKS.values()]


def test_the_board_shows_multiples_of_what_is_published() -> None:
    ax = claims_board(CLAIMS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["B1", "B2", "B3"]
    bounds = [(bar.get_x(), bar.get_width()) for container in ax.containers for bar in container]
    assert [end for pair in bounds for end in pair] == pytest.approx([0.9, 0.2, 0.9, 0.2, 0.9, 0.2])
    dots = [np.asarray(line.get_xydata())[0].tolist() for line in ax.lines if len(np.asarray(line.get_xydata())) == 1]
    assert dots == [[1.05, 0], [0.5, 1], [2.0, 2]]
    assert [text.get_text() for text in ax.texts] == ["4"]


def test_equal_bytes_twice_and_nothing_of_the_day(tmp_path: Path) -> None:
    first, second = (curve(LOAD, "terminals", "mean", "caching") for _ in range(2))
    save(first, tmp_path / "new" / "a.png")
    assert (tmp_path / "new" / "a.png").read_bytes() == png(second)
    assert png(second).startswith(b"\x89PNG")
    assert b"tEXt" not in png(second)
    assert svg(first) == svg(second) == svg(first)
    assert not any(word in svg(first) for word in ("<?xml", "<!DOCTYPE", "<metadata", "<style", ' id="axes_1"'))


def test_letters_in_a_picture_cannot_become_markup() -> None:
    names = {True: "</text><script>alert(1)</script>", False: "off"}
    assert "<script" not in svg(curve(LOAD, "terminals", "mean", "caching", names=names))


def test_a_notebook_shows_the_figure_and_nothing_global_is_touched() -> None:
    figure = curve(LOAD, "terminals", "mean").figure
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[union-attr]
    probe = (
        "import sys, matplotlib as m; before = dict(m.rcParams);"
        "from spindle.studies.plots import phases as breakdown_bars, curves, files as pictures; import pandas as pd;"
        "from spindle.studies.report import report, sensitivity_board;"
        "pictures.png(curves.curve(pd.DataFrame({'x': [1, 2], 'y': [1, 2]}), 'x', 'y'));"
        "assert 'matplotlib.pyplot' not in sys.modules; assert dict(m.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", probe], check=True, cwd=Path(__file__).parents[3])
