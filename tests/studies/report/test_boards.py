"""The boards of the report by hand: where bars, dots and tiles lie, in which colours, and what stands beside them."""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from spindle.studies.claims.ensemble import member_trial
from spindle.studies.plots.style import BLUE, FAINT, GREEN, INK, ORANGE, VERMILION
from spindle.studies.report.sensitivity_board import (
    claims_board,
    ensemble_pairs,
    ensemble_strips,
    global_board,
    sensitivity_board,
)
from tests.studies.claims.queues import system

COLUMNS = ["id", "published", "low", "high", "simulated", "ci_low", "ci_high", "verdict"]


def lines(ax: Axes) -> list[tuple[list[list[float]], str, str]]:
    return [(np.asarray(line.get_xydata()).tolist(), str(line.get_marker()), str(line.get_color()))
            for line in ax.lines]


def legend(ax: Axes) -> list[str]:
    return [text.get_text() for each in ax.figure.legends for text in each.texts]


def marks(ax: Axes) -> list[tuple[str, str, str]]:
    """Of each entry of the legend: its mark, its colour, and what it is filled with."""
    return [(str(mark.get_marker()), to_hex(mark.get_color()).upper(), to_hex(mark.get_markerfacecolor()).upper())  # type: ignore[union-attr]
            for each in ax.figure.legends for mark in each.legend_handles]


def names(ax: Axes) -> list[str]:
    """From the top."""
    ticks = zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    return [text.get_text() for _, text in sorted(ticks, key=lambda tick: tick[0])]


def boxes(ax: Axes) -> list[tuple[list[float], str]]:
    return [([each.get_x(), each.get_y(), each.get_width(), each.get_height()], to_hex(each.get_facecolor()))  # type: ignore[attr-defined]
            for each in ax.patches]


def test_claims_are_multiples_of_what_was_published() -> None:
    """Beyond the edge an arrow has the number; an inequality, a zero and what was not simulated are left out."""
    board = claims_board(pd.DataFrame([
        ("A", 10.0, 9.0, 11.0, 10.5, 10.2, 10.8, "holds"), ("B", -10.0, -11.0, -9.0, -5.0, -5.5, -4.5, "fails"),
        ("C", 1.0, 0.9, 1.1, 4.0, 3.9, 4.1, "undecided"), ("D", 2.0, 1.8, 2.2, -1.0, -1.0, -1.0, "fails"),
        ("E", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, "holds"), ("F", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "holds"),
        ("G", 1.0, 0.9, 1.1, nan, nan, nan, "not scored"),
    ], columns=COLUMNS))  # fmt: skip
    assert names(board) == ["A", "B", "C", "D"]
    assert [box for box, _ in boxes(board)] == [pytest.approx([0.9, place - 0.31, 0.2, 0.62]) for place in range(4)]
    drawn = lines(board)[1:9]
    assert [(points, mark) for points, mark, _ in drawn[::2]] == [
        ([[1.02, 0], [1.08, 0]], "None"), ([[0.45, 1], [0.55, 1]], "None"), ([[3.9, 2], [4.1, 2]], "None"),
        ([[-0.5, 3], [-0.5, 3]], "None")]
    assert [(points, mark, colour) for points, mark, colour in drawn[1::2]] == [
        ([[1.05, 0]], "o", BLUE), ([[0.5, 1]], "X", VERMILION), ([[2.0, 2]], ">", ORANGE), ([[0.0, 3]], "<", VERMILION)]
    assert [(text.get_text(), text.get_ha(), text.xyann) for text in board.texts] == [  # type: ignore[attr-defined]
        ("4", "right", (-8, 0)), ("-0.5", "left", (8, 0))]
    assert (board.get_xlim(), board.get_ylim()) == ((0.0, 2.0), (3.6, -0.6))
    assert board.get_xlabel() == "simulated / published"
    assert legend(board) == ["holds", "fails", "undecided"]
    assert marks(board) == [("o", BLUE, BLUE), ("X", VERMILION, VERMILION), ("D", ORANGE, ORANGE)]
    assert board.figure.get_figheight() == pytest.approx(1.35 + 0.21 * 4)


