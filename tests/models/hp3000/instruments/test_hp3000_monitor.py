"""The TEPE monitor: responses by hand, the page as it is printed, and the same numbers as the run's own."""

from math import isnan
from typing import Any

import pytest

from spindle.models.hp3000.instruments.monitor import Period, Report, TepeMonitor, responses
from spindle.models.hp3000.load import default_load
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.clock import PARTS
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.sim.terminal import Transaction
from spindle.sim.units import MINUTE


def answered(terminal: str, began: float, responded: float) -> Transaction:
    return Transaction(terminal, "FIND", began, responded, responded + 1.0, (0.0,) * PARTS)


TERMINALS = ["CLERKS 1", "CLERKS 2", "BASIC 1"]
ROWS = [
    answered("CLERKS 1", 50.0, 50.5),
    answered("CLERKS 1", 59.0, 60.0),  # the first instant of the steady state
    answered("CLERKS 2", 70.0, 72.0),
    answered("CLERKS 1", 118.0, 120.0),  # the last one
    answered("CLERKS 2", 119.996, 120.001),
]
PERIODS = (Period("whole test", 0.0, 150.0), Period("steady state", 60.0, 120.0))


# By hand ------------------------------------------------------------------------------------------


def test_mean_extremes_and_deviation() -> None:
    found = responses([1.0, 2.0, 6.0])
    assert (found.count, found.mean, found.minimum, found.maximum) == (3, 3.0, 1.0, 6.0)
    assert found.deviation == pytest.approx(7**0.5)  # (4 + 1 + 9) / 2


def test_of_one_response_there_is_no_deviation_and_of_none_nothing() -> None:
    assert isnan(responses([2.0]).deviation)
    none = responses([])
    assert none.count == 0
    assert all(map(isnan, (none.mean, none.minimum, none.maximum, none.deviation)))


def test_each_period_has_what_was_answered_in_it() -> None:
    report = Report(TERMINALS, ROWS, PERIODS)
    assert [[each.count for each in line.periods] for line in report.terminals] == [[3, 2], [2, 1], [0, 0]]
    assert [(line.who, [each.count for each in line.periods]) for line in report.scripts] == [
        ("CLERKS", [5, 3]), ("BASIC", [0, 0]),
    ]  # fmt: skip
    whole, steady = report.load.periods
    assert whole.mean == pytest.approx((0.5 + 1.0 + 2.0 + 2.0 + 0.005) / 5)
    assert steady.mean == pytest.approx(5 / 3)
    assert (steady.minimum, steady.maximum) == (1.0, 2.0)


def test_the_page_has_hundredths_of_a_second_and_80_columns() -> None:
    assert Report(TERMINALS, ROWS, PERIODS).text() == """\
TEPE MONITOR                  whole test 0-2.5 min          steady state 1-2 min
TERMINAL      DRIVER COUNT  MEAN   MIN   MAX  S.D. COUNT  MEAN   MIN   MAX  S.D.
--------------------------------------------------------------------------------
CLERKS 1         1:1     3  1.17  0.50  2.00  0.76     2  1.50  1.00  2.00  0.71
CLERKS 2         1:2     2  1.00  0.01  2.00  1.41     1  2.00  2.00  2.00     -
BASIC 1          1:3     0     -     -     -     -     0     -     -     -     -
--------------------------------------------------------------------------------
CLERKS                   5  1.10  0.01  2.00  0.89     3  1.67  1.00  2.00  0.58
BASIC                    0     -     -     -     -     0     -     -     -     -
--------------------------------------------------------------------------------
WHOLE LOAD               5  1.10  0.01  2.00  0.89     3  1.67  1.00  2.00  0.58"""


def test_a_frame_has_a_row_for_each_of_them_and_period_unrounded() -> None:
    frame = Report(TERMINALS, ROWS, PERIODS).frame()
    assert frame["kind"].tolist() == ["terminal"] * 6 + ["script"] * 4 + ["load"] * 2
    first = frame[(frame.who == "CLERKS 2") & (frame.name == "whole test")].iloc[0]
    assert (first.driver, first["count"], first.begin, first.end) == ("1:2", 2, 0.0, 150.0)
    assert first.minimum == pytest.approx(0.005)


def test_each_driver_has_fifty_terminals() -> None:
    names = [f"CLERKS {number + 1}" for number in range(101)]
    placed = [line.driver for line in Report(names, [], PERIODS).terminals]
    assert (placed[0], placed[49], placed[50], placed[99], placed[100]) == ("1:1", "1:50", "2:1", "2:50", "3:1")


# In a run -----------------------------------------------------------------------------------------

SHORT: dict[str, Any] = {"minutes": 3.0, "warm_up": 1.0, "seed": 3}


@pytest.fixture(scope="module")
def watched() -> tuple[TepeMonitor, Result]:
    monitor = TepeMonitor()
    return monitor, run(8, 3, watch=monitor, **SHORT)


def test_its_steady_state_is_what_the_run_measured(watched: tuple[TepeMonitor, Result]) -> None:
    monitor, result = watched
    whole, steady = monitor.report().load.periods
    expected = result.response()
    assert steady.count == expected["responses"]
    assert steady.mean == pytest.approx(expected["response_mean"], rel=1e-12)
    assert steady.deviation == pytest.approx(expected["response_sd"], rel=1e-9)
    assert (steady.minimum, steady.maximum) == (expected["response_min"], expected["response_max"])
    assert whole.count > steady.count


def test_terminals_and_scripts_add_up_to_the_load(watched: tuple[TepeMonitor, Result]) -> None:
    report = watched[0].report()
    for lines in (report.terminals, report.scripts):
        for number, load in enumerate(report.load.periods):
            assert sum(line.periods[number].count for line in lines) == load.count
    assert [line.who for line in report.scripts] == [script.name for script in default_load(11, 8, MpeParameters())]


def test_another_window_may_be_asked_for(watched: tuple[TepeMonitor, Result]) -> None:
    report = watched[0].report(Period("second minute", 1 * MINUTE, 2 * MINUTE))
    kept = [row for row in watched[1].transactions if row.responded <= 2 * MINUTE]
    assert 0 < report.load.periods[1].count == len(kept)


def test_it_changes_nothing(watched: tuple[TepeMonitor, Result]) -> None:
    _, result = watched
    plain = run(8, 3, **SHORT)
    assert plain.transactions == result.transactions
    assert plain.events == result.events


def test_it_is_for_one_run(watched: tuple[TepeMonitor, Result]) -> None:
    with pytest.raises(UserError, match="a TEPE monitor is for one run with terminals"):
        run(8, 3, watch=watched[0], **SHORT)
