"""Claims on a terminal: every line fits, what does not hold is listed, and colour is for those who can see it."""

import re
import sys
from math import nan
from types import SimpleNamespace

import pandas as pd
import pytest

from spindle.cli.printing import paint
from spindle.cli.scoreboard import _short, rows_of, scoreboard
from spindle.studies.claims.verdicts import headline
from spindle.studies.report.report import insight

COLUMNS = ["id", "system", "says", "role", "unit", "published", "low", "high", "simulated", "ci_low", "ci_high"]
CLAIMS = pd.DataFrame(
    [
        ("A1", "one", "it holds good", "predicted", "1", 0.5, 0.4, 0.6, 0.512345, 0.5, 0.52, "holds"),
        ("A2", "one", "a sentence that goes on " * 9, "shape", "1", 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, "fails"),
        ("B1", "two", "in doubt", "calibrated", "sectors", 12e3, 10800.0, 13200.0, 13200.0, 13100, 13300, "undecided"),
        ("X1", "two", "at odds", "contradictory", "ms", 5.0, 4.5, 5.5, nan, nan, nan, "not scored"),
    ],
    columns=[*COLUMNS, "verdict"],
).assign(part="paper")


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_a_line_for_each_claim() -> None:
    assert rows_of(CLAIMS).splitlines() == [
        "id  role           verdict     published  unit     bounds          simulated  95 % interval",
        "A1  predicted      holds             0.5           0.4 .. 0.6         0.5123  0.5 .. 0.52",
        "A2  shape          fails               1           1 .. 1                  0  0 .. 0",
        "B1  calibrated     undecided       12000  sectors  10800 .. 13200      13200  13100 .. 13300",
        "X1  contradictory  not scored          5  ms       4.5 .. 5.5",
    ]
    bare = rows_of(CLAIMS[-1:].astype(object).assign(published=None, low=None)).splitlines()[1]
    assert bare.split() == ["X1", "contradictory", "not", "scored", "ms"]


def test_the_scoreboard_counts_and_lists() -> None:
    lines = scoreboard(CLAIMS, ["one", "two", "three"]).splitlines()
    assert lines[0] == (
        "1 of 2 independent predictions hold: 1 of 1 numbers and 0 of 1 shapes of curves to which nothing in the model "
        "was fitted. Of the others hold 0 of 1 calibrated; 1 is not scored."
    )
    assert lines.pop(1) == "Independent predictions that hold: 1 of 2 in the five papers."
    assert [line.split() for line in lines[1:5]] == [
        ["scoreboard", "predicted", "shape", "seen", "consistent", "calibrated", "definition", "contradictory",
         "unasked"],
        ["one", "1", "of", "1", "0", "of", "1"],
        ["two", "0", "of", "1", "1"],
        ["three"],
    ]
    assert lines[5] == ("A claim holds if the whole 95 % interval lies within its bounds; contradictory and unasked "
                        "ones are not scored.")  # fmt: skip
    assert lines[6:8] == ["", "what does not hold"]
    assert lines[3].index("0 of 1") == lines[1].index("calibrated")
    missed = lines[lines.index("what does not hold") + 1 :]
    assert [line.split()[:4] for line in missed] == [
        ["one", "A2", "shape", "fails"], ["two", "B1", "calibrated", "undecided"],
    ]  # fmt: skip
    assert missed[0].endswith("...")
    assert missed[1].endswith("in doubt")


def test_a_quick_look_says_that_nothing_is_decided() -> None:
    quick = CLAIMS.assign(verdict="undecided")
    assert headline(quick) == "None of 2 independent predictions is decided."
    assert insight(quick) == [headline(quick)]


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_no_line_is_longer_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    missed = scoreboard(CLAIMS, ["one"]).splitlines()[-1]
    assert columns - 3 <= len(missed) <= columns
    assert max(map(len, rows_of(CLAIMS).splitlines())) <= columns


@pytest.mark.parametrize(("columns", "line"), [
    (82, "A1  predicted      holds             0.5           0.4 .. 0.6         0.5123  0..."),
    (89, "A1  predicted      holds             0.5           0.4 .. 0.6         0.5123  0.5 .. 0.52"),
    (17, "A1  predicted..."), (18, "A1  predicted..."), (4, "A..."), (2, "A..."),
])  # fmt: skip
def test_a_line_is_cut_at_a_letter(columns: int, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.cli.scoreboard.get_terminal_size", lambda usual: SimpleNamespace(columns=columns))
    assert rows_of(CLAIMS).splitlines()[1] == line


def test_a_terminal_of_unknown_size_has_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.cli.scoreboard.get_terminal_size", lambda usual: SimpleNamespace(columns=usual[0]))
    assert [_short("x" * length)[-4:] for length in (100, 101)] == ["xxxx", "x..."]


def test_parts_of_the_score_are_of_several_systems() -> None:
    for systems, begin in ((["one", "two"], "Independent predictions that hold: "), (["one"], "scoreboard ")):
        assert scoreboard(CLAIMS, systems).splitlines()[1].startswith(begin)


def test_where_everything_holds_nothing_is_listed() -> None:
    assert "does not hold" not in scoreboard(CLAIMS.iloc[:1], ["one"])


@pytest.mark.parametrize(("terminal", "no_color", "colours"), [(False, "", 0), (True, "1", 0), (True, "", 3)])
def test_colour_is_for_terminals(terminal: bool, no_color: str, colours: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("NO_COLOR", no_color)
    text = rows_of(CLAIMS)
    assert paint(text).count("\033[0m") == colours
    assert paint(text).replace("\033[0m", "").replace("\033[34m", "").replace("\033[1;31m", "").replace(
        "\033[33m", "") == text  # fmt: skip


@pytest.mark.parametrize(("text", "coloured"), [
    ("one  A1  predicted  fails      what holds and fails", ["fails"]),
    ("the time\n     cpu   0.02 s  ##\n   queue   0.23 s  #######\n", ["##", "#######", "the time"]),
    ('{\n  "seed": 1\n}', []), ("one line\nand another", []),
])  # fmt: skip
def test_verdicts_in_their_column_bars_and_headings_are_coloured(
    text: str, coloured: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert sorted(re.findall("\033\\[[0-9;]+m(.*?)\033\\[0m", paint(text))) == sorted(coloured)