def looks(ax: Axes) -> list[tuple[float, bool, float, float]]:
    """How far in front each line is, whether it ends at the axes, the size of its marks, and its width."""
    return [(line.get_zorder(), bool(line.get_clip_on()), line.get_markersize(), line.get_linewidth())
            for line in ax.lines]


def test_dots_lie_on_their_intervals_and_those_on_the_bounds_and_may_reach_beyond_the_edge() -> None:
    board = claims_board(pd.DataFrame([
        ("A", 1.0, 0.9, 1.1, 2.0, 1.9, 2.1, "fails"), ("B", 1.0, 0.9, 1.1, 0.0, 0.0, 0.0, "fails"),
        ("C", 1.0, 0.9, 1.1, 9.0, 9.0, 9.0, "fails"),
    ], columns=COLUMNS))  # fmt: skip
    line, ends, dot, *_ = looks(board)
    assert (line[0], line[3], ends[0], ends[3]) == (1, 1.0, 3, 1.6)
    assert dot[:3] == (4, False, 5.5)
    assert [mark for _, mark, _ in lines(board)[2:7:2]] == ["X", "X", ">"]
    assert looks(board)[6][:2] == (4, False)
    assert {bar.get_zorder() for bar in board.patches} == {2}
    assert {colour for _, colour in boxes(board)} == {"#d9e2e8"}
    assert lines(board)[0][2] == FAINT
    assert not any(grid.get_visible() for grid in board.yaxis.get_gridlines())
    (text,) = board.texts
    assert (text.get_color(), text.get_fontsize(), text.get_va()) == (VERMILION, 9.7, "center")


def test_a_board_of_nothing_is_empty() -> None:
    board = claims_board(pd.DataFrame([], columns=COLUMNS))
    assert (names(board), len(board.patches), legend(board)) == ([], 0, [])
    assert board.get_ylim() == (0.6, -0.6)


def flip(parameter: str, factor: float, name: str, verdict: str, flips: bool = True) -> dict[str, object]:
    return {"parameter": parameter, "factor": factor, "id": name, "verdict": verdict, "flips": flips}


def test_the_parameter_with_most_flips_is_the_uppermost_and_its_tiles_have_the_colours_of_verdicts() -> None:
    board = sensitivity_board(pd.DataFrame([
        flip("rate", 0.5, "A", "fails"), flip("rate", 0.5, "B", "holds", False), flip("size", 2.0, "A", "holds"),
        flip("size", 2.0, "B", "fails"), flip("none", 2.0, "C", "undecided", False),
    ]))  # fmt: skip
    assert names(board) == ["size \u00d7 2", "rate \u00d7 \u00bd"]
    tiles = [(box, colour) for box, colour in boxes(board) if box[3]]
    assert [box for box, _ in tiles] == [
        pytest.approx([left, top, 0.94, 0.88]) for left, top in ((0.03, -0.44), (1.03, -0.44), (0.03, 0.56))]
    assert [colour.upper() for _, colour in tiles] == [BLUE, VERMILION, VERMILION]
    assert [(text.get_text(), text.get_position()) for text in board.texts] == [
        ("A", (0.5, 0)), ("B", (1.5, 0)), ("A", (0.5, 1))]
    assert board.get_title(loc="left") == "2 of 3 assumed numbers flip 2 of 3 verdicts"
    assert (board.get_ylim(), legend(board)) == ((1.5, -0.5), ["holds then", "fails then"])
    handles = board.figure.legends[0].legend_handles
    assert [to_hex(each.get_facecolor()).upper() for each in handles if each is not None] == [BLUE, VERMILION]  # type: ignore[attr-defined]
    still = [flip("rate", 0.5, "A", "fails", False), flip("size", 2.0, "A", "holds", False)]
    none = sensitivity_board(pd.DataFrame(still))
    assert none.get_title(loc="left") == "None of 2 assumed numbers flips a verdict"
    assert (legend(none), none.get_ylim(), names(none)) == ([], (0.5, -0.5), [])


