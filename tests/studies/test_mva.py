"""Mean value analysis by hand and in closed form, and the least response below it."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.studies.theory import check_network, least_response, mva

SECONDS = st.floats(0.001, 10.0)


def test_two_stations_by_hand() -> None:
    """No delay, demands of 1 and 2: states of n users weigh 1, 2 ... 2^n, and both stations but rest in one of them.

    One user: 3 s. Two: the second is busy in 6 of 7, throughput 3/7. Three: in 14 of 15, throughput 7/15.
    """
    for users, throughput in ((1, 1 / 3), (2, 3 / 7), (3, 7 / 15)):
        solved = mva(users, 0.0, [1.0, 2.0])
        assert solved.throughput == pytest.approx(throughput)
        assert solved.response == pytest.approx(users / throughput)
    assert solved.queues == pytest.approx((11 / 15, 34 / 15))


def test_one_user_meets_nobody() -> None:
    alone = mva(1, 3.0, [1.0, 2.0], delay=0.5)
    assert (alone.throughput, alone.response) == pytest.approx((1 / 6.5, 3.5))
    assert alone.residences == (1.0, 2.0)


def test_delays_keep_nobody_from_another() -> None:
    assert mva(7, 4.0, [], delay=1.0).throughput == pytest.approx(7 / 5)
    inside, outside = mva(7, 1.0, [1.0, 2.0], delay=2.0), mva(7, 3.0, [1.0, 2.0])
    assert inside.throughput == outside.throughput
    assert inside.response == pytest.approx(outside.response + 2.0)


@given(users=st.integers(1, 50), stations=st.integers(1, 8), demand=SECONDS)
def test_a_balanced_network(users: int, stations: int, demand: float) -> None:
    """K equal stations without a delay: each transaction meets N + K - 1 services."""
    assert mva(users, 0.0, [demand] * stations).response == pytest.approx(demand * (users + stations - 1))


@given(users=st.integers(1, 40), think=st.floats(0.0, 50.0), demands=st.lists(SECONDS, min_size=1, max_size=4))
def test_everybody_is_somewhere(users: int, think: float, demands: list[float]) -> None:
    solved = mva(users, think, demands)
    assert sum(solved.queues) + solved.throughput * think == pytest.approx(users)
    assert all(solved.throughput * demand <= 1 + 1e-9 for demand in demands)


def test_the_least_response_by_hand() -> None:
    """Demands of 1 and 3 s, 8 s of thinking: alone 4 s; the second station serves no more than one in 3 s."""
    assert [least_response(users, 8.0, 4.0, 3.0) for users in (2, 4, 10)] == [4.0, 4.0, 22.0]
    assert least_response(5, 2.0, 0.0, 0.0) == 0.0


@given(users=st.integers(1, 60), think=st.floats(0.0, 100.0), demands=st.lists(SECONDS, min_size=1, max_size=4))
def test_mean_value_analysis_is_never_below(users: int, think: float, demands: list[float]) -> None:
    least = least_response(users, think, sum(demands), max(demands))
    assert least * (1 - 1e-9) <= mva(users, think, demands).response


@pytest.mark.parametrize(
    ("users", "think", "demands", "why"),
    [(0, 1.0, [1.0], "at least 1"), (1, -1.0, [1.0], "negative"), (1, 1.0, [float("nan")], "finite"),
     (1, inf, [1.0], "finite"), (1, 0.0, [0.0], "endless throughput")],
)  # fmt: skip
def test_networks_that_cannot_be(users: int, think: float, demands: list[float], why: str) -> None:
    for solve in (check_network, mva):
        with pytest.raises(UserError, match=why):
            solve(users, think, demands)
