"""Bars, gains and the picture of a run by hand: places, lengths, colours, intervals and limits."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.plots.bars import Named, interval_bars, stacked_bars
from spindle.studies.plots.gains import gain_axis, gain_bars, gain_curve, reach
from spindle.studies.plots.phases import breakdown, result_picture
from spindle.studies.plots.style import BLUE, FAINT, GREEN, ORANGE, PURPLE, VERMILION


def bars(ax: Axes) -> list[tuple[float, float, float, float, str]]:
    """Middle, height, left end, length and colour of each bar."""
    return [(round(bar.get_y() + bar.get_height() / 2, 6), round(bar.get_height(), 6), round(bar.get_x(), 6),  # type: ignore[attr-defined]
             round(bar.get_width(), 6), to_hex(bar.get_facecolor()).upper()) for bar in ax.patches]  # type: ignore[attr-defined]


def whiskers(ax: Axes) -> list[list[float]]:
    return [np.asarray(segment)[:, 0].round(6).tolist()
            for lines in ax.collections for segment in lines.get_segments() if len(segment)]  # type: ignore[attr-defined]


def legend(ax: Axes) -> list[str]:
    return [text.get_text() for each in ax.figure.legends for text in each.texts]


def test_parts_have_their_colours_or_the_next_and_the_axis_reaches_the_longest() -> None:
    frame = pd.DataFrame({"name": [1, 2], "p": [6.0, 2.0], "q": [3.0, 1.0], "r": [0.05, 0.0], "s": [1.0, 0.0]})
    ax = stacked_bars(frame, "name", {"p": "big", "q": "half", "r": "tiny", "s": "small"}, colours={"q": "#123456"},
                      names={1: "one"}, x_label="time, s", title="Parts")  # fmt: skip
    assert bars(ax) == [
        (0, 0.62, 0, 6, BLUE), (1, 0.62, 0, 2, BLUE), (0, 0.62, 6, 3, "#123456"), (1, 0.62, 2, 1, "#123456"),
        (0, 0.62, 9, 1, VERMILION), (1, 0.62, 3, 0, VERMILION), (0, 0.62, 10, 0.05, FAINT), (1, 0.62, 3, 0, FAINT),
    ]  # fmt: skip
    assert ax.get_xlim() == pytest.approx((0.0, 10.05 * 1.02))
    assert legend(ax) == ["big", "half", "small", "other"]
    assert ([text.get_text() for text in ax.get_yticklabels()], ax.get_ylim()) == (["one", "2"], (1.5, -0.5))
    assert (ax.get_xlabel(), ax.get_title(loc="left")) == ("time, s", "Parts")
    assert not any(line.get_visible() for line in ax.yaxis.get_gridlines())
    assert ax.figure.get_figheight() == pytest.approx(0.95 + 0.42 * 2 + 0.3)  # with the legend
    assert {(to_hex(bar.get_edgecolor()), bar.get_linewidth()) for bar in ax.patches} == {("#ffffff", 0.8)}
    nothing = stacked_bars(pd.DataFrame({"name": ["a"], "p": [0.0]}), "name", {"p": "big"})
    assert (nothing.get_xlim(), len(nothing.patches)) == ((0.0, 1.0), 0)


def test_what_is_narrower_than_a_pixel_is_not_drawn_and_a_hundredth_stands_alone() -> None:
    frame = pd.DataFrame({"name": ["a"], "p": [9.9], "q": [0.1], "r": [0.03]})
    assert legend(stacked_bars(frame, "name", {"p": "p", "q": "q", "r": "r"})) == ["p", "other"]
    assert legend(stacked_bars(frame.assign(q=0.101), "name", {"p": "p", "q": "q", "r": "r"})) == ["p", "q"]
    assert legend(stacked_bars(frame, "name", {"p": "p", "q": "q", "r": "r"}, least=0.5)) == ["p", "other"]
    assert legend(stacked_bars(frame.assign(p=99.0, q=1.0, r=0.0), "name", {"p": "p", "q": "q"})) == ["p", "q"]


INTERVALS = pd.DataFrame({
    "drive": ["b", "a", "a"], "policy": ["lru", "lru", "arc"], "x": [2.0, 3.0, -1.0], "x_low": [1.5, 2.0, -1.25],
    "x_high": [2.25, 3.5, -0.5],
})  # fmt: skip


def test_groups_of_bars_have_an_interval_each() -> None:
    """Two kinds share 0.8 of a place; a kind that is nowhere takes none."""
    kinds = Named("policy", {"lru": "LRU", "fifo": "FIFO", "arc": "ARC"})
    drives = Named("drive", {"a": "first", "b": "second"})
    ax = interval_bars(INTERVALS, "x", drives, kinds, x_label="s", title="Drives")
    assert (ax.get_xlabel(), ax.get_title(loc="left")) == ("s", "Drives")
    found = [each for each in bars(ax) if each[3] == each[3]]
    assert found == [(-0.2, 0.344, 0, 3, BLUE), (0.8, 0.344, 0, 2, BLUE), (0.2, 0.344, 0, -1, VERMILION)]
    assert whiskers(ax) == [[2.0, 3.5], [1.5, 2.25], [-1.25, -0.5]]
    assert legend(ax) == ["LRU", "ARC"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["first", "second"]
    assert ax.figure.get_figheight() == pytest.approx(1.1 + 2 * (0.17 + 0.17 * 2) + 0.3)
    single = interval_bars(INTERVALS[:2], "x", drives)
    assert [each[:2] for each in bars(single)] == [(0, 0.688), (1, 0.688)]
    assert (legend(single), single.figure.get_figheight()) == ([], pytest.approx(1.1 + 2 * 0.34))
    with pytest.raises(UserError, match="unknown column 'y'"):
        interval_bars(INTERVALS, "y", Named("drive", {"a": "first"}))


GAINS = pd.DataFrame({"users": [1, 2], "gain": [-10.0, 40.0], "gain_low": [-15.0, 35.0], "gain_high": [-5.0, 50.0]})


def test_gains_are_bars_in_the_colour_of_their_group() -> None:
    ax = gain_bars(GAINS, ["one", "two"], ["plain", "quick"], {"plain": ORANGE, "quick": GREEN}, "What it gains")
    assert bars(ax)[:2] == [(0, 0.68, 0, -10, ORANGE), (1, 0.68, 0, 40, GREEN)]
    assert whiskers(ax) == [[-15, -5], [35, 50]]
    assert legend(ax) == ["plain", "quick"]
    assert ax.figure.get_figheight() == pytest.approx(1.2 + 0.3 * 2 + 0.3)
    assert ax.get_xlim() == pytest.approx((-15 - 0.06 * 65, 50 + 0.08 * 65))
    assert (ax.get_xlabel(), ax.get_title(loc="left")) == ("response time shorter by, %", "What it gains")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]


@pytest.mark.parametrize(("gain", "low", "high", "limits"), [
    ([10.0], [5.0], [15.0], (0.0 - 0.06 * 15, 15.0 + 0.08 * 15)),
    ([10.0], [-500.0], [900.0], (-20.0 - 0.06 * 50, 30.0 + 0.08 * 50)),  # an interval is cut at twice the span
    ([-10.0], [-20.0], [0.0], (-20.0 - 0.06 * 20, 0.0 + 0.08 * 20)),
    ([0.0], [0.0], [0.0], (0.0, 0.0)), ([0.0], [-9.0], [9.0], (-2.0 - 0.06 * 4, 2.0 + 0.08 * 4)),
])  # fmt: skip
def test_an_axis_of_gains_has_nought_and_all_intervals_that_leave_room(
    gain: list[float], low: list[float], high: list[float], limits: tuple[float, float]
) -> None:
    assert reach(pd.DataFrame({"gain": gain, "gain_low": low, "gain_high": high})) == pytest.approx(limits)
    if low == high:
        assert reach(pd.DataFrame({"gain": [5.0]})) == pytest.approx((-0.3, 5.4))


def test_a_curve_of_gains_has_its_names_and_a_line_at_nought() -> None:
    ax = gain_curve(GAINS.assign(by="a"), "users", "by", x_label="users", title="Gain", names={"a": "cache"})
    assert ax.get_ylim() == pytest.approx((-15 - 0.06 * 65, 50 + 0.08 * 65))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("users", "response time shorter by, %")
    assert [*legend(ax), *(text.get_text() for text in ax.texts)] == ["cache"]
    assert np.asarray(ax.lines[0].get_xydata()).tolist() == [[1, -10], [2, 40]]
    assert gain_axis(ax, GAINS) is ax


def result(*seconds: float, keep: bool = True) -> Result:
    """Responses of half CPU, half seek."""
    recorder = Recorder(keep=keep)
    for each in seconds:
        parts = [0.0] * PHASE_COUNT
        parts[Phase.CPU], parts[Phase.SEEK], parts[Phase.LOCK] = 0.5 * each, 0.499 * each, 0.001 * each
        recorder.record(Transaction("t", "n", 0.0, each, each, tuple(parts)), 1)
    return Result("toy", {}, 1, 0.0, 60.0, {}, recorder)


def test_the_picture_of_a_run_is_its_distribution_and_its_phases() -> None:
    upper = result_picture(result(1.0, 2.0, 3.0, 4.0))
    lower = upper.figure.axes[1]
    curve, median, p95 = (np.asarray(line.get_xydata()) for line in upper.lines)
    assert (len(curve), curve[-1].tolist(), curve[0][1]) == (200, [4.0, 100.0], 0.5)
    assert (median[0][1], p95.tolist()) == (50, [[4.0, 95]])
    assert [text.get_text().split()[0] for text in upper.texts] == ["median", "95"]
    assert upper.texts[1].get_text() == "95 % 4 s"
    assert (upper.get_xlim()[0], upper.get_ylim(), upper.get_xlabel()) == (0.0, (0.0, 104.0), "response, s")
    assert (upper.get_ylabel(), upper.get_title(loc="left")) == ("% take no longer", "Responses of toy")
    assert [(left, width) for _, _, left, width, _ in bars(lower)] == [(0, 1.25), (1.25, 1.2475)]
    assert (legend(lower), lower.get_xlabel(), list(lower.get_yticks())) == (["CPU", "seek"], "mean response, s", [])
    with pytest.raises(UserError, match="nothing was answered within the measured time"):
        result_picture(result())


def test_a_breakdown_stacks_the_parts_of_a_summary() -> None:
    row: dict[str, Any] = {f"part_{phase.name.lower()}": 0.0 for phase in Phase}
    ax = breakdown(pd.DataFrame([{**row, "name": "on", "part_cpu": 2.0, "part_memory": 1.0}]), "name", title="Where")
    assert bars(ax) == [(0, 0.62, 0, 2, BLUE), (0, 0.62, 2, 1, PURPLE)]
    assert (legend(ax), ax.get_xlabel(), ax.get_title(loc="left")) == (
        ["CPU", "wait for memory"], "mean response, s", "Where")
