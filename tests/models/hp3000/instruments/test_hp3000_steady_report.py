"""Tests the report of the TEPE monitor (of response times): lines by hand, its text, and sums."""

import json
from dataclasses import replace
from math import fsum, isnan
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.models.hp3000.instruments.monitor import MonitoredResult, Period, Report
from spindle.models.hp3000.run import run
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.terminal import Transaction


def answered(terminal: str, name: str, began: float, responded: float) -> Transaction:
    """Its reply ends a second after it began."""
    return Transaction(terminal, name, began, responded, responded + 1.0, (0.0,) * PHASE_COUNT)


TERMINALS = ["CLERKS 1", "CLERKS 2", "BASIC 1"]
ROWS = [
    answered("CLERKS 1", "FIND", 50.0, 50.5),
    answered("CLERKS 1", "FIND", 59.5, 60.0),  # the first instant of the window, 8 s behind the reply before
    answered("CLERKS 2", "LIST", 70.0, 72.0),  # nothing before it
    answered("CLERKS 2", "FIND", 85.0, 86.0),  # 12 s
    answered("CLERKS 1", "LIST", 117.0, 120.0),  # 56 s, and the last instant
    answered("CLERKS 2", "FIND", 119.5, 120.5),
]
WINDOW = Period("steady window", 60.0, 120.0)


@pytest.fixture
def by_hand() -> Report:
    return Report(TERMINALS, ROWS, WINDOW)


# By hand ------------------------------------------------------------------------------------------


def test_each_terminal(by_hand: Report) -> None:
    one, two, none = by_hand.terminals
    assert (one.who, one.driver, one.responses.count, one.responses.mean, one.p95) == ("CLERKS 1", "1:1", 2, 1.75, 3.0)
    assert (one.think, one.thinks, one.throughput) == (32.0, 2, pytest.approx(2 / 60))
    assert (two.responses.count, two.responses.mean, two.think, two.thinks) == (2, 1.5, 12.0, 1)
    assert (none.responses.count, none.thinks, none.throughput) == (0, 0, 0.0)
    assert all(map(isnan, (none.responses.mean, none.p95, none.think)))


def test_each_transaction(by_hand: Report) -> None:
    find, listed = by_hand.transactions
    assert (find.who, find.driver, find.responses.count, find.responses.mean, find.think) == ("FIND", "", 2, 0.75, 10.0)
    assert (listed.who, listed.responses.count, listed.responses.mean, listed.think) == ("LIST", 2, 2.5, 56.0)


def test_all_of_them(by_hand: Report) -> None:
    load = by_hand.load
    assert (load.responses.count, load.responses.mean, load.p95, load.thinks) == (4, 1.625, 3.0, 3)
    assert load.think == pytest.approx((8 + 12 + 56) / 3)
    assert load.throughput == pytest.approx(4 / 60)


def test_the_page_has_80_columns_at_most(by_hand: Report) -> None:
    assert by_hand.text() == """\
TEPE MONITOR                                           steady window 1-2 min
TERMINAL          DRIVER COUNT  MEAN   MIN   MAX  S.D.   P95   THINK    /MIN
----------------------------------------------------------------------------
CLERKS 1             1:1     2  1.75  0.50  3.00  1.77  3.00   32.00    2.00
CLERKS 2             1:2     2  1.50  1.00  2.00  0.71  2.00   12.00    2.00
BASIC 1              1:3     0     -     -     -     -     -       -    0.00
----------------------------------------------------------------------------
TRANSACTION              COUNT  MEAN   MIN   MAX  S.D.   P95   THINK    /MIN
----------------------------------------------------------------------------
FIND                         2  0.75  0.50  1.00  0.35  1.00   10.00    2.00
LIST                         2  2.50  2.00  3.00  0.71  3.00   56.00    2.00
----------------------------------------------------------------------------
WHOLE LOAD                   4  1.62  0.50  3.00  1.11  3.00   25.33    4.00"""


def test_the_same_as_data(by_hand: Report) -> None:
    rows = by_hand.rows()
    assert [row["kind"] for row in rows] == ["terminal"] * 3 + ["transaction"] * 2 + ["load"]
    assert list(rows[0]) == [
        "kind", "who", "driver", "count", "mean", "minimum", "maximum", "deviation", "p95", "thinks", "think",
        "throughput",
    ]  # fmt: skip
    assert (rows[4]["who"], rows[4]["mean"], rows[4]["p95"]) == ("LIST", 2.5, 3.0)


