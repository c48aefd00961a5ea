"""Tests by hand writes that the drive reported early: which are accepted at once, and which wait for earlier ones."""

import pytest

from spindle.sim.disc.buffer_sheet import Buffer, ImmediateReporting
from spindle.sim.disc.buffered_arm import empty_buffer, times_of
from spindle.sim.disc.kernel.buffered import acceptance, add_report


class WriteBack:
    """The reported writes of a drive with this buffer."""

    def __init__(self, sheet: Buffer) -> None:
        self._buffer = empty_buffer(times_of(sheet))

    def acceptance(self, now: float, first: int, stop: int) -> float:
        return acceptance(self._buffer, now, first, stop)

    def add(self, first: int, stop: int, end: float) -> None:
        add_report(self._buffer, first, stop, end)


def waiting(*writes: tuple[int, int, float], segments: int = 1, intermixed: bool = False) -> WriteBack:
    """Segments of four blocks, and the first block, the one after the last and the end of each of *writes* in them."""
    made = WriteBack(Buffer(4, 4, reports=ImmediateReporting(intermixed), write_segments=segments))
    for first, stop, end in writes:
        made.acceptance(0.0, first, stop)
        made.add(first, stop, end)
    return made


def test_the_first_is_taken_at_once() -> None:
    assert waiting().acceptance(3.0, 0, 9) == 3.0  # however long it is


@pytest.mark.parametrize(("now", "first", "taken"), [(3.0, 2, 3.0), (3.0, 3, 5.0), (3.0, 0, 5.0), (5.0, 3, 5.0)])
def test_one_that_goes_on_is_taken_and_another_waits_for_the_medium(now: float, first: int, taken: float) -> None:
    assert waiting((0, 2, 5.0)).acceptance(now, first, first + 2) == taken


def test_one_that_begins_the_disc_goes_on_from_none() -> None:
    """Blocks 1 and 2 are in a segment of their own; a third waits for the first of the two."""
    made = waiting((10, 12, 5.0), (1, 2, 9.0), segments=2, intermixed=True)
    assert made.acceptance(0.0, 50, 51) == 5.0


def test_one_that_goes_on_waits_if_the_segment_has_no_room() -> None:
    assert waiting((0, 3, 5.0)).acceptance(1.0, 3, 4) == 1.0
    assert waiting((0, 3, 5.0)).acceptance(1.0, 3, 5) == 5.0


def test_one_that_went_on_is_waited_for_as_well() -> None:
    assert waiting((0, 2, 5.0), (2, 4, 8.0)).acceptance(1.0, 20, 21) == 8.0


def test_who_has_waited_for_room_has_all_of_it() -> None:
    made = waiting((0, 2, 5.0), (2, 4, 8.0))
    assert made.acceptance(1.0, 4, 6) == 8.0
    made.add(4, 6, 11.0)
    assert made.acceptance(8.5, 6, 8) == 8.5
    made.add(6, 8, 14.0)
    assert made.acceptance(9.0, 8, 9) == 14.0


def test_one_that_ends_where_another_begins_does_not_go_on() -> None:
    assert waiting((6, 8, 5.0)).acceptance(1.0, 4, 6) == 5.0


def test_several_segments_are_of_no_use_unless_writes_may_be_intermixed() -> None:
    assert waiting((0, 2, 5.0), segments=2).acceptance(1.0, 20, 22) == 5.0
    assert waiting((0, 2, 5.0), segments=2, intermixed=True).acceptance(1.0, 20, 22) == 1.0


@pytest.mark.parametrize(("now", "taken"), [(1.0, 5.0), (5.0, 5.0), (6.0, 6.0)])
def test_the_third_of_two_segments_is_free_when_the_first_is_on_the_medium(now: float, taken: float) -> None:
    made = waiting((0, 2, 5.0), (20, 22, 8.0), segments=2, intermixed=True)
    assert made.acceptance(now, 40, 42) == taken


def test_writes_in_a_row_take_one_segment_of_two() -> None:
    made = waiting((0, 1, 5.0), (1, 2, 6.0), (2, 3, 7.0), segments=2, intermixed=True)
    assert made.acceptance(1.0, 20, 21) == 1.0
    made.add(20, 21, 9.0)
    assert made.acceptance(1.0, 40, 41) == 7.0


def test_a_row_too_long_for_its_segment_goes_on_in_the_next() -> None:
    made = waiting((0, 3, 5.0), segments=2, intermixed=True)
    assert made.acceptance(1.0, 3, 6) == 1.0
    made.add(3, 6, 9.0)
    assert made.acceptance(2.0, 6, 7) == 2.0
    assert made.acceptance(2.0, 20, 21) == 5.0


def test_nothing_goes_on_where_something_ended_that_is_on_the_medium() -> None:
    made = waiting((0, 3, 5.0))
    assert made.acceptance(6.0, 3, 6) == 6.0  # a segment of its own
    made.add(3, 6, 9.0)
    assert made.acceptance(7.0, 6, 7) == 7.0
    assert made.acceptance(7.0, 6, 8) == 9.0
