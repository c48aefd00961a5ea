"""Tests how room on a disc is taken: the first place from the wanted one on, else from the beginning; no byte twice."""

from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.discs import Room

ASKED = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=40)


def plainly(taken: list[bool], wanted: int, length: int) -> int | None:
    """The same, byte by byte. What begins before *wanted* is looked at only when nothing lies behind."""
    for begin in (wanted, 0):
        for first in range(begin, len(taken) - length + 1):
            if not any(taken[first : first + length]):
                return first
    return None


def test_by_hand() -> None:
    room = Room(size=20, reserved=4)
    taken = [room.take(*asked) for asked in ((10, 5), (10, 5), (0, 4), (0, 3), (0, 2))]
    assert taken == [10, 15, 4, None, 8]
    assert room.take(0, 1) is None


@given(ASKED)
def test_room_is_found_where_a_byte_by_byte_search_finds_it(asked: list[tuple[int, int]]) -> None:
    room, taken = Room(size=60, reserved=5), [number < 5 for number in range(60)]
    for wanted, length in asked:
        expected = plainly(taken, wanted, length)
        assert room.take(wanted, length) == expected
        if expected is not None:
            taken[expected : expected + length] = [True] * length


def test_a_full_disc_is_one_run() -> None:
    room = Room(size=1000, reserved=10)
    for number in range(99):
        assert room.take((number * 370) % 1000 // 10 * 10, 10) is not None
    assert (room._starts, room._ends) == ([0], [1000])