def test_tiles_that_do_not_fit_go_on_below_and_the_name_stands_once() -> None:
    """Beside twelve letters are 3.9 inches; a tile of three letters takes 0.389 of them: ten in a row."""
    board = sensitivity_board(pd.DataFrame([flip("a" * 8, 2.0, f"A{at}", "fails") for at in range(10, 22)]))
    assert names(board) == ["aaaaaaaa \u00d7 2"]
    places = {text.get_text(): text.get_position() for text in board.texts}
    in_row = int((5.2 - 0.3 - 0.083 * 12) / (0.14 + 0.083 * 3))
    assert (places["A10"], places[f"A{10 + in_row}"]) == ((0.5, 0), (0.5, 1))
    assert board.get_xlim() == (0, in_row)
    assert board.get_title(loc="left") == "1 of 1 assumed numbers flip 12 of 12 verdicts"
    assert legend(board) == ["fails then"]


def index(name: str, parameter: str, first: float, total: float, together: bool, **more: float) -> dict[str, Any]:
    return {"id": name, "parameter": parameter, "first": first, "first_low": first - 0.1, "first_high": first + 0.1,
            "total": total, "total_low": total - 0.1, "total_high": total + 0.2, "chance": 0.05, "spread": 1.0,
            "together": together, **more}  # fmt: skip


def test_indices_of_a_parameter_lie_in_its_row_within_their_intervals() -> None:
    board = global_board(pd.DataFrame([
        index("A", "rate", 0.3, 0.4, False), index("A", "size", 0.05, 0.95, True), index("B", "rate", 0.5, 0.6, False),
        index("C", "rate", 0.5, 0.6, False, spread=0.0),
    ]))  # fmt: skip
    assert names(board) == ["rate", "size", "rate"]
    assert board.get_yticks().tolist() == pytest.approx([0.0, 1.0, 2.6])
    assert [box for box, _ in boxes(board)] == [pytest.approx([0.0, -0.5, 0.05, 2]), pytest.approx([0.0, 2.1, 0.05, 1])]
    assert [(text.get_text(), text.xy) for text in board.texts] == [("A", (1.0, 0.0)), ("B", (1.0, 2.6))]  # type: ignore[attr-defined]
    drawn = [(points, colour) for points, _, colour in lines(board)[:8]]
    by_hand = [([0.2, 0.4], -0.14), ([0.3], -0.14), ([0.3, 0.6], 0.14), ([0.4], 0.14),
               ([0.0, 0.15], 0.86), ([0.05], 0.86), ([0.85, 1.0], 1.14), ([0.95], 1.14)]  # fmt: skip
    for (points, _), (xs, y) in zip(drawn, by_hand, strict=True):
        assert points == [pytest.approx([x, y]) for x in xs]
    assert [colour for _, colour in drawn] == [BLUE] * 4 + [VERMILION] * 4
    fillings = [line.get_markerfacecolor() for line in board.lines[:8] if line.get_marker() == "o"]
    assert fillings == [BLUE, "white", VERMILION, "white"]
    assert looks(board)[:2] == [(2, True, 4.5, 1.0), (4, False, 3.6, pytest.approx(1.9))]
    assert [to_hex(box.get_facecolor()) for box in board.patches] == ["#e4e4e4"] * 2
    assert not any(grid.get_visible() for grid in board.yaxis.get_gridlines())
    assert (board.get_xlim(), board.get_xlabel()) == ((-0.02, 1.02), "share of the variance")
    assert legend(board) == ["by itself", "in all", "together with another", "chance"]
    assert marks(board) == [("o", BLUE, BLUE), ("o", BLUE, "#FFFFFF"), ("s", VERMILION, VERMILION),
                            ("s", FAINT, "#E4E4E4")]  # fmt: skip
    assert [(text.xyann, text.get_va(), text.get_annotation_clip()) for text in board.texts] == [  # type: ignore[attr-defined]
        ((4, 0), "center", False)] * 2
    assert board.get_ylim() == pytest.approx((3.7, -0.7))
    assert board.figure.get_figheight() == pytest.approx(1.1 + 0.18 * (3 + 2 * 0.6))


