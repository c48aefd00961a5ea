"""Tests windows: minutes become seconds, and impossible windows are refused."""

from math import inf, nan

import pytest

from spindle.sim.error import UserError
from spindle.sim.measure.load import MAX_MINUTES, MAX_READINGS, Mark, Window


def test_minutes_to_seconds() -> None:
    assert Window.minutes(20.0, 5.0) == Window(300.0, 1500.0)
    assert Window.minutes(1, 0, 10.0) == Window(0.0, 60.0, 10.0)


@pytest.mark.parametrize(
    ("minutes", "warm_up", "name"),
    [
        (0.0, 0.0, "minutes"), (-1.0, 0.0, "minutes"), (nan, 0.0, "minutes"), (inf, 0.0, "minutes"),
        (2 * MAX_MINUTES, 0.0, "minutes"), (1.0, -1.0, "warm_up"), (1.0, nan, "warm_up"), (1.0, inf, "warm_up"),
    ],
)
def test_no_such_window(minutes: float, warm_up: float, name: str) -> None:
    with pytest.raises(UserError, match=f"{name} must be"):
        Window.minutes(minutes, warm_up)


def test_the_longest_times_and_the_most_readings_are_allowed() -> None:
    assert Window.minutes(MAX_MINUTES, MAX_MINUTES) == Window(60.0 * MAX_MINUTES, 120.0 * MAX_MINUTES)
    assert Window(1e6, 1e6 + MAX_READINGS, 1.0).interval == 1.0
    with pytest.raises(UserError, match="at most a million readings"):
        Window(0.0, MAX_READINGS + 1.0, 1.0)


def test_minutes_that_the_clock_cannot_tell_apart_are_none() -> None:
    with pytest.raises(UserError, match=r"nothing can be observed from 300\.0 to 300\.0 s"):
        Window.minutes(1e-308, 5.0)


@pytest.mark.parametrize("start", [-1.0, nan, inf])
def test_a_window_begins_with_the_machine_or_later(start: float) -> None:
    with pytest.raises(UserError, match="a window begins at 0 s or later"):
        Window(start)


def test_marks_in_their_order() -> None:
    assert list(Window(2.0, 6.0, 3.0).marks()) == [
        (2.0, Mark.START), (5.0, Mark.INTERVAL), (6.0, Mark.INTERVAL), (6.0, Mark.END), (6.0, Mark.OVER),
    ]
    assert list(Window(2.0, 4.0, 2.0, tail=1.0, throughout=True).marks()) == [
        (2.0, Mark.START), (2.0, Mark.INTERVAL), (4.0, Mark.INTERVAL), (4.0, Mark.END), (5.0, Mark.INTERVAL),
        (5.0, Mark.OVER),
    ]


def test_a_window_without_end_has_intervals_without_end() -> None:
    marks = Window(1.0, interval=2.0).marks()
    assert [next(marks) for _ in range(3)] == [(1.0, Mark.START), (3.0, Mark.INTERVAL), (5.0, Mark.INTERVAL)]
    assert not Window(1.0).has_end
