"""Tests the TEPE monitor of response times: by hand, as it is printed, and against the run's own numbers."""

from math import isnan
from typing import Any

import pytest

from spindle.models.hp3000.instruments.monitor import Period, Report, TepeMonitor, responses
from spindle.models.hp3000.run import run
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result

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


def test_each_driver_has_fifty_terminals() -> None:
    names = [f"CLERKS {number + 1}" for number in range(101)]
    placed = [line.driver for line in Report(names, [], Period("steady state", 60.0, 120.0)).terminals]
    assert (placed[0], placed[49], placed[50], placed[99], placed[100]) == ("1:1", "1:50", "2:1", "2:50", "3:1")


# In a run -----------------------------------------------------------------------------------------

SHORT: dict[str, Any] = {"minutes": 3.0, "warm_up": 1.0, "seed": 3}


@pytest.fixture(scope="module")
def watched() -> tuple[TepeMonitor, Result]:
    monitor = TepeMonitor()
    return monitor, run(8, 3, watch=monitor, **SHORT)


def test_its_steady_state_is_what_the_run_measured(watched: tuple[TepeMonitor, Result]) -> None:
    monitor, result = watched
    steady, expected = monitor.report().load.responses, result.response()
    assert monitor.report().period == Period("steady state", 60.0, 240.0)
    assert steady.count == expected["responses"]
    assert steady.mean == pytest.approx(expected["response_mean"], rel=1e-12)
    assert steady.deviation == pytest.approx(expected["response_sd"], rel=1e-9)
    assert (steady.minimum, steady.maximum) == (expected["response_min"], expected["response_max"])


def test_terminals_and_transactions_add_up_to_the_load(watched: tuple[TepeMonitor, Result]) -> None:
    report = watched[0].report()
    for lines in (report.terminals, report.transactions):
        assert sum(line.responses.count for line in lines) == report.load.responses.count
    assert len(report.terminals) == 8


def test_it_changes_nothing(watched: tuple[TepeMonitor, Result]) -> None:
    _, result = watched
    plain = run(8, 3, **SHORT)
    assert plain.transactions == result.transactions
    assert plain.events == result.events


def test_it_is_for_one_run(watched: tuple[TepeMonitor, Result]) -> None:
    with pytest.raises(UserError, match="a TEPE monitor is for one run with terminals"):
        run(8, 3, watch=watched[0], **SHORT)