MEMBERS = pd.DataFrame({
    "member": [0, 1, 2, 3, 4], "kept": [False, True, True, True, False], "why": "",
    "cached.gain": [0.9, 0.75, 0.80, 0.95, nan], "cached.few": [0.0, 1.0, 1.0, 0.0, nan],
    "cached.marginal": [0.0, 1.0, 0.0, 0.0, nan],
})  # fmt: skip


def test_a_strip_has_its_members_their_band_the_bounds_and_the_published_number(tmp_path: Path) -> None:
    """The gain of 0.8 within 0.72 to 0.88 is drawn from 0.75 to 0.95: it lies at a quarter, the default at three."""
    ax = ensemble_strips(member_trial(system(tmp_path)), MEMBERS)
    first, band, *_ = boxes(ax)
    assert first[0] == pytest.approx([0.0, -0.3, 0.65, 0.6])
    assert band == (pytest.approx([0.0, -0.19, 1.0, 0.38]), BLUE.lower())
    drawn = lines(ax)
    dots, default, published = drawn[:3]
    assert [x for x, _ in dots[0]] == pytest.approx([0.0, 0.25, 1.0])
    assert [y for _, y in dots[0]] == pytest.approx([-0.19, -0.19 + 0.38 * 0.618, -0.19 + 0.38 * 0.236])
    assert (dots[1:], default) == ((".", BLUE), ([[pytest.approx(0.75), 0.0]], "D", INK))
    assert published[0] == [pytest.approx([0.25, -0.3]), pytest.approx([0.25, 0.3])]
    assert [looks(ax)[at][::2] for at in (0, 1, 2)] == [(2, 3.5), (4, 4.5), (3, 4.5)]
    assert (ax.lines[1].get_markerfacecolor(), ax.lines[2].get_linewidth(), list(ax.get_xticks())) == ("white", 1.6, [])
    assert [(box.get_alpha(), box.get_linewidth()) for box in ax.patches[:2]] == [(0.16, 0.0), (0.2, 0.0)]
    assert ax.get_title(loc="left") == "Claims on machines that are as likely as the default one"
    assert ax.figure.get_figheight() == pytest.approx(0.9 + 0.42 * 2)
    numbers = [(text.get_text(), text.get_ha(), text.xy) for text in ax.texts]  # type: ignore[attr-defined]
    assert numbers == [("0.75", "right", (-0.02, 0)), ("0.95", "left", (1.02, 0)), ("0", "right", (-0.02, 1)),
                       ("1", "left", (1.02, 1))]  # fmt: skip
    assert [name.split("\n")[1] for name in names(ax)] == ["paper: 0.8", "paper: 1, 2 members"]
    always = ensemble_strips(member_trial(system(tmp_path)), MEMBERS.assign(**{"cached.marginal": 1.0}))
    assert [text.get_text() for text in always.texts][2:] == ["0", "1"]  # an inequality may be both
    assert (ax.get_ylim(), ax.get_xlim()) == ((1.6, -0.6), (-0.13, 1.13))
    assert legend(ax) == ["consistent", "default machine"]
    assert marks(ax) == [(".", BLUE, BLUE), ("D", INK.upper(), "#FFFFFF")]


def test_two_claims_together_shade_what_they_allow(tmp_path: Path) -> None:
    figure = ensemble_pairs(member_trial(system(tmp_path)), MEMBERS.assign(**{"cached.few": 1.0}))
    assert figure is not None
    (ax,) = figure.axes
    assert [np.asarray(line.get_xydata()).tolist() for line in ax.lines] == [
        [[0.75, 1.0], [0.8, 0.0], [0.95, 0.0]], [[0.9, 0.0]]]
    across, up = boxes(ax)
    assert across[0][::2] == pytest.approx([0.72, 0.16])
    assert up[0][1::2] == pytest.approx([1.0, 0.0])
    assert {across[1], up[1]} == {GREEN.lower()}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Q1\ngain", "Q2\nmarginal")
    assert ax.get_title("right") == "1 of 3 meet both"
    bench = member_trial(system(tmp_path))
    three = replace(bench, ensemble=replace(bench.ensemble, joint=[[["Q1"], ["Q2"], ["P1"]]]))
    assert ensemble_pairs(three, MEMBERS) is None
