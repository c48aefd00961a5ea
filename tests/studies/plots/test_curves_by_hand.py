"""Curves, strips, distributions, maps and points of claims by hand: limits, ticks, styles and places."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from spindle.sim.error import UserError
from spindle.studies.plots.axes import new_axes, new_panels, row_axes
from spindle.studies.plots.claim_points import MEASURED, PREDICTED, mark, with_points
from spindle.studies.plots.curves import DrawnLine, curve, faint_line, strips
from spindle.studies.plots.distributions import Curve, CurveStyle, distributions, small_distributions
from spindle.studies.plots.files import Picture, png, save, vectors
from spindle.studies.plots.heat_map import heat_map
from spindle.studies.plots.legends import columns, label_anew, label_ends, legend_below, spread
from spindle.studies.plots.style import BLUE, FAINT, INK, VERMILION
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, load_curve, load_remark

LINE = pd.DataFrame({"x": [3, 1, 2], "y": [3.0, 1.0, 2.0]})


def drawn(ax: Axes) -> list[list[list[float]]]:
    return [np.asarray(line.get_xydata()).tolist() for line in ax.lines]


def test_a_curve_without_names_has_its_columns_for_labels_and_no_name_at_its_end() -> None:
    ax = curve(LINE, "x", "y")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left"), len(ax.texts)) == ("x", "y", "", 0)
    assert (drawn(ax), len(ax.collections)) == ([[[1, 1], [2, 2], [3, 3]]], 0)
    assert ax.get_ylim() == pytest.approx((0.0, 3.0 * 1.06))
    (line,) = ax.lines
    assert (line.get_marker(), line.get_linestyle(), line.get_label()) == ("o", "-", "_nameless")
    assert ax.figure.get_size_inches().tolist() == pytest.approx([5.2, 3.3])


def test_many_points_have_no_marks_and_a_dashed_line_is_thin() -> None:
    for count, marked in ((25, "o"), (26, "")):
        many = pd.DataFrame({"x": range(count), "y": 1.0})
        assert curve(many, "x", "y").lines[0].get_marker() == marked
    line = curve(LINE, "x", "y", dashed=True).lines[0]
    assert (line.get_linestyle(), line.get_linewidth(), line.get_marker()) == ("--", 1.2, "None")


def test_whole_numbers_have_whole_ticks_and_a_negative_quantity_no_nought() -> None:
    assert all(tick == round(tick) for tick in curve(LINE, "x", "y").get_xticks())
    below = curve(LINE.assign(y=[-1.0, 2.0, 0.0]), "x", "y")
    assert below.get_ylim()[0] < -1.0
    assert curve(LINE.assign(y=0.0), "x", "y").get_ylim() == (0.0, 1.0)


def test_a_band_may_have_columns_of_its_own_and_a_colour_goes_round_after_seven() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0] * 8, "y": [1.0, 2.0] * 8, "a": 0.5, "b": 2.5, "by": sorted([*range(8)] * 2)})
    ax = curve(frame, "x", "y", "by", band=("a", "b"))
    assert [band.get_paths()[0].get_extents().y0 for band in ax.collections] == [0.5] * 8
    assert (ax.lines[7].get_color(), ax.lines[0].get_color(), ax.lines[0].get_label()) == (BLUE, BLUE, "by 0")
    with pytest.raises(UserError, match="unknown column 'c'"):
        curve(frame, "x", "y", band=("a", "c"))


def test_strips_are_panels_with_a_name_at_each_line_and_nought_below() -> None:
    frame = pd.DataFrame({"t": [0.0, 1.0], "a": [1.0, 2.0], "b": [5.0, 3.0]})
    ax = strips(frame, "t", {"s": [DrawnLine("a", "A", "red"), DrawnLine("b", "B", "blue")]}, x_label="time", title="T",
                mark="s")  # fmt: skip
    assert drawn(ax) == [[[0, 1], [1, 2]], [[0, 5], [1, 3]]]
    assert [line.get_color() for line in ax.lines] == ["red", "blue"]
    assert [(line.get_marker(), line.get_linewidth()) for line in ax.lines] == [("s", 1.5)] * 2
    assert ([text.get_text() for text in ax.texts], ax.get_ylim()[0]) == (["A", "B"], 0.0)
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title(loc="left"), len(ax.figure.axes)) == ("s", "time", "T", 1)


def test_panels_share_what_goes_across_and_rows_have_names_from_the_top() -> None:
    panels = new_panels(3, 2.0)
    assert panels[0].figure.get_size_inches().tolist() == pytest.approx([5.2, 6.7])
    panels[2].set_xlim(0, 7)
    assert [ax.get_xlim() for ax in panels] == [(0, 7)] * 3
    with row_axes(["a", "b"], 2.0, x_label="s", title="Rows") as ax:
        pass
    assert (ax.get_ylim(), [text.get_text() for text in ax.get_yticklabels()]) == ((1.5, -0.5), ["a", "b"])
    assert (ax.get_xlabel(), ax.get_title(loc="left"), ax.figure.get_figheight()) == ("s", "Rows", 2.0)


def times(*values: float, name: str = "a", note: str = "") -> Curve:
    return Curve(name, np.asarray(values, float), CurveStyle("red", 2.0, 0.5, ":"), note)


def test_a_distribution_has_its_style_and_reaches_what_nearly_all_took() -> None:
    """Of 1000 times the longest 5 are beyond; eight times the median makes the axis logarithmic."""
    values = [1.0] * 600 + [8.0] * 395 + [50.0] * 5
    (ax,) = distributions({"": [times(*values)]}, x_label="ms", title="Times").axes
    assert (ax.get_xscale(), ax.get_xlim(), ax.get_xlabel()) == ("linear", (0.0, 8.0), "ms")
    (line,) = ax.lines
    assert (line.get_color(), line.get_linewidth(), line.get_alpha(), line.get_linestyle()) == ("red", 2.0, 0.5, ":")
    values = [1.0] * 600 + [8.1] * 395 + [50.0] * 5
    (ax,) = distributions({"": [times(*values)]}, x_label="ms").axes
    assert (ax.get_xscale(), ax.get_xlim()) == ("log", pytest.approx((1.0, 8.1)))
    (text,) = ax.texts
    assert (text.get_text(), text.xy, text.get_ha(), text.get_va()) == ("a", (0.98, 0.05), "right", "baseline")  # type: ignore[attr-defined]


def test_a_title_is_cut_to_the_width_of_the_picture() -> None:
    narrow = distributions({"a": [times(1.0)]}, x_label="ms", title="x" * 47)
    assert narrow.get_suptitle() == "x" * 43 + "..."
    assert distributions({"a": [times(1.0)]}, x_label="ms", title="x" * 46).get_suptitle() == "x" * 46
    wide = distributions({"a": [times(1.0)], "b": [times(1.0)]}, x_label="ms")
    assert (narrow.get_figwidth(), wide.get_figwidth(), wide.get_suptitle()) == pytest.approx((5.2, 1.62 * 5.2, ""))


def test_small_panels_have_one_scale_of_four_decades_at_most() -> None:
    figure = small_distributions({"a": [times(*[1e-9] * 100, 1.0)], "b": [times(0.5, 3.0)]}, x_label="ms")
    first, second = figure.axes[:2]
    assert first.get_xlim() == second.get_xlim() == pytest.approx((3e-4, 3.0))
    assert figure.get_size_inches().tolist() == pytest.approx([1.62 * 5.2, 0.4 + 1.75])
    assert first.texts[0].xy == (0.03, 0.98)  # type: ignore[attr-defined]


def test_a_map_has_white_where_nothing_is_known_and_frames_what_is_best() -> None:
    frame = pd.DataFrame({"a": [1, 2, 1], "b": [1, 1, 2], "v": [1.0, 10.0, 5.0]})
    ax = heat_map(frame, "a", "b", "v", better="most", x_label="A", y_label="B", title="Map", shown="{:g}")
    (image,) = ax.images
    assert np.ma.getmaskarray(image.get_array()).tolist() == [[False, False], [False, True]]
    assert (type(image.norm).__name__, image.origin) == ("Normalize", "lower")
    assert (ax.get_xlabel(), ax.get_ylabel(), len(ax.texts)) == ("A", "B", 3)
    (best,) = ax.patches
    assert (best.get_xy(), best.get_width(), best.get_height()) == ((0.5, -0.5), 1, 1)  # type: ignore[attr-defined]
    wide = heat_map(frame.assign(v=[1.0, 10.1, 5.0]), "a", "b", "v")
    assert type(wide.images[0].norm).__name__ == "LogNorm"
    assert (wide.get_xlabel(), wide.get_title(loc="left")) == ("a", "")
    none = heat_map(frame.assign(v=[0.0, 100.0, 5.0]), "a", "b", "v")
    assert type(none.images[0].norm).__name__ == "Normalize"


def points(ax: Axes) -> list[tuple[list[list[float]], str, str]]:
    return [(np.asarray(line.get_xydata()).tolist(), str(line.get_color()), str(line.get_markeredgecolor()))
            for line in ax.lines if line.get_gid() == "of a claim"]


@pytest.mark.parametrize(("place", "limits"), [
    ((2.0, 5.0), ((0.0, 4.0), (0.0, 10.0))), ((5.0, 5.0), ((0.0, 5.16), (0.0, 10.0))),
    ((-1.0, 5.0), ((-1.16, 4.0), (0.0, 10.0))), ((3.9, -2.0), ((0.0, 4.06), (-2.4, 10.0))),
])  # fmt: skip
def test_axes_reach_beyond_a_point_by_a_twenty_fifth(
    place: tuple[float, float], limits: tuple[tuple[float, float], tuple[float, float]]
) -> None:
    ax = new_axes()
    ax.set(xlim=(0, 4), ylim=(0, 10))
    mark(ax, [place], PREDICTED)
    assert (ax.get_xlim(), ax.get_ylim()) == (pytest.approx(limits[0]), pytest.approx(limits[1]))
    assert points(ax) == [([list(place)], "white", INK)]
    assert [text.get_text() for each in ax.figure.legends for text in each.texts] == ["predicted by hand"]


def test_an_axis_that_runs_backwards_still_does_and_points_are_of_their_kind() -> None:
    @with_points(lambda: {"A": 3.0}, lambda numbers: [(numbers["A"], 1.0)], MEASURED)
    def picture(table: pd.DataFrame) -> Axes:
        ax = new_axes()
        ax.set(xlim=(0, 2), ylim=(4, 0))
        return ax

    ax = picture(LINE)
    assert (ax.get_ylim(), ax.get_xlim()) == ((4.0, 0.0), pytest.approx((0.0, 3.08)))
    assert points(ax) == [([[3.0, 1.0]], INK, "white")]
    assert [text.get_text() for each in ax.figure.legends for text in each.texts] == ["measured"]


def test_names_at_the_ends_are_written_anew_and_a_legend_holds_those_that_were_there() -> None:
    ax = curve(LINE.assign(by="a"), "x", "y", "by")
    assert [(text.get_text(), text.xy, text.get_color()) for text in ax.texts] == [("a", (3.0, 3.0), BLUE)]  # type: ignore[attr-defined]
    ax.set_xlim(0, 30)
    label_anew(ax)
    assert [text.get_text() for text in ax.texts] == ["a"]
    bare = new_axes()
    bare.plot([0, 1], [1, 1], label="b")
    label_anew(bare)
    assert len(bare.texts) == 0
    legend_below(bare)
    legend_below(bare, {"more": bare.lines[0]})
    (legend,) = bare.figure.legends
    assert [text.get_text() for text in legend.texts] == ["b", "more"]
    assert bare.figure.get_figheight() == pytest.approx(3.3 + 0.2 * 1.5)
    label_ends(new_axes())


def test_a_line_that_ends_early_has_its_name_in_the_legend() -> None:
    for end, below in ((0.74, True), (0.76, False)):
        ax = new_axes()
        ax.set_xlim(0, 1)
        ax.plot([0, 1], [0, 0], label="long")
        ax.plot([0, end], [1, 1], label="short")
        label_ends(ax)
        assert bool(ax.figure.legends) is below
        assert [text.get_text() for text in ax.texts] == ([] if below else ["long", "short"])


def test_as_many_columns_as_have_room() -> None:
    """Two of ten letters take 2 x (0.52 + 0.83) = 2.7 inches; a column is as wide as its widest."""
    assert [columns(["a" * 10] * 2, width) for width in (2.69, 2.71)] == [1, 2]
    assert [columns(["a", "a" * 20, "b", "b"], width) for width in (2.7, 3.3, 3.5, 4.1)] == [1, 2, 3, 4]
    assert spread([5.0, 5.0], 4.0) == [3.0, 7.0]


RUNS = pd.DataFrame({
    "users": [1, 2], "cached": [True, True], "response_mean": [1.0, 3.0], "mva": [1.0, 2.0], "bound": [0.5, 1.0],
    "unwaited": [0.012, 0.25], "beyond_mva": [0.0, 1.0], "beyond_mva_low": [-0.1, 0.9], "beyond_mva_high": [0.1, 1.1],
    **{f"beyond_{cause}": [0.0, 0.0] for cause in ("memory", "write_wait", "cpu_wait", "queue")},
    "beyond_lock": [0.0, 1.0],
})  # fmt: skip


def test_a_load_curve_is_solid_dashed_and_grey() -> None:
    ax = load_curve(RUNS, "users", "cached", {True: "with"}, x_label="users", y_label="s", title="Load")
    assert [(line.get_color(), line.get_linestyle()) for line in ax.lines] == [(BLUE, "-"), (FAINT, "-"), (BLUE, "--")]
    assert drawn(ax) == [[[1, 1], [2, 3]], [[1, 0.5], [2, 1]], [[1, 1], [2, 2]]]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("users", "s", "Load")
    assert load_remark(RUNS, "users", "users", "cached", {True: "a cache"}) == (
        "Dashed is mean value analysis of the demands that each run measured, grey is the least response that they "
        "allow. With a cache, the mean response at 2 users is 1.0 s longer than by mean value analysis: 1.0 s more "
        "waiting for the lock. The 0.012 to 0.25 s of work for each response that nobody waits for slow the network's "
        "stations down as well.")


def test_hits_beside_those_of_plain_lru() -> None:
    frame = pd.DataFrame({"size": [1, 2], "by": ["b", "b"], "hit_ratio": [0.1, 0.5], "che": [0.1, 0.3],
                          "beyond_che": [0.0, 0.2], "beyond_che_low": [0.0, 0.19], "beyond_che_high": [0.0, 0.21],
                          "beyond_order": [0.0, 0.25], "beyond_rules": [0.0, -0.05]})
    ax = hit_curve(frame, "size", "by", {"b": "policy"}, x_label="size", y_label="ratio", title="Hits")
    assert [(line.get_label(), line.get_linestyle()) for line in ax.lines] == [
        ("policy", "-"), ("plain LRU (Che)", "--")]
    assert drawn(ax) == [[[1, 0.1], [2, 0.5]], [[1, 0.1], [2, 0.3]]]
    assert hit_remark(frame, "size", "MB", "it forgets", "by", {"b": "B"}) == (
        "Dashed is Che's approximation: LRU on the same references, in whatever order they come. With B, the hit ratio "
        "at 2 MB is 20 points higher than by Che's approximation: 25 points more by the order of the references; 5 "
        "points less by the rules of the cache (it forgets).")


def test_a_picture_is_saved_as_its_name_ends(tmp_path: Path) -> None:
    folder, ax = tmp_path, new_axes()
    for name, begin in (("a.PNG", b"\x89PNG"), ("b.pdf", b"%PDF"), ("c.svg", b"<?xml")):
        save(ax, folder / name)
        assert (folder / name).read_bytes().startswith(begin)
    assert vectors(ax, "pdf") == (folder / "b.pdf").read_bytes()
    assert b"CreationDate" not in vectors(ax, "pdf")
    for name in ("d.jpg", "png", "e"):
        with pytest.raises(UserError, match=r"a picture is a file that ends in \.png, \.pdf or \.svg$"):
            save(ax, folder / name)
    with pytest.raises(UserError, match=r"^save writes a picture, as result"):
        save("no picture", folder / "a.png")  # type: ignore[arg-type]
    figure = Picture(figsize=(1.0, 0.5))
    width, height = (int.from_bytes(png(figure)[at : at + 4]) for at in (16, 20))
    assert (width, height, figure.dpi) == (120, 60, Picture().dpi)


def test_a_grey_line_may_have_no_name() -> None:
    ax = new_axes()
    faint_line(LINE, "x", "y", "", ax)
    assert (ax.lines[0].get_label(), ax.lines[0].get_linewidth(), len(ax.texts)) == ("_nameless", 0.8, 0)
    assert VERMILION != ax.lines[0].get_color() == FAINT
