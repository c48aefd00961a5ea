"""Mean value analysis by hand, in closed form, and approximated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.theory.mva import Customers, mva, schweitzer

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


@given(users=st.integers(1, 40), think=st.floats(0.0, 50.0), demands=st.lists(SECONDS, min_size=1, max_size=4))
def test_the_approximation_is_near_where_there_is_one_class(users: int, think: float, demands: list[float]) -> None:
    exact, (near,) = mva(users, think, demands), schweitzer([Customers(users, think, tuple(demands))])
    assert near.throughput == pytest.approx(exact.throughput, rel=0.08)
    if users == 1:
        assert near.throughput == pytest.approx(exact.throughput)


def test_classes_that_are_alike_are_one_class_and_those_apart_do_not_meet() -> None:
    demands = (0.5, 1.0)
    (whole,) = schweitzer([Customers(6, 2.0, demands)])
    one, other = schweitzer([Customers(2, 2.0, demands), Customers(4, 2.0, demands)])
    assert one.throughput + other.throughput == pytest.approx(whole.throughput, rel=0.05)
    apart = schweitzer([Customers(3, 1.0, (1.0, 0.0)), Customers(5, 2.0, (0.0, 1.0))])
    alone = schweitzer([Customers(3, 1.0, (1.0,))])[0], schweitzer([Customers(5, 2.0, (1.0,))])[0]
    assert [each.throughput for each in apart] == pytest.approx([each.throughput for each in alone])


def test_two_classes_of_one_user_each_by_hand() -> None:
    """One station, services of 1 s for both, no thinking: each waits for the other's, so that both take 2 s."""
    assert [each.response for each in schweitzer([Customers(1, 0.0, (1.0,))] * 2)] == pytest.approx([2.0, 2.0])
