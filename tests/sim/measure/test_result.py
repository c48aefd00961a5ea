"""What one run gave: rates, breakdown, percentiles, one flat row."""

from fractions import Fraction
from math import ceil, isnan

import pytest

from sim.account import PARTS, Part
from sim.measure.recorder import Recorder
from sim.measure.result import Result, difference, percentile
from sim.terminal import Transaction


def result(*responses: float, keep: bool = True) -> Result:
    recorder = Recorder(keep=keep)
    for number, seconds in enumerate(responses):
        parts = [0.0] * PARTS
        parts[Part.CPU], parts[Part.SEEK] = seconds / 4, seconds * 3 / 4
        recorder.record(Transaction("t", "n", number, number + seconds, number + seconds, tuple(parts)), 2)
    return Result("test", {"a": 1}, 7, 100.0, 120.0, {"drive.completed": 50.0}, recorder, events=12, extras={"x": 3.0})


def test_difference_of_readings() -> None:
    assert difference({"a": 5.0, "new": 2.0}, {"a": 3.0, "old": 9.0}) == {"a": 2.0, "new": 2.0}


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (0.95, 4), (1.0, 4)]
)
def test_percentile_by_hand(share: float, value: float) -> None:
    assert percentile([1, 2, 3, 4], share) == value


def test_percentile_is_the_smallest_that_enough_do_not_exceed() -> None:
    for count in range(1, 400):
        values = list(range(1, count + 1))
        for share in (Fraction(1, 2), Fraction(95, 100)):
            assert percentile(values, float(share)) == ceil(share * count)
    assert isnan(percentile([], 0.5))


def test_responses() -> None:
    said = result(1.0, 4.0, 2.0, 1.0).response()
    assert said == pytest.approx({
        "responses": 4, "response_mean": 2.0, "response_sd": 2**0.5, "response_min": 1.0, "response_median": 1.0,
        "response_p95": 4.0, "response_max": 4.0, "throughput": 0.2,
    })


def test_without_rows_there_are_no_percentiles() -> None:
    said = result(1.0, 4.0, keep=False).response()
    assert (said["response_mean"], said["response_max"]) == (2.5, 4.0)
    assert isnan(said["response_median"])
    assert isnan(said["response_p95"])


def test_of_nothing_nothing_is_known() -> None:
    empty = result()
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
