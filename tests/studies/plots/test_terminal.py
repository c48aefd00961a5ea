"""Pictures of letters by hand: where lines, bars and fields lie, how long bars are, and what stands beside them."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.plots.terminal import SweptTable, TextLine, drawn_lines, found_text, text_picture
from spindle.studies.sweep.find import Condition, FindAnswer


def stripped(rows: Sequence[str]) -> str:
    return "\n".join(row.rstrip() for row in rows)


CROSS = """\
  13 s┤▲⡀                ⢀●
      ┤ ⠈⢆              ⡰⠁
      ┤   ⠣⡀          ⢀⠜
      ┤    ⠘⢄        ⡠⠃
      ┤     ⠈⢢      ⡔⠁
      ┤       ⠑⡄  ⢠⠊
      ┤        ⠈⢆⡰⠁
 6.5 s┤        ⢀⠎⠱⡀
      ┤       ⡠⠃  ⠘⢄
      ┤     ⢀⠜      ⠣⡀
      ┤    ⢠⠊        ⠑⡄
      ┤   ⡔⠁          ⠈⢢
      ┤ ⢀⠎              ⠱⡀
   0 s┤●⠁                ⠈▲
      └────────────────────
       0      size       10
       policy: ● up   ▲ down"""


def test_lines_cross_between_their_marks() -> None:
    """28 columns are 6 of labels, an axis, and 20 for the lines; each letter has two by four dots."""
    lines = [TextLine("up", [(0.0, 0.0), (10.0, 13.0)]), TextLine("down", [(10.0, 0.0), (0.0, 13.0)])]
    rows = drawn_lines(lines, 28, ("0", "10"), "size", "s", "policy")
    assert stripped(rows) == CROSS
    assert {len(row) for row in rows[:14]} == {27}
    assert "policy" not in drawn_lines(lines, 28, ("0", "10"), "size", "s")[-1]
    assert drawn_lines(lines, 10, ("0", "10"), "size", "s", "policy") == rows  # 20 columns at least
    assert drawn_lines(lines, 28, ("0", "10"), "size", "s")[-1].strip() == "● up   ▲ down"


PEAK = """\
  1 s┤          ⢠⠓⡄
     ┤         ⢀⠇ ⠈⠢⡀
     ┤         ⡎    ⠘⢄
     ┤        ⡜       ⠑⡄
     ┤       ⡰⠁        ⠈⠢⡀
     ┤      ⢠⠃           ⠑⢄
     ┤     ⢀⠇              ⠱⡀
  0 s┤     ⡎                ⠈
     ┤    ⡜
     ┤   ⡰⠁
     ┤  ⢠⠃
     ┤ ⢀⠇
     ┤ ⡎
 -1 s┤⡜
     └───────────────────────
      1         x         100"""


def test_a_wide_axis_is_logarithmic_and_a_line_may_go_below_zero() -> None:
    """From 1 to 100 ten lies in the middle."""
    line = TextLine("", [(1.0, -1.0), (10.0, 1.0), (100.0, 0.0)])
    assert stripped(drawn_lines([line], 30, ("1", "100"), "x", "s")) == PEAK
    with_gap = TextLine("", [*line.points, (50.0, float("nan"))])
    assert stripped(drawn_lines([with_gap], 30, ("1", "100"), "x", "s")) == PEAK


@pytest.mark.parametrize(("least", "most", "middle"), [(1.0, 16.0, 4.0), (1.0, 15.9, 8.45), (0.0, 100.0, 50.0)])
def test_an_axis_is_logarithmic_from_sixteen_times_on(least: float, most: float, middle: float) -> None:
    """The point in the middle of the axis has its dot in the eleventh or the twelfth of 22 columns."""
    rows = drawn_lines([TextLine("", [(least, 0.0), (middle, 8.0), (most, 0.0)])], 28, ("a", "b"), "x", "1")
    assert 9 <= len(rows[0].split("┤")[1].rstrip()) - 1 <= 12


def test_marks_are_at_one_in_so_many_points_and_begin_again_after_seven_lines() -> None:
    lines = [TextLine(f"l{number}", [(float(x), float(number)) for x in range(20)], 5) for number in range(9)]
    rows = drawn_lines(lines, 60, ("0", "19"), "x", "1")
    assert rows[0].count("▲") == 4  # of the ninth line, which is the uppermost
    assert [mark for mark in "●▲■◆▼★○" if sum(row.count(mark) for row in rows[:14]) == 0] == []
    legend = [each.split() for each in rows[-1].strip().split("   ")]
    assert legend == [[mark, f"l{number}"] for number, mark in enumerate("●▲■◆▼★○●▲")]


def test_one_point_is_in_the_middle_and_a_flat_line_at_the_foot() -> None:
    point = drawn_lines([TextLine("", [(1.0, 5.0)])], 30, ("1", "1"), "x", "s")
    assert point[0] == "   5 s┤           ⠁          "
    assert "".join(row.split("┤")[1].strip() for row in point[1:14]) == ""
    flat = drawn_lines([TextLine("", [(1.0, 0.0), (2.0, 0.0)])], 30, ("1", "2"), "x", "s")
    assert [place for place, row in enumerate(flat[:14]) if row.split("┤")[1].strip()] == [13]
    assert flat[13].split("┤")[1] == "⣀" * 24


FRAME = pd.DataFrame({"policy": ["lru", "arc", "lru", "arc"], "memory": [1, 1, 2, 2], "seed": [1] * 4,
                      "hit_ratio": [0.5, 0.25, 1.0, float("nan")]})
TEXTS: Any = {"memory": lambda value: f"{value} MiB"}
TWO = """\
hit ratio
   1┤                          ⣀⠤⠒●
    ┤                      ⣀⠤⠒⠉
    ┤                 ⢀⡠⠔⠒⠉
    ┤             ⢀⡠⠔⠊⠁
    ┤         ⣀⡠⠔⠊⠁
    ┤     ⣀⠤⠒⠉
    ┤ ⣀⠤⠒⠉
 0.5┤●
    ┤
    ┤
    ┤▲
    ┤
    ┤
   0┤
    └──────────────────────────────
     1 MiB       memory       2 MiB
     policy: ● lru   ▲ arc"""


def test_a_line_for_each_word_against_a_number() -> None:
    """Numbers go across, whichever axis was named first; a run without the number is left out."""
    table = SweptTable(FRAME, ["policy", "memory", "seed"], TEXTS)
    assert stripped(text_picture(table, ["hit_ratio"], 36).split("\n")) == TWO


def test_a_bar_for_each_word_as_long_as_its_mean() -> None:
    """Of 29 columns for the longest a third is nine and five eighths."""
    table = SweptTable(FRAME, ["policy", "seed"])
    assert text_picture(table, ["hit_ratio"], 40).split("\n") == [
        "hit ratio", f"lru  {'█' * 29}  0.75", f"arc  {'█' * 9 + '▋':<29}  0.25"]
    once = text_picture(table, ["hit_ratio"], 40)
    assert text_picture(table, ["hit_ratio", "hit_ratio"], 40) == f"{once}\n\n{once}"
    assert len(text_picture(table, ["hit_ratio"], 9).split("\n")[1]) == len("lru  ") + 20 + len("  0.75")


def test_bars_of_two_words_have_both_names_and_none_is_negative() -> None:
    frame = pd.DataFrame({"policy": ["lru", "lru", "arc"], "drive": ["a", "b", "a"], "gain": [-1.0, 0.0, 0.0]})
    assert text_picture(SweptTable(frame, ["policy", "drive"]), ["gain"], 40).split("\n")[1:] == [
        f"lru, a  {'':28}  -1", f"lru, b  {'':28}  0", f"arc, a  {'':28}  0"]


MAP = """\
x, s
  b
