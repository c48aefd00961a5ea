"""Pictures of sweeps and searches by hand: the numbers, colours, ticks and limits that are drawn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from spindle.sim.error import UserError
from spindle.studies.plots.style import BLUE, INK, VERMILION
from spindle.studies.plots.swept import found_picture, swept_picture
from spindle.studies.plots.terminal import SweptTable
from spindle.studies.sweep.find import Condition, FindAnswer

MIB = 1 << 20


def table(rows: list[dict[str, Any]], *axes: str, title: str = "", **units: str) -> SweptTable:
    texts: Any = {"memory": lambda value: f"{value // MIB} MiB"}
    return SweptTable(pd.DataFrame(rows), [*axes, "seed"], texts, units, title)


def drawn(ax: Axes) -> list[list[list[float]]]:
    return [np.asarray(line.get_xydata()).tolist() for line in ax.lines]


def ticks(ax: Axes) -> tuple[list[str], list[str]]:
    return [each.get_text() for each in ax.get_xticklabels()], [each.get_text() for each in ax.get_yticklabels()]


TWO_SEEDS = [{"users": users, "seed": seed, "response_mean": users + seed - 1.5} for users in (2, 4) for seed in (1, 2)]


def test_a_line_goes_through_the_means_of_seeds_and_its_axis_begins_at_zero() -> None:
    """1.5 and 2.5 have an interval of 6.35 to either side, 3.5 and 4.5 too; twice the largest mean is enough of it."""
    ax = swept_picture(table(TWO_SEEDS, "users"), ["response_mean"])
    assert drawn(ax) == [[[2.0, 2.0], [4.0, 4.0]]]
    assert ticks(ax)[0] == ["2", "4"]
    assert ax.get_ylim() == pytest.approx((0.0, 1.06 * 8.0))
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    assert ax.get_title(loc="left") == "Mean response against users"
    one = swept_picture(table(TWO_SEEDS[::2], "users", title="HP3000"), ["response_mean"])
    assert one.get_ylim() == pytest.approx((0.0, 1.06 * 3.5))
    assert one.get_title(loc="left") == "HP3000: mean response against users"


def test_a_second_axis_of_words_is_lines_with_their_names() -> None:
    rows = [{"users": users, "policy": policy, "seed": 1, "hit_ratio": share}
            for users, policy, share in ((1, "lru", 0.1), (2, "lru", 0.2), (1, "arc", 0.15), (2, "arc", 0.14))]
    ax = swept_picture(table(rows, "policy", "users"), ["hit_ratio"])
    assert drawn(ax) == [[[1.0, 0.1], [2.0, 0.2]], [[1.0, 0.15], [2.0, 0.14]]]
    assert [line.get_color() for line in ax.lines] == [BLUE, VERMILION]
    assert {"lru", "arc", "policy"} <= {text.get_text() for text in ax.texts}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("users", "hit ratio")
    assert ax.get_ylim() == pytest.approx((0.0, 1.06 * 0.2))


@pytest.mark.parametrize(("last", "scale"), [(16, "log"), (15, "linear")])
def test_axes_are_logarithmic_from_sixteen_times_on(last: int, scale: str) -> None:
    rows = [{"users": users, "seed": 1, "x": float(users)} for users in (1, last)]
    ax = swept_picture(table(rows, "users"), ["x"])
    assert (ax.get_xscale(), ax.get_yscale()) == (scale, scale)
    assert ticks(ax)[0] == ["1", str(last)]
    less = [{"users": users, "seed": 1, "x": float(users)} for users in (0, last)]
    ax = swept_picture(table(less, "users"), ["x"])
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")


def test_no_more_than_eight_ticks_and_both_ends() -> None:
    for count in (8, 9, 20):
        rows = [{"memory": (number + 30) * MIB, "seed": 1, "x": 1.0} for number in range(count)]
        names = ticks(swept_picture(table(rows, "memory"), ["x"]))[0]
        assert (names[0], names[-1], len(names) <= 8) == ("30 MiB", f"{29 + count} MiB", True)


def test_words_are_bars_in_groups_with_intervals() -> None:
    """Seeds of 2 +- 0.5 have 6.353 to either side; the axis goes to twice the largest mean."""
    rows = [{"drive": drive, "policy": policy, "seed": seed, "x": base + (seed - 1.5)}
            for drive, policy, base in (("a", "lru", 2.0), ("a", "arc", 3.0), ("b", "arc", 4.0)) for seed in (1, 2)]
    ax = swept_picture(table(rows, "drive", "policy", x="s"), ["x"])
    bars = [(round(bar.get_y() + bar.get_height() / 2, 3), bar.get_width(), to_hex(bar.get_facecolor()).upper())
            for bar in ax.patches]
    assert bars[0] == (-0.2, 2.0, BLUE)
    assert bars[2:] == [(0.2, 3.0, VERMILION), (1.2, 4.0, VERMILION)]
    assert ax.patches[0].get_height() == pytest.approx(0.86 * 0.4)
    segments = ax.collections[0].get_segments()  # type: ignore[attr-defined]
    assert np.asarray(segments[0])[:, 0].tolist() == pytest.approx([2.0 - 6.353102, 2.0 + 6.353102])
    assert ticks(ax)[1] == ["a", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()) == ("x, s", "drive", (1.5, -0.5))
    assert ax.get_xlim() == pytest.approx((0.0, 1.06 * 8.0))
    assert [text.get_text() for text in ax.figure.legends[0].texts] == ["policy lru", "policy arc"]


def test_bars_of_one_axis_have_no_legend_and_those_of_one_seed_no_interval() -> None:
    rows = [{"policy": policy, "seed": 1, "x": value} for policy, value in (("lru", 3.0), ("arc", -1.0))]
    ax = swept_picture(table(rows, "policy"), ["x"])
    assert [bar.get_width() for bar in ax.patches] == [3.0, -1.0]
    assert (ax.figure.legends, len(ax.collections)) == ([], 0)
    assert ax.get_xlim()[0] < -1.0
    assert not any(line.get_visible() for line in ax.yaxis.get_gridlines())
    less = swept_picture(table([{"policy": name, "seed": 1, "x": 0.1} for name in ("lru", "arc")], "policy"), ["x"])
    assert less.get_xlim() == pytest.approx((0.0, 0.106))
    assert ticks(ax)[1] == ["lru", "arc"]


def test_several_measures_are_panels_below_each_other() -> None:
    rows = [{"users": users, "seed": 1, "x": 1.0 * users, "y": None if users == 3 else 5.0} for users in (1, 2, 3)]
    ax = swept_picture(table(rows, "users"), ["x", "y"])
    first, second = ax.figure.axes
    assert (drawn(first), drawn(second)) == ([[[1, 1], [2, 2], [3, 3]]], [[[1, 5], [2, 5]]])
    assert first.get_title(loc="left") == "What was measured against users"
    assert second.get_title(loc="left") == ""
    assert first.get_position().y0 > second.get_position().y0
    assert (ax.figure.get_figwidth(), ax.figure.get_figheight()) == pytest.approx((5.2, 0.7 + 2 * 2.4))


def test_a_map_has_the_mean_of_each_pair_and_a_scale() -> None:
    rows = [{"users": users, "memory": size * MIB, "seed": seed, "response_mean": users * size * seed / 1.5}
            for users in (1, 2) for size in range(1, 9) for seed in (1, 2)]
    ax = swept_picture(table(rows, "users", "memory"), ["response_mean"])
    (image,) = ax.images
    assert np.asarray(image.get_array()) == pytest.approx(np.outer(range(1, 9), [1.0, 2.0]))
    assert image.origin == "lower"
    assert ticks(ax) == (["1", "2"], [f"{size} MiB" for size in range(1, 9)])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("users", "memory")
    assert ax.get_title(loc="left") == "Mean response by users and memory"
    assert ax.figure.axes[1].get_ylabel() == "mean response, s"
    assert type(image.norm).__name__ == "LogNorm"  # 16 times
    assert not any(line.get_visible() for line in [*ax.xaxis.get_gridlines(), *ax.yaxis.get_gridlines()])
    near = table([{**row, "response_mean": row["response_mean"] + 9.0} for row in rows], "users", "memory")
    assert type(swept_picture(near, ["response_mean"]).images[0].norm).__name__ != "LogNorm"
    seven = swept_picture(table([row for row in rows if row["memory"] < 8 * MIB], "users", "memory"), ["response_mean"])
    assert (len(seven.images), len(seven.lines)) == (0, 7)


def test_a_third_axis_is_panels_that_share_their_vertical_axis() -> None:
    rows = [{"users": users, "policy": policy, "drive": drive, "seed": 1, "x": users * scale}
            for users in (1, 2) for policy in ("lru", "arc") for drive, scale in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    ax = swept_picture(table(rows, "users", "policy", "drive"), ["x"])
    panels = ax.figure.axes
    assert [each.get_title(loc="left") for each in panels] == ["drive a", "drive b", "drive c"]
    assert [drawn(each)[0] for each in panels] == [[[1, scale], [2, 2 * scale]] for scale in (1.0, 2.0, 3.0)]
    assert [each.get_ylim() for each in panels] == [pytest.approx((0.0, 1.06 * 6.0))] * 3
    assert panels[1].get_position().x0 > panels[0].get_position().x0
    assert panels[2].get_position().y0 < panels[0].get_position().y0
    assert ax.figure.get_figwidth() == pytest.approx(1.8 * 5.2)


def test_as_many_panels_as_a_picture_has_at_most() -> None:
    rows = [{"users": users, **{f"m{number}": 1.0 for number in range(10)}, "seed": 1} for users in (1, 2)]
    nine = swept_picture(table(rows, "users"), [f"m{number}" for number in range(9)])
    assert [ax.get_ylabel() for ax in nine.figure.axes] == [f"m{number}" for number in range(9)]
    with pytest.raises(UserError, match="at most 9 panels, not 10: name fewer by --columns"):
        swept_picture(table(rows, "users"), [f"m{number}" for number in range(10)])
    rows = [{"users": users, "policy": policy, "drive": drive, "seed": 1, "x": 1.0}
            for users in (1, 2) for policy in "ab" for drive in "abcdefghij"]
    with pytest.raises(UserError, match=r"^drive has 10 values, and a picture at most 9 panels$"):
        swept_picture(table(rows, "users", "policy", "drive"), ["x"])


def test_what_was_found_stands_in_its_interval_on_the_bound() -> None:
    curve = pd.DataFrame({"memory": [1.0, 2.0, 16.0], "response_mean": [4.0, 2.0, 1.0],
                          "response_mean_low": [3.5, 2.0, 1.0], "response_mean_high": [4.5, 2.0, 1.0], "seeds": 4})
    answer = FindAnswer("memory", Condition("response_mean", 1.5), 3.0, 2.5, 4.0, False, 12, curve)
    ax = found_picture(answer, lambda value: f"{value:g} MiB")
    assert ax.get_title(loc="left") == "Mean response meets 1.5 s at 3 MiB"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("memory", "mean response, s", "log")
    points, bound, value = drawn(ax)
    assert points == [[1.0, 4.0], [2.0, 2.0], [16.0, 1.0]]
    assert [y for _, y in bound] == [1.5, 1.5]
    assert [x for x, _ in value] == [3.0, 3.0]
    (span,) = ax.patches
    assert (span.get_x(), span.get_x() + span.get_width()) == (2.5, 4.0)  # type: ignore[attr-defined]
    assert [(line.get_linestyle(), line.get_linewidth(), line.get_color()) for line in ax.lines[1:]] == [
        (":", 1.0, INK), ("-", 1.0, INK)]
    assert (span.get_alpha(), span.get_linewidth(), to_hex(span.get_facecolor()).upper()) == (0.12, 0.0, BLUE)
    assert ticks(ax)[0] == ["1 MiB", "3 MiB", "16 MiB"]
    from_nought = FindAnswer("memory", Condition("response_mean", 1.5), 3.0, 2.5, 4.0, False, 12,
                             curve.assign(memory=[0.0, 2.0, 32.0]))
    assert found_picture(from_nought, str).get_xscale() == "linear"
    fifteen = FindAnswer("memory", Condition("response_mean", 1.5), 3.0, 2.5, 4.0, False, 12,
                         curve.assign(memory=[2.0, 4.0, 31.9]))
    assert found_picture(fifteen, str).get_xscale() == "linear"
    near = FindAnswer("memory", Condition("response_mean", 1.5), 1.0, 1.0, 1.0, False, 12, curve[:2])
    assert found_picture(near, str).get_xscale() == "linear"
    assert ticks(found_picture(near, str))[0] == ["1.0", "2.0"]