# In runs ------------------------------------------------------------------------------------------

SHORT: dict[str, Any] = {"terminals": 11, "clerks": 8, "minutes": 4.0, "warm_up": 1.0, "seed": 3}


@pytest.fixture(scope="module")
def result() -> MonitoredResult:
    result = run(report=True, **SHORT)
    assert isinstance(result, MonitoredResult)
    return result


def test_counts_add_up_to_the_runs_and_means_weighted_by_them_to_its_mean(result: MonitoredResult) -> None:
    report, whole = result.report, result.response()
    assert report is not None
    assert report.load.responses.count == whole["responses"] > 100
    assert report.load.responses.mean == pytest.approx(whole["response_mean"], rel=1e-9)
    assert report.load.p95 == whole["response_p95"]
    assert report.load.throughput == pytest.approx(whole["throughput"], rel=1e-9)
    for lines in (report.terminals, report.transactions):
        some = [line for line in lines if line.responses.count]
        assert sum(line.responses.count for line in lines) == whole["responses"]
        assert sum(line.thinks for line in lines) == report.load.thinks
        weighted = fsum(line.responses.count * line.responses.mean for line in some) / whole["responses"]
        assert weighted == pytest.approx(whole["response_mean"], rel=1e-9)
        thinks = fsum(line.thinks * line.think for line in some if line.thinks) / report.load.thinks
        assert thinks == pytest.approx(report.load.think, rel=1e-9)
        assert fsum(line.throughput for line in lines) == pytest.approx(whole["throughput"], rel=1e-9)


def test_thinking_and_responses_fill_the_window(result: MonitoredResult) -> None:
    """N = X (R + Z), but for the lines' printing, log-ons, and what the edges of the window cut."""
    load = result.report.load  # type: ignore[union-attr]
    assert load.throughput * (load.responses.mean + load.think) == pytest.approx(11, rel=0.2)


def test_a_report_changes_nothing_else(result: MonitoredResult) -> None:
    plain = run(**SHORT)
    assert not isinstance(plain, MonitoredResult)
    assert (plain.transactions, plain.counters, plain.events) == (result.transactions, result.counters, result.events)
    assert plain.summary() == pytest.approx(result.summary(), nan_ok=True)
    without_rows = run(report=True, keep_rows=False, **SHORT)
    assert isinstance(without_rows, MonitoredResult)
    assert without_rows.report_rows()[-1] == result.report_rows()[-1]


def test_of_a_result_that_lost_its_report_there_is_nothing(result: MonitoredResult) -> None:
    lost = replace(result, report=None)
    assert (lost.report_text(), lost.report_rows()) == ("", [])


ARGUMENTS = ["run", "hp3000", "--terminals=3", "--minutes=1", "--warm-up=0.5"]


def test_the_command_prints_it_below_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ARGUMENTS) == 0
    page = capsys.readouterr().out
    assert main([*ARGUMENTS, "--report"]) == 0
    both = capsys.readouterr().out
    assert both.startswith(page)
    lines = both.removeprefix(page).splitlines()
    assert lines[1].startswith("TEPE MONITOR")
    assert [line.split()[:3] for line in lines[4:7]] == [["CLERKS", str(n), f"1:{n}"] for n in (1, 2, 3)]
    assert max(map(len, lines)) <= 80


def test_with_json_it_is_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--json"]) == 0
    assert "report" not in json.loads(capsys.readouterr().out)
    assert main([*ARGUMENTS, "--json", "--report"]) == 0
    content = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    rows = content["report"]
    assert [row["who"] for row in rows[:3]] == ["CLERKS 1", "CLERKS 2", "CLERKS 3"]
    assert sum(row["count"] for row in rows[:3]) == rows[-1]["count"] == content["summary"]["responses"]
    assert rows[-1]["p95"] == content["summary"]["response_p95"]


def test_many_runs_have_no_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "--report", "--precision=0.1"]) == 2
    said = "--precision and --report exclude each other; one makes many runs, the other shows one"
    assert said in capsys.readouterr().err
