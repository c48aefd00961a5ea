"""Asymptotic bounds by hand, and around mean value analysis whatever the network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.error import UserError
from sim.theory.bounds import asymptotic
from sim.theory.mva import mva

SECONDS = st.floats(0.001, 100.0)


def test_bounds_by_hand() -> None:
    """Demands of 1 and 3 s, 8 s of thinking: alone 4 s; the second station serves no more than one in 3 s."""
    few, many = asymptotic(2, 8.0, [1.0, 3.0]), asymptotic(10, 8.0, [1.0, 3.0])
    assert few.response == (4.0, 8.0)
    assert few.throughput == pytest.approx((2 / 16, 2 / 12))
    assert many.response == (22.0, 40.0)
    assert many.throughput == pytest.approx((10 / 48, 1 / 3))
    assert asymptotic(5, 2.0, []).throughput == (2.5, 2.5)


@given(users=st.integers(1, 60), think=st.floats(0.0, 100.0), demands=st.lists(SECONDS, min_size=1, max_size=5))
def test_bounds_hold_mean_value_analysis(users: int, think: float, demands: list[float]) -> None:
    solved, bounds = mva(users, think, demands), asymptotic(users, think, demands)
    for value, (low, high) in ((solved.response, bounds.response), (solved.throughput, bounds.throughput)):
        assert low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


@pytest.mark.parametrize(
    ("users", "think", "demands", "why"),
    [(0, 1.0, [1.0], "at least 1"), (1, -1.0, [1.0], "negative"), (1, 1.0, [float("nan")], "finite"),
     (1, 0.0, [0.0], "endless throughput")],
)  # fmt: skip
def test_networks_that_cannot_be(users: int, think: float, demands: list[float], why: str) -> None:
    for solve in (asymptotic, mva):
        with pytest.raises(UserError, match=why):
            solve(users, think, demands)
