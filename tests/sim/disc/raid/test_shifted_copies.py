"""Tests RAID 4, and RAID 10 with far and offset copies, by the pictures of md(4): places, and the copy that is read."""

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.raid.array import rebuild
from spindle.sim.disc.raid.layout import FAR_COPIES, OFFSET_COPIES, AnyCopies, ParityLayout, RaidType, ShiftedLayout
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from tests.sim.disc.raid.test_array_by_hand import ask, asked
from tests.sim.watched_arrays import CHUNK, WatchedRaid
from tests.sim.watched_drives import Watched


def rows(layout: AnyCopies, drives: int, count: int) -> list[list[int]]:
    return [[layout.chunk_at(drive, row) for drive in range(drives)] for row in range(count)]


@pytest.mark.parametrize(("level", "meant"), [
    ("RAID 5", "5"), ("raid-6", "6"), ("far", FAR_COPIES), ("f2", FAR_COPIES), ("raid10far", FAR_COPIES),
    ("offset", OFFSET_COPIES), ("o2", OFFSET_COPIES), ("10offset", OFFSET_COPIES), ("near", "10"), ("n2", "10"),
    ("10n2", "10"),
])  # fmt: skip
def test_a_level_may_be_meant_by_another_name(level: str, meant: str) -> None:
    with pytest.raises(UserError, match=rf"did you mean {meant}\?"):
        RaidType(level, 4)


def test_levels_that_are_not_there_are_told_those_that_are() -> None:
    with pytest.raises(UserError, match=r"there is no level '9'; there are 0, 1, 4, 5, 6, 10, 10f2, 10o2"):
        RaidType("9", 4)
    with pytest.raises(UserError, match="5 comes nearest, of which RAID 50 has several side by side"):
        RaidType("RAID50", 4)


def test_offset_copies_lie_in_the_next_row_one_drive_on() -> None:
    layout = RaidType("10o2", 4).layout
    assert isinstance(layout, ShiftedLayout)
    assert rows(layout, 4, 4) == [[0, 1, 2, 3], [3, 0, 1, 2], [4, 5, 6, 7], [7, 4, 5, 6]]


def test_far_copies_lie_in_the_second_half_one_drive_on() -> None:
    layout = RaidType("10f2", 3).layout_of(4)
    assert isinstance(layout, ShiftedLayout)
    assert rows(layout, 3, 4) == [[0, 1, 2], [3, 4, 5], [2, 0, 1], [5, 3, 4]]


def test_raid_4_keeps_all_parity_on_its_last_drive() -> None:
    layout = RaidType("4", 4).layout
    assert isinstance(layout, ParityLayout)
    assert [layout.parity(row) for row in range(3)] == [[3]] * 3
    assert [[layout.drive(row, index) for index in range(3)] for row in range(3)] == [[0, 1, 2]] * 3


@given(drives=st.integers(2, 9), level=st.sampled_from(["10f2", "10o2"]), size=st.integers(2, 41))
def test_each_chunk_has_two_places_on_two_drives_and_each_place_one_chunk(drives: int, level: str, size: int) -> None:
    kind = RaidType(level, drives, 4096)
    count = kind.data_bytes(4096 * size) // 4096
    layout = kind.layout_of(count)
    assert isinstance(layout, ShiftedLayout)
    assert kind.capacity(4096 * size) == count * drives // 2 * 4096
    places = {}
    for chunk in range(layout.chunks(count)):
        (first, row), (second, lower) = layout.places(chunk)
        assert first != second
        assert row < lower < count
        places |= {(first, row): chunk, (second, lower): chunk}
    assert len(places) == count * drives
    assert all(layout.chunk_at(*place) == chunk for place, chunk in places.items())


@pytest.mark.parametrize(("level", "second"), [("10o2", 1), ("10f2", 25)])
def test_a_write_goes_to_both_copies_and_a_read_takes_the_lowest_address(
    env: simpy.Environment, level: str, second: int
) -> None:
    """A small drive has 50 chunks; near copies would read from an idle drive instead."""
    array = WatchedRaid(env, level, 4)
    assert array.members.capacity == 50 * CHUNK
    for op in (WRITE, READ, READ):
        ask(array, op, CHUNK, CHUNK)
    env.run()
    assert asked(array) == [[], [(WRITE, 0, 1), (READ, 0, 1), (READ, 0, 1)], [(WRITE, second, 1)], []]


def test_a_failed_drive_is_read_from_the_next_and_rebuilt_from_both_sides(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "10f2", 4)
    array.fail(1)
    ask(array, READ, CHUNK, CHUNK)
    env.run()
    assert asked(array)[2] == [(READ, 25, 1)]
    spare = Watched(env)
    env.process(rebuild(array, 1, spare))
    env.run()
    assert sum(span.length for span, _ in spare.written) == array.members.capacity
    read = [sum(one.span.length for one in drive.asked if one.op is READ) // CHUNK for drive in array.watched]
    assert read == [25, 0, 26, 0]  # and one for the host


@pytest.mark.parametrize("level", ["10f2", "10o2"])
def test_neighbours_may_not_both_fail(env: simpy.Environment, level: str) -> None:
    array = WatchedRaid(env, level, 4)
    array.fail(0)
    array.fail(2)
    with pytest.raises(UserError, match="data is lost"):
        array.fail(1)


def test_the_parity_drive_of_raid_4_has_half_of_the_accesses_of_small_writes(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "4", 5)
    for chunk in range(8):
        ask(array, WRITE, chunk * CHUNK, CHUNK)
    env.run()
    counts = [len(drive.asked) for drive in array.watched]
    assert counts == [4, 4, 4, 4, 16]
