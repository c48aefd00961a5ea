"""What one run gave: rates, breakdown, percentiles, one flat row."""

from dataclasses import replace
from math import isnan

import pytest

from sim.account import PARTS, Phase
from sim.measure.quantiles import ERROR
from sim.measure.recorder import Recorder
from sim.measure.result import Result, difference
from sim.terminal import Transaction


def result(*responses: float, keep: bool = True) -> Result:
    recorder = Recorder(keep=keep)
    for number, seconds in enumerate(responses):
        parts = [0.0] * PARTS
        parts[Phase.CPU], parts[Phase.SEEK] = seconds / 4, seconds * 3 / 4
        recorder.record(Transaction("t", "n", number, number + seconds, number + seconds, tuple(parts)), 2)
    return Result("test", {"a": 1}, 7, 100.0, 120.0, {"drive.completed": 50.0}, recorder, events=12, extras={"x": 3.0})


def test_difference_of_readings() -> None:
    assert difference({"a": 5.0, "new": 2.0}, {"a": 3.0, "old": 9.0}) == {"a": 2.0, "new": 2.0}


def test_responses() -> None:
    said = result(1.0, 4.0, 2.0, 1.0).response()
    assert said == pytest.approx({
        "responses": 4, "response_mean": 2.0, "response_sd": 2**0.5, "response_min": 1.0, "response_median": 1.0,
        "response_p95": 4.0, "response_max": 4.0, "throughput": 0.2,
    })


def test_without_rows_percentiles_are_counted() -> None:
    said = result(1.0, 4.1, 3.3, keep=False).response()
    assert (said["response_mean"], said["response_max"]) == (pytest.approx(2.8), 4.1)
    assert said["response_median"] == pytest.approx(3.3, rel=ERROR)
    assert said["response_median"] != 3.3
    assert said["response_p95"] == pytest.approx(4.1, rel=ERROR)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 3.3, 1e-13])
def test_a_counted_percentile_lies_between_the_extremes(seconds: float) -> None:
    said = result(seconds, keep=False).response()
    assert said["response_min"] == said["response_median"] == said["response_p95"] == said["response_max"]


def test_of_nothing_nothing_is_known() -> None:
    for empty in (result(), result(keep=False)):
        said = empty.response()
        assert (said["responses"], said["throughput"]) == (0, 0)
        assert all(isnan(value) for name, value in said.items() if name not in ("responses", "throughput"))
        assert all(isnan(value) for value in empty.breakdown().values())
    assert isnan(result(1.0).response()["response_sd"])


def test_one_flat_row() -> None:
    one = result(1.0, 3.0)
    assert one.breakdown()["cpu"] == 0.5
    assert sum(one.breakdown().values()) == pytest.approx(2.0)
    summary = one.summary()
    assert (summary["part_seek"], summary["x"], summary["events"], summary["responses"]) == (1.5, 3.0, 12.0, 2.0)
    assert (one.seconds, one.rate("drive.completed"), len(one.transactions)) == (20.0, 2.5, 2)


def test_demands_by_the_laws() -> None:
    """Two responses in a window in which the CPU was busy for 3 s, a drive for 1, and users were away for 30."""
    one = result(1.0, 3.0)
    assert one.demands() == {}  # nobody sits at a terminal
    busy = {"cpu.busy": 3.0, "cpu.busy_cache": 2.0, "drive1.busy": 1.0, "drive2.busy": 0.0}
    counters = {**busy, "desk.away_seconds": 30.0}
    seated = replace(one, counters=counters)
    assert seated.demands() == {"demand_cpu": 1.5, "demand_drive1": 0.5, "demand_drive2": 0.0, "think": 15.0}
    assert seated.summary()["demand_drive1"] == 0.5
    assert all(isnan(value) for value in replace(result(), counters=counters).demands().values())
