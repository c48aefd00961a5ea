"""Tests seek curves against numbers worked out by hand, and against the average over all pairs of cylinders."""

from dataclasses import dataclass

import pytest

from spindle.sim.disc.seek import LinearSeek, PowerSeek, TableSeek, TwoPartSeek, seek_table, shortest_moves
from spindle.sim.error import UserError


def average(curve: PowerSeek, cylinders: int) -> float:
    """Over all ordered pairs of different cylinders: 2 (n - d) of them are d apart."""
    pairs = sum(2 * (cylinders - d) * curve(d) for d in range(1, cylinders))
    return pairs / (cylinders * (cylinders - 1))


def test_power_curve_goes_through_the_three_times() -> None:
    curve = PowerSeek.fit(5.0, 24.0, 35.0, cylinders=1321)
    assert curve(0) == 0.0
    assert curve(1320) == 35.0
    assert average(curve, 1321) == pytest.approx(24.0, abs=0.02)


@pytest.mark.parametrize(("times", "exponent"), [((5, 24, 35), 0.35), ((5, 25, 45), 0.56), ((6, 30, 55), 0.58)])
def test_exponents_are_those_of_the_data_sheets(times: tuple[float, float, float], exponent: float) -> None:
    assert PowerSeek.fit(*times, cylinders=823).exponent == pytest.approx(exponent, abs=0.005)


def test_a_third_of_the_way_is_a_straight_line() -> None:
    power = PowerSeek.fit(14, 28, 56, cylinders=824)
    assert [power(d) for d in (1, 412, 823)] == pytest.approx([14, 35, 56], rel=1e-12)
    assert LinearSeek(14, 56, cylinders=823)(411) == 35.0


def test_table_is_interpolated_and_never_smoothed() -> None:
    curve = TableSeek(((0, 0.0), (1, 2.0), (2, 5.0), (4, 4.0), (8, 6.0)))
    assert [curve(d) for d in (0, 1, 2, 3, 4, 6, 8, 10)] == [0.0, 2.0, 5.0, 4.5, 4.0, 5.0, 6.0, 7.0]


def test_the_least_of_a_move_as_far_or_farther() -> None:
    curve = TableSeek(((0, 0.0), (1, 2.0), (2, 5.0), (4, 4.0), (8, 6.0)))
    assert shortest_moves(curve, 9, 0.0) == [0.0, 2.0, 4.0, 4.0, 4.0, 4.5, 5.0, 5.5, 6.0]
    assert shortest_moves(curve, 9, -1.0) == [0.0, 1.0, 3.0, 3.0, 3.0, 3.5, 4.0, 4.5, 5.0]
    assert shortest_moves(curve, 3, 0.0) == [0.0, 2.0, 5.0]  # what is farther is not on the disc


def test_a_table_that_falls_at_its_end_never_falls_below_nothing() -> None:
    curve = TableSeek(((0, 0.0), (2, 4.0), (4, 1.0)))
    assert [curve(d) for d in (1, 2, 3, 4, 5, 6)] == [2.0, 4.0, 2.5, 1.0, 0.0, 0.0]


def test_a_seek_may_take_no_time_or_less_than_a_second() -> None:
    table = TableSeek(((0, 0.0), (2, 0.0), (4, 0.5)))
    assert [table(d) for d in (1, 2, 3, 4)] == [0.0, 0.0, 0.25, 0.5]
    parts = TwoPartSeek((), 4, (-1.25, 0.75), (0.25, 0.0))
    assert [parts(d) for d in (1, 2.7778, 4)] == pytest.approx([0.0, 0.0, 0.25], abs=1e-4)
    assert [TwoPartSeek((), 1, (0.0, 0.0), line)(1) for line in ((-0.5, 0.25), (-0.5, 0.75))] == [0.0, 0.25]


def test_two_parts_follow_the_first_distances_that_are_listed() -> None:
    curve = TwoPartSeek((9.0, 7.0), 16, (3.0, 2.0), (5.0, 0.5))
    assert [curve(d) for d in (0, 1, 2, 4, 9, 15.9999, 16, 20)] == pytest.approx(
        [0.0, 9.0, 7.0, 7.0, 9.0, 11.0, 13.0, 15.0], abs=1e-4)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: TwoPartSeek((-1.0,), 3, (1, 1), (1, 1)), "-1.0 s at distance 1 must be finite and not negative"),
        (lambda: TwoPartSeek((), 0, (1, 1), (1, 1)), "bend 0 must be at least 1"),
        (lambda: TwoPartSeek((), 3, (float("nan"), 1), (1, 1)), r"root \(nan, 1\) s must be finite"),
        (lambda: TwoPartSeek((), 3, (1, 1), (1, -1)), r"line \(1, -1\) s must be finite, and grow"),
        (lambda: PowerSeek.fit(5, 50, 45, 100), "average 50 s must lie between minimum 5 s and maximum 45 s"),
        (lambda: PowerSeek.fit(5, 5, 45, 100), "average 5 s must lie between minimum 5 s and maximum 45 s"),
        (lambda: PowerSeek.fit(5, 15, float("inf"), 100), "maximum inf s, and both be finite"),
        (lambda: PowerSeek(5, 4, 0.5, 100), "minimum 5 s must lie between 0 and maximum 4 s"),
        (lambda: LinearSeek(5, 4, 100), "minimum 5 s must lie between 0 and maximum 4 s"),
        (lambda: LinearSeek(1, 4, 0), "cylinders 0 must be at least 1"),
        (lambda: PowerSeek(1, 4, 0.0, 10), "exponent 0.0 must be positive"),
        (lambda: PowerSeek(1, 4, float("inf"), 10), "exponent inf must be positive and finite"),
        (lambda: TwoPartSeek((float("inf"),), 3, (1, 1), (1, 1)), "inf s at distance 1 must be finite"),
        (lambda: TableSeek(((0, 0.0), (2, float("inf")))), "inf s at distance 2 must be finite"),
        (lambda: TableSeek(((1, 2.0), (2, 3.0))), r"points must begin with \(0, 0\)"),
        (lambda: TableSeek(((0, 0.0), (2, 2.0), (2, 3.0))), "distance 2 must be more than 2 before it"),
        (lambda: TableSeek(((0, 0.0), (2, float("nan")))), "nan s at distance 2 must be finite"),
    ],
)
def test_impossible_curve_is_a_mistake(build: object, says: str) -> None:
    with pytest.raises(UserError, match=says):
        build()


def test_drives_of_a_type_share_their_tables_and_a_curve_of_ones_own_needs_no_hash() -> None:
    @dataclass
    class Own:
        step: float

        def __call__(self, distance: int) -> float:
            return self.step * distance

    curve = LinearSeek(1.0, 3.0, 3)
    assert seek_table(curve, 3, 0.0) is seek_table(LinearSeek(1.0, 3.0, 3), 3, 0.0)
    assert seek_table(curve, 3, -2.5) == [0.0, 0.0, 0.5]
    assert seek_table(Own(2.0), 3, 0.5) == [0.0, 2.5, 4.5]
    assert seek_table(Own(-2.0), 3, 0.0) == [0.0, 0.0, 0.0]
    assert shortest_moves(curve, 3, 0.0) is shortest_moves(LinearSeek(1.0, 3.0, 3), 3, 0.0)
    assert shortest_moves(Own(2.0), 3, 0.5) == [0.0, 2.5, 4.5]
