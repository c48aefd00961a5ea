"""Intervals against numbers from a table of Student's t and from arithmetic by hand."""

from math import inf, isnan, nan

import pytest

from spindle.sim.error import UserError
from spindle.studies.confidence import Interval, confidence, paired_interval


def test_five_samples_by_hand() -> None:
    # Mean 3, variance 10 / 4 = 2.5, standard error sqrt(2.5 / 5) = 0.707107; t for 4 degrees is 2.776445.
    interval = confidence([1.0, 2.0, 3.0, 4.0, 5.0])
    assert interval.mean == 3.0
    assert interval.high - interval.mean == pytest.approx(2.776445 * 0.7071068, rel=1e-6)
    assert interval.mean - interval.low == pytest.approx(1.963243, rel=1e-6)
    assert interval.count == 5


@pytest.mark.parametrize(("level", "t"), [(0.90, 6.313752), (0.95, 12.706205), (0.99, 63.656741)])
def test_two_samples_take_t_of_one_degree(level: float, t: float) -> None:
    # Samples 0 and 2: standard deviation sqrt(2), standard error 1.
    interval = confidence([0.0, 2.0], level)
    assert (interval.low, interval.high) == (pytest.approx(1 - t), pytest.approx(1 + t))


def test_equal_samples_leave_no_width() -> None:
    assert confidence([0.1, 0.1, 0.1]) == Interval(0.1, 0.1, 0.1, 3)
    assert confidence([0.1, 0.1]) == Interval(0.1, 0.1, 0.1, 2)


def test_one_sample_knows_its_mean_only() -> None:
    interval = confidence([7.0])
    assert (interval.mean, interval.count) == (7.0, 1)
    assert isnan(interval.low)
    assert isnan(interval.high)


@pytest.mark.parametrize("sample", [nan, inf, -inf])
def test_what_is_no_number_is_refused(sample: float) -> None:
    with pytest.raises(UserError, match="sample 1 of 2 must be a finite number"):
        confidence([1.0, sample])


def test_no_samples_and_impossible_levels_are_refused() -> None:
    with pytest.raises(UserError, match="at least one sample"):
        confidence([])
    for level in (95, 1.5, 1, 0, -0.5):
        with pytest.raises(UserError, match=f"between 0 and 1, not at {level}$"):
            confidence([1.0, 2.0], level)


def test_pairs_cancel_what_both_saw() -> None:
    # The differences are 1, 1, 1, 2: mean 1.25, standard error sqrt(0.25 / 4) = 0.25; t for 3 degrees is 3.182446.
    interval = paired_interval([11.0, 21.0, 31.0, 42.0], [10.0, 20.0, 30.0, 40.0])
    assert interval.mean == 1.25
    assert interval.high == pytest.approx(1.25 + 3.182446 * 0.25, rel=1e-6)
    with pytest.raises(UserError, match="needs equal sample counts: 2 and 1"):
        paired_interval([1.0, 2.0], [1.0])