7 B ░░░░▓▓▓▓████
6 B ░░░░▒▒▒▒████
5 B ░░░░▒▒▒▒▓▓▓▓
4 B     ░░░░▒▒▒▒
3 B     ░░░░▒▒▒▒
2 B         ░░░░
1 B
0 B
    1    a     3
   0 s  ░░ 5.25 s  ▒▒ 10.5 s  ▓▓ 15.8 s  ██ 21 s"""


def test_two_numbers_of_many_values_are_a_map() -> None:
    """From 0 to 21 in five shades; the values ascend to the right and upwards."""
    frame = pd.DataFrame([{"a": a, "b": b, "seed": 1, "x": float(a * b)} for a in (1, 2, 3) for b in range(8)])
    table = SweptTable(frame, ["a", "b", "seed"], {"b": lambda value: f"{value} B"}, {"x": "s"})
    assert stripped(text_picture(table, ["x"], 40).split("\n")) == MAP
    seven = SweptTable(frame[frame["b"] < 7], ["a", "b", "seed"], {}, {"x": "s"})
    assert "● 0   ▲ 1   ■ 2" in text_picture(seven, ["x"], 60)
    raised = SweptTable(frame.assign(x=frame["x"] + 79.0), ["a", "b", "seed"])
    assert text_picture(raised, ["x"], 40).split("\n")[2] == "7 " + "\u2591" * 4 + "\u2593" * 4 + "\u2588" * 4
    alike = SweptTable(frame.assign(x=2.0), ["a", "b", "seed"])
    assert text_picture(alike, ["x"], 40).split("\n")[2] == "7 " + " " * 12
    lacking = frame[(frame["a"] != 3) | (frame["b"] != 7)]
    assert text_picture(SweptTable(lacking, ["a", "b", "seed"]), ["x"], 40).split("\n")[2].endswith("????")


def test_what_was_found_is_drawn_with_its_bound() -> None:
    """The bound is a flat line as wide as what was probed."""
    curve = pd.DataFrame({"memory": [4, 1, 2], "response_mean": [1.0, 4.0, 2.0]})
    answer = FindAnswer("memory", Condition("response_mean", 3.0), 2.0, 1.0, 2.0, False, 3, curve)
    rows = found_text(answer, lambda value: f"{value} MiB", 40).split("\n")
    assert rows[0] == "mean response, s"
    assert rows[-1].strip() == "● probed   ▲ the bound"
    assert rows[-2].split() == ["1", "MiB", "memory", "4", "MiB"]
    marked = [(place, column, mark) for place, row in enumerate(rows[1:15]) for column, mark in enumerate(row)
              if mark in "●▲"]  # fmt: skip
    assert [(place, mark) for place, _, mark in marked] == [(0, "●"), (3, "▲"), (3, "▲"), (7, "●"), (10, "●")]
    left, right = marked[1][1], marked[2][1]
    assert (marked[0][1], marked[4][1], marked[3][1] - left) == (left, right, (right - left) // 3)


@pytest.mark.parametrize(("axes", "says"), [
    (["seed"], "a picture shows what varies, and nothing does"), (["disc"], "a picture shows what varies"),
    (["policy", "memory", "hit_ratio"], "a terminal shows two axes, not memory, hit_ratio, policy: name a FILE.png"),
])  # fmt: skip
def test_what_a_terminal_cannot_show(axes: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        text_picture(SweptTable(FRAME.assign(disc="x", seed=range(4)), axes), ["hit_ratio"], 40)


def test_truths_are_words_and_units_are_of_the_measure_unless_told() -> None:
    table = SweptTable(FRAME.assign(caching=[True, False] * 2), ["caching", "memory"], units={"hit_ratio": "s"})
    assert (table.is_number("caching"), table.is_number("memory"), table.is_number("policy")) == (False, True, False)
    assert table.varying == ["memory", "caching"]
    assert (table.unit("hit_ratio"), table.unit("response_mean"), table.unit("policy")) == ("s", "s", "1")
    assert (table.text("memory", 3), SweptTable(FRAME, [], TEXTS).text("memory", 3)) == ("3", "3 MiB")
