"""The demerit figure, by hand and by what must not change it."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.studies.demerit import demerit, distance

TIMES = st.lists(st.floats(0.0, 1e3), min_size=1, max_size=30)


def test_a_demerit_by_hand() -> None:
    """Sorted, 1 2 6 against 1 4 5: distances 0, 2 and 1."""
    measured, modelled = np.array([2.0, 6.0, 1.0]), np.array([5.0, 4.0, 1.0])
    assert demerit(measured, modelled) == pytest.approx(sqrt(5 / 3))
    assert distance(measured, modelled) == pytest.approx((sqrt(5 / 3), sqrt(5 / 3) / 3, 2.0))
    assert (measured.tolist(), modelled.tolist()) == ([2.0, 6.0, 1.0], [5.0, 4.0, 1.0])


def test_the_order_counts_for_the_difference_and_not_for_the_demerit() -> None:
    found = distance(np.array([1.0, 9.0]), np.array([9.0, 1.0]))
    assert found == (0.0, 0.0, 8.0)


@given(TIMES, st.floats(0.0, 1e3))
def test_a_shift_of_all_is_the_demerit(times: list[float], shift: float) -> None:
    measured = np.array(times)
    assert demerit(measured, measured[::-1] + shift) == pytest.approx(shift, abs=1e-9)


@given(st.lists(st.tuples(st.floats(0.0, 1e3), st.floats(0.0, 1e3)), min_size=1, max_size=30))
def test_it_is_symmetric_and_at_most_the_rms_difference_of_requests(pairs: list[tuple[float, float]]) -> None:
    """Of all ways to pair two sets of numbers, sorting both gives the smallest sum of squares."""
    a, b = np.array(pairs).T
    assert demerit(a, b) == demerit(b, a) <= sqrt(np.mean((a - b) ** 2)) + 1e-9


def test_what_has_no_mean_has_no_share() -> None:
    assert isnan(distance(np.zeros(2), np.ones(2)).share)
    assert distance(np.array([0.5]), np.array([0.25])).share == 0.5


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 2.0])])
def test_times_must_be_as_many(a: list[float], b: list[float]) -> None:
    with pytest.raises(UserError, match=rf"as many times on both sides, not {len(a)} and {len(b)}"):
        demerit(np.array(a), np.array(b))
