"""Tests by hand the functions that read numbers from lines of Performance Monitor, as from a chart."""

from math import isnan, nan

import pytest

from spindle.models.windows_nt.log import (
    Log,
    NtLine,
    _adds_up,
    correlation,
    crossing,
    most_frequent,
    quarter,
    smooth,
    teeth,
    turns,
)
from spindle.models.windows_nt.studies.updates import spikes


def test_a_line_is_smoothed_by_its_neighbours() -> None:
    assert smooth([0, 0, 10, 0, 0], 3) == pytest.approx([0, 10 / 3, 10 / 3, 10 / 3, 0])


def test_lines_cross_where_the_rising_one_overtakes_for_good() -> None:
    """From sample 10 to 11 the gap goes from -1 to 1: half way."""
    rising = [float(x) for x in range(22)]
    falling = [21.0 - x for x in range(22)]
    assert crossing(falling, rising, [2.0 * x for x in range(22)]) == pytest.approx(21)
    touched = [0.0, 9, 0, 0, 0, 0, 0, 0, *[9.0] * 8]
    assert 7 < crossing([5.0] * 16, touched, [float(x) for x in range(16)]) < 9


def test_lines_that_never_cross() -> None:
    assert isnan(crossing([1.0] * 9, [0.0] * 9, [0.0] * 9))
    assert isnan(crossing([0.0] * 9, [1.0] * 9, [0.0] * 9))
    assert isnan(crossing([0.0] * 9, [0.0] * 5 + [9.0] * 4, [0.0] * 9)), "it was never below"


def test_teeth_of_a_saw() -> None:
    saw = [6, 5, 4, 3, 5, 4, 3, 5, 4, 3]
    assert turns(saw, 1.5) == [3, 4, 6, 7]
    assert teeth(saw, 1.5) == 2
    assert teeth(saw, 2.0) == 2, "a jump of just so much is one"
    assert teeth(saw, 2.5) == 0
    assert teeth([6, 5, 4, 3, 5, 5, 5], 1.5) == 0, "the jump is not followed by a fall"
    assert teeth([], 1.0) == 0


def test_quarters() -> None:
    assert [quarter([1, 1, 2, 2, 3, 3, 4, 4], number) for number in range(4)] == [1, 2, 3, 4]


def test_what_goes_together() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, nan, 3], [3, 2, 9, 1]) == pytest.approx(-1)
    assert isnan(correlation([1, 1], [1, 2]))
    assert isnan(correlation([nan], [1.0]))


def test_the_most_frequent_value() -> None:
    assert most_frequent([48, 30, 48, 0, 30, 48]) == 48
    assert most_frequent([2, 1]) == 1
    assert isnan(most_frequent([]))
    assert most_frequent([7, 3, 3, 7, 3]) == most_frequent([3, 7, 3]) == 3
    assert most_frequent([1, 2, 2]) == 2


def test_lines_cross_behind_the_last_sample_that_is_below() -> None:
    """Smoothed over five the one that rises is at -2, -1, 0, 1 and 2 about the middle: it meets the other there."""
    rising = [float(each) for each in range(-6, 7)]
    assert crossing([0.0] * 13, rising, [float(each) for each in range(13)]) == pytest.approx(6.0)
    assert crossing([0.3] * 13, rising, [10.0 * each for each in range(13)]) == pytest.approx(63.0)


def test_lines_that_vary_apart_have_no_correlation() -> None:
    assert correlation([1, 2, 1, 2], [5, 5, 7, 7]) == pytest.approx(0.0)
    assert correlation([1, 2, 3], [11, 12, 10]) == pytest.approx(-0.5)


@pytest.mark.parametrize(("every", "waited", "others", "holds"), [
    (5.0, 3.0, 2.0, True), (5.0, 3.0, 1.0, False), (3.0, 3.0, 0.5, False), (0.0, 0.0, 0.0, True),
])  # fmt: skip
def test_reads_are_synchronous_or_not(every: float, waited: float, others: float, holds: bool) -> None:
    row = {"Cache: Copy Reads/sec": every, "Cache: Sync Copy Reads/sec": waited, "Cache: Async Copy Reads/sec": others}
    assert _adds_up(row, "Copy Reads") is holds


def test_a_spike_begins_where_something_is_written_and_nothing_was_before() -> None:
    row = {"seconds": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], NtLine.OUTPUT: [9, 0, 5, 5, 0, 7],
           NtLine.LAZY_PAGES: [0, 48, 48, 30, 48, 48]}  # fmt: skip
    assert spikes(Log(row)) == [2, 5]
