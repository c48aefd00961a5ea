"""Tests by hand what pictures of traces show: every line's points, its colour, and how axes are scaled and labelled."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Text

from spindle.sim.request import READ
from spindle.studies.confidence import confidence
from spindle.studies.plots.style import BLUE, INK, PALETTE
from spindle.traces.figure_picture import DASHES, MARKERS, SHARE_LABEL, panels_picture, relative_picture
from spindle.traces.pictures import (
    _cell,
    curve_html,
    curve_picture,
    object_picture,
    picture,
    portrait,
    response_picture,
)
from spindle.traces.replay.answer_page import SIMULATED
from tests.traces.test_character_page import CHARACTER, NO_TIMES, ONE


def points(ax: Axes, line: int) -> tuple[Any, list[float], list[float]]:
    """Its name, and its points."""
    drawn = ax.lines[line]
    return (drawn.get_label(), np.asarray(drawn.get_xdata(), float).tolist(),
            pytest.approx(np.asarray(drawn.get_ydata(), float).tolist()))  # fmt: skip


def colours(ax: Axes) -> list[str]:
    return [to_hex(line.get_color()).lower() for line in ax.lines]


def labels(ax: Axes) -> tuple[str, str]:
    return ax.get_xlabel(), ax.get_ylabel()


# The character of a trace.

def test_a_portrait_by_hand() -> None:
    figure = portrait(CHARACTER, "a $title$")
    sizes, runs, gaps, distances, hot, empty = figure.axes
    assert [labels(ax) for ax in (sizes, runs, gaps, distances, hot)] == [
        (label, "%, no more than that") for label in (
            "size, KiB", "run, requests", "time between requests, ms", "other blocks between uses")
    ] + [("hottest blocks, %", "references to them, %")]
    assert points(sizes, 0)[1:] == ([0.5, 0.5, 4.0, 1024.0], [0.0, 10.0, 70.0, 100.0])
    assert points(sizes, 1)[1:] == ([0.5, 0.5, 8.0], [0.0, 80.0, 100.0])
    assert points(runs, 0)[1:] == ([1.0, 1.0, 2.0, 1000.0], [0.0, 50.0, 75.0, 100.0])
    assert points(gaps, 0)[1:] == ([1.0, 1.0, 2.0], [0.0, 1000 / 14, 100.0])
    assert points(distances, 0)[1:] == ([0.0, 0.0, 5.0, 2000.0], [0.0, 50.0, 500 / 6, 100.0])
    assert points(hot, 0)[1:] == ([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0], list(range(10, 110, 10)))
    assert [ax.get_xscale() for ax in (sizes, runs, gaps, distances, hot)] == ["log", "log", "linear", "symlog", "log"]
    assert [ax.get_ylim() for ax in (sizes, gaps, hot)] == [(0, 100), (0, 100), (0, 103)]
    assert distances.get_xlim()[0] == 0.0
    assert {line.get_drawstyle() for ax in (sizes, runs, gaps, distances) for line in ax.lines} == {"steps-post"}
    assert [text.get_text() for text in sizes.texts] == ["reads", "writes"]
    assert [text.get_position() for text in sizes.texts] == [(0.97, 0.06), pytest.approx((0.97, 0.17))]
    assert colours(sizes) == [each.lower() for each in PALETTE[:2]]
    assert colours(gaps) == colours(hot) == [BLUE.lower()]
    assert (hot.lines[0].get_marker(), empty.axison) == ("o", False)
    assert figure.get_suptitle() == "a $title$"
    assert not any(text.get_parse_math() for text in figure.texts if text.get_text() == "a $title$")
    assert figure.get_size_inches().tolist() == pytest.approx([8.424, 4.9])


def test_a_portrait_leaves_out_what_is_not_there() -> None:
    assert [ax.get_xlabel() for ax in portrait(NO_TIMES, "").axes if ax.axison] == [
        "size, KiB", "run, requests", "other blocks between uses", "hottest blocks, %"]  # fmt: skip
    drawn = [ax for ax in portrait(ONE, "").axes if ax.axison]
    assert [ax.get_xlabel() for ax in drawn] == ["size, KiB", "run, requests", "hottest blocks, %"]
    assert [text.get_text() for text in drawn[0].texts] == ["writes"]
    assert drawn[0].get_xscale() == "linear"


# Hit curves.

FRAME = pd.DataFrame({
    "policy": ["lru", "lru", "arc", "arc", "belady", "belady"], "cache_blocks": [10, 1000] * 3,
    "hit_ratio": [0.125, 0.25, 0.25, 0.375, 0.5, 0.625]})  # fmt: skip


def test_curves_and_responses_lie_below_each_other() -> None:
    figure = curve_picture(FRAME.assign(response_mean=[0.004, 0.002, 0.003, None, None, None]), {}, "title")
    ratios, times = figure.axes
    assert (labels(ratios), labels(times)) == ((" ", "hit ratio"), ("blocks in the cache", "mean response, ms"))
    assert [points(ratios, line) for line in range(3)] == [
        ("lru", [10, 1000], [0.125, 0.25]), ("arc", [10, 1000], [0.25, 0.375]), ("belady", [10, 1000], [0.5, 0.625])]
    assert [points(times, line) for line in range(2)] == [("lru", [10, 1000], [4.0, 2.0]), ("arc", [10], [3.0])]
    assert (ratios.get_xscale(), ratios.get_title(loc="left")) == ("log", "title")
    assert ratios.get_ylim() == pytest.approx((0.0, 1.06 * 0.625))
    assert figure.get_size_inches().tolist() == pytest.approx([6.5, 6.24])
    assert times.xaxis.get_major_formatter()(1000.0) == "1,000"


def test_a_bound_is_faint_beside_others_and_plain_alone() -> None:
    (ax,) = curve_picture(FRAME, {10: 0.1, 1000: 0.2}, "title").axes
    assert labels(ax) == ("blocks in the cache", "hit ratio")
    assert points(ax, 3) == ("lru, Che", [10, 1000], [0.1, 0.2])
    lru, arc, bound, approximation = colours(ax)
    assert lru == approximation not in (arc, bound)
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "-", "--"]
    (later,) = curve_picture(FRAME[2:4].merge(FRAME[:2], how="outer", sort=False), {10: 0.1, 1000: 0.2}, "").axes
    by_name = {line.get_label(): to_hex(line.get_color()) for line in later.lines}
    assert by_name["arc"] != by_name["lru"] == by_name["lru, Che"]
    (alone,) = curve_picture(FRAME[4:], {}, "").axes
    assert points(alone, 0) == ("belady", [10, 1000], [0.5, 0.625])
    assert colours(alone) == [lru]
    none = curve_picture(FRAME[:1].assign(hit_ratio=0.0), {}, "").axes[0]
    assert none.get_ylim() == pytest.approx((0.0, 0.001))


def test_objects_have_ratios_of_requests_and_of_bytes() -> None:
    table = pd.DataFrame({"policy": ["lru", "lru"], "cache_bytes": [512, 2048], "hit_ratio": [0.1, 0.5],
                          "byte_hit_ratio": [0.05, 0.25]})  # fmt: skip
    figure = object_picture(table, "title")
    requests, size = figure.axes
    assert labels(requests) == (" ", "hit ratio of requests")
    assert labels(size) == ("bytes in the cache", "hit ratio of bytes")
    assert points(requests, 0) == ("lru", [512, 2048], [0.1, 0.5])
    assert points(size, 0) == ("lru", [512, 2048], [0.05, 0.25])
    assert [ax.get_ylim() for ax in (requests, size)] == [pytest.approx((0.0, 0.53)), pytest.approx((0.0, 0.265))]
    assert [ax.get_title(loc="left") for ax in (requests, size)] == ["title", ""]
    assert [ax.get_xscale() for ax in (requests, size)] == ["log", "log"]
    assert figure.get_size_inches().tolist() == pytest.approx([6.5, 5.94])
    assert size.xaxis.get_major_formatter()(2048.0) == "2,048"


def test_responses_of_reads_and_of_writes_have_their_mean() -> None:
    """Five hundred points of each: a thousandth, three thousandths and so on of 8 ms, and of 2."""
    class Of:
        def __init__(self, most: float) -> None:
            self.count, self.sum, self._most = 4, 4 * most, most

        def quantile(self, share: float) -> float:
            return self._most * share

    tally: Any = SimpleNamespace(times_of=lambda op: Of(0.008) if op is READ else Of(0.002))
    figure = response_picture(tally, "title")
    reads, writes = (ax for ax in figure.axes if ax.lines)
    for ax, most in ((reads, 8.0), (writes, 2.0)):
        (line,) = (line for line in ax.lines if len(line.get_xdata()) > 2)
        assert max(line.get_xdata()) == pytest.approx(0.999 * most)
        places = {round(float(x) / most * 1000, 6) for x in line.get_xdata()}
        assert places <= {float(odd) for odd in range(1, 1001, 2)}, "points that hide each other are left out"
        assert len(places) > 100
    said = " ".join(text.get_text() for each in (*figure.axes, *figure.legends) for text in each.findobj(Text))
    assert "mean 8" in said
    assert "mean 2" in said
    assert SIMULATED in said
    one: Any = SimpleNamespace(times_of=lambda op: SimpleNamespace(count=0) if op is READ else Of(0.002))
    assert len([ax for ax in response_picture(one, "").axes if ax.lines]) == 1


def test_a_page_has_the_first_rows_of_a_table() -> None:
    figure = curve_picture(FRAME, {}, "")
    table = pd.DataFrame({"policy": "<lru>", "size": range(1000, 1401)})
    page = curve_html("t & u", ["8 references", "at most 50% can hit", "lru  1"], table, figure)
    assert [f"<td>{number:,}</td>" in page for number in (1000, 1399, 1400)] == [True, True, False]
    assert page.count("<td") == 2 * 400
    assert ("<lru>" in page, "&lt;lru&gt;" in page, "t &amp; u" in page) == (False, True, True)


def test_a_measured_distribution_is_broad_and_has_no_demerit_of_its_own() -> None:
    """What was predicted is as far from it as its note says; other quantities are not drawn."""
    times = {"measured": [0.001, 0.002, 0.003, 0.004], "predicted": [0.002, 0.003, 0.004, 0.005]}
    series = [SimpleNamespace(source=name, quantity="response") for name in times]
    tally: Any = SimpleNamespace(
        series=[*series, SimpleNamespace(source="disksim", quantity="service")], count=lambda op: op is READ,
        seconds_of=lambda quantity, source, op: np.array(times[source]))  # fmt: skip
    (reads,) = (ax for ax in picture(tally, "title").axes if ax.lines)
    assert {round(float(max(line.get_xdata())), 6) for line in reads.lines if len(line.get_xdata()) > 2} == {4.0, 5.0}
    said = [text.get_text() for each in (reads, *reads.figure.legends) for text in each.findobj(Text)]
    assert len([text for text in said if "demerit" in text]) == 1


def test_cells_of_a_page() -> None:
    assert [_cell(value) for value in (0.123456789, float("nan"), 12_345, "lru")] == ["0.123457", "", "12,345", "lru"]


# Figures for papers.

LEGEND = 0.3
"""Inches of a line of the legend below."""
TRACES = ("one", "two", "three", "four")
RATIOS = pd.DataFrame([
    {"trace": trace, "policy": policy, "share": share, "miss_ratio": 0.9 - 0.1 * number - share / 2}
    for number, trace in enumerate(TRACES) for policy in ("fifo", "lru") for share in (0.5, 0.01, 0.1)])  # fmt: skip


def test_a_panel_for_each_trace() -> None:
    """Three across: the fourth is below the first, and the two places beside it are empty."""
    figure = panels_picture(RATIOS, "miss_ratio", "miss ratio")
    assert figure.get_size_inches().tolist() == pytest.approx([3 * 2.35, 0.5 + 2 * 2.1 + LEGEND])
    axes = figure.axes
    assert [ax.get_visible() for ax in axes] == [True] * 4 + [False] * 2
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes[:4]] == [*TRACES]
    assert [labels(ax) for ax in axes[:4]] == [("", "miss ratio"), (SHARE_LABEL, ""), (SHARE_LABEL, ""),
                                               (SHARE_LABEL, "miss ratio")]  # fmt: skip
    assert [ax.xaxis.get_tick_params()["labelbottom"] for ax in axes[:4]] == [False, True, True, True]
    for number, ax in enumerate(axes[:4]):
        ratios = [0.895 - 0.1 * number, 0.85 - 0.1 * number, 0.65 - 0.1 * number]
        assert points(ax, 0) == ("fifo", [0.01, 0.1, 0.5], ratios)
        assert points(ax, 1) == ("lru", [0.01, 0.1, 0.5], ratios)
        assert colours(ax) == [each.lower() for each in PALETTE[:2]]
        assert (ax.get_xscale(), ax.get_ylim()[0]) == ("log", 0.0)
        assert ax.get_ylim() == axes[0].get_ylim()
        assert ax.get_xlim() == axes[0].get_xlim()
        assert ax.xaxis.get_ticklocs().tolist() == [0.01, 0.1, 0.5]
        assert ax.xaxis.get_minorticklocs().tolist() == []
        assert [ax.xaxis.get_major_formatter()(share) for share in (0.005, 0.1)] == ["0.5", "10"]
        assert ax.yaxis.get_major_formatter()(0.50) == "0.5"
    one, other = axes[0].lines
    assert (one.get_marker(), other.get_marker()) == MARKERS[:2]
    assert (one.get_markersize(), other.get_markersize(), one.get_markerfacecolor()) == (7.0, 6.0, "none")
    assert one.get_zorder() < other.get_zorder() < 3.0
    assert one.get_linewidth() == other.get_linewidth() == 1.4
    assert [line.get_linestyle() for line in (one, other)] == ["-", "--"]
    assert not one.get_clip_on()
    assert [text.get_text() for text in figure.legends[0].texts] == ["fifo", "lru"]


def test_a_single_panel_is_wide_enough_and_many_shares_are_thinned_out() -> None:
    shares = [(number + 1) / 20 for number in range(13)]
    table = pd.DataFrame({"trace": "one", "policy": "lru", "share": shares, "miss_ratio": 0.5})
    figure = panels_picture(table, "miss_ratio", "")
    assert figure.get_size_inches().tolist() == pytest.approx([3.6, 2.6 + LEGEND])
    (ax,) = figure.axes
    assert ax.xaxis.get_ticklocs().tolist() == pytest.approx(shares[::3])
    many = pd.DataFrame([{"trace": "one", "policy": f"p{number}", "share": 0.5, "miss_ratio": 0.5}
                         for number in range(9)])  # fmt: skip
    lines = panels_picture(many, "miss_ratio", "").axes[0].lines
    assert [line.get_marker() for line in lines] == [*MARKERS, MARKERS[0]]
    dashes = [str(line._unscaled_dash_pattern) for line in lines]
    assert len({*dashes}) == len(DASHES)
    assert dashes[len(DASHES)] == dashes[0]


RELATIVE = pd.DataFrame([
    {"trace": trace, "policy": policy, "share": share, "relative_misses": value + number}
    for number, policy in enumerate(("lru", "arc")) for share in (0.1, 0.01)
    for trace, value in (("one", 1.0), ("two", 1.25)) if (trace, share) != ("two", 0.1)])  # fmt: skip


def test_a_mark_for_each_trace_and_their_mean() -> None:
    """Two policies stand 0.175 to either side of a share; at the second share there is one trace, and no interval."""
    figure = relative_picture(RELATIVE, "fifo")
    assert figure.get_size_inches().tolist() == pytest.approx([3.6, 3.0 + LEGEND])
    (ax,) = figure.axes
    assert labels(ax) == (SHARE_LABEL, "misses, those of fifo are 1")
    assert ([text.get_text() for text in ax.get_xticklabels()], ax.get_xlim()) == (["1", "10"], (-0.5, 1.5))
    marks = [line for line in ax.lines if line.get_alpha() == 0.45]
    assert [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in marks] == [
        (pytest.approx([-0.175] * 2), [1.0, 1.25]), (pytest.approx([0.825]), [1.0]),
        (pytest.approx([0.175] * 2), [2.0, 2.25]), (pytest.approx([1.175]), [2.0])]  # fmt: skip
    assert {(line.get_linestyle(), line.get_markersize(), line.get_markerfacecolor()) for line in marks} == {
        ("None", 4.0, "none")}  # fmt: skip
    assert [to_hex(line.get_color()).lower() for line in marks] == [PALETTE[0].lower()] * 2 + [PALETTE[1].lower()] * 2
    assert [line.get_marker() for line in marks] == [MARKERS[0]] * 2 + [MARKERS[1]] * 2
    found = confidence([1.0, 1.25])
    for number, interval in enumerate(ax.containers):
        mean, caps, bars = interval.lines
        x = -0.175 + 0.35 * number
        assert (mean.get_xdata().tolist(), mean.get_ydata().tolist()) == ([pytest.approx(x)], [1.125 + number])
        assert bars[0].get_segments()[0].tolist() == [
            pytest.approx([x, found.low + number]), pytest.approx([x, found.high + number])]
        assert to_hex(mean.get_color()).lower() == to_hex(caps[0].get_color()).lower() == PALETTE[number].lower()
        assert (mean.get_marker(), mean.get_markersize(), mean.get_zorder() > 3.0) == (MARKERS[number], 6.0, True)
    alone = [line for line in ax.lines if line.get_label() == "_nameless"]
    assert [(line.get_xdata().tolist(), line.get_ydata().tolist(), line.get_markersize()) for line in alone] == [
        ([pytest.approx(0.825)], [1.0], 6.0), ([pytest.approx(1.175)], [2.0], 6.0)]  # fmt: skip
    one = ax.lines[-1]
    assert (one.get_ydata(), to_hex(one.get_color()).lower(), one.get_linewidth()) == ([1.0, 1.0], INK.lower(), 0.8)
    assert [text.get_text() for text in figure.legends[0].texts] == ["lru", "arc"]
    assert not any(line.get_visible() for line in ax.get_xgridlines())
    assert ax.yaxis.get_major_formatter()(1.50) == "1.5"


@pytest.mark.parametrize(("shares", "policies", "width"), [(5, 4, 1.0 + 0.2 * 5 * 5), (7, 4, 7.1), (2, 1, 3.6)])
def test_a_picture_is_as_wide_as_it_has_marks(shares: int, policies: int, width: float) -> None:
    table = pd.DataFrame([{"trace": "one", "policy": f"p{policy}", "share": (share + 1) / 50, "relative_misses": 1.0}
                          for share in range(shares) for policy in range(policies)])  # fmt: skip
    assert relative_picture(table, "x").get_size_inches()[0] == pytest.approx(width)
