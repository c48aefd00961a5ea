"""Tests by hand where blocks lie and what an arm needs: a small disc with a bad sector and two zones, in seconds."""

from dataclasses import replace
from math import inf

import pytest

from spindle.sim.disc.kernel.arm import (
    ASCENDING,
    LATEST_INSTANT,
    TURNING,
    TURNING_IN_ZONE,
    ArmService,
    ArmTimes,
    BlockMap,
    LateClockError,
    LayoutPiece,
    Pass,
    TrackRun,
    approach,
    covers_partly,
    delayed_pass,
    delivery,
    goes_on,
    head_at,
    pass_over,
    piece_of,
    place_of,
    reach,
    run_at,
    serve,
    target_of,
    track_range,
)

MAP = BlockMap(
    firsts=(0, 25, 39, 57),
    pieces=(LayoutPiece(0, 0, 10, 2.0, 3.0, 1.0), LayoutPiece(1, 0, 10, 2.0, 3.0, 1.0),
            LayoutPiece(-39, 3, 6, 1.0, 0.0, 0.0)),
    order=ASCENDING, heads=2)  # fmt: skip
"""Cylinders 0 and 1 of two tracks of ten sectors, of which sector 25 is bad; from cylinder 3 on three tracks of six."""


@pytest.mark.parametrize(("block", "piece", "place"), [
    (0, 0, (0, 0, 0, 0.1, 10)), (13, 0, (0, 1, 3, 0.6, 10)), (24, 0, (1, 0, 4, 0.0, 10)), (25, 1, (1, 0, 6, 0.2, 10)),
    (38, 1, (1, 1, 9, 0.7, 10)), (39, 2, (3, 0, 0, 0.0, 6)), (46, 2, (3, 1, 1, 2 / 6, 6)), (56, 2, (4, 0, 5, 0.0, 6)),
])  # fmt: skip
def test_where_a_block_lies(block: int, piece: int, place: tuple[int, int, int, float, int]) -> None:
    """A track skew for each track but the first of its cylinder, a cylinder skew for each cylinder, and the offset."""
    assert piece_of(MAP, block) == piece
    assert place_of(MAP, block) == pytest.approx(place)
    cylinder, head, _, angle, _ = place
    assert target_of(MAP, block) == pytest.approx((cylinder, head, angle))


@pytest.mark.parametrize(("order", "heads"), [
    (ASCENDING, [0, 1, 0, 1, 0, 1, 0]), (TURNING, [0, 1, 1, 0, 1, 0, 0]), (TURNING_IN_ZONE, [0, 1, 1, 0, 0, 1, 1]),
])  # fmt: skip
def test_heads_turn_on_odd_cylinders_of_the_disc_or_of_the_zone(order: int, heads: list[int]) -> None:
    blocks = replace(MAP, order=order)
    assert [place_of(blocks, block)[1] for block in (0, 10, 20, 30, 39, 45, 51)] == heads
    assert [head_at(order, 5, 1, cylinder, 3) for cylinder in (3, 4, 5)] == [
        [1, 1, 1], [1, 3, 1], [3, 1, 3]][(ASCENDING, TURNING_IN_ZONE, TURNING).index(order)]  # fmt: skip


@pytest.mark.parametrize(("block", "tracks", "around"), [
    (5, 1, (0, 10)), (20, 1, (20, 29)), (24, 1, (20, 29)), (25, 1, (20, 29)), (28, 1, (20, 29)), (29, 1, (29, 39)),
    (22, 2, (20, 39)), (38, 2, (20, 39)), (5, 2, (0, 20)), (39, 1, (39, 45)), (56, 1, (51, 57)), (56, 2, (51, 57)),
    (40, 2, (39, 51)),
])  # fmt: skip
def test_the_blocks_of_a_track_and_of_a_cylinder(block: int, tracks: int, around: tuple[int, int]) -> None:
    """Across the bad sector; the last cylinder has one track, and no zone goes on in the next."""
    assert track_range(MAP, block, tracks) == around


def test_a_track_with_several_bad_sectors_and_one_with_blocks_that_were_moved() -> None:
    """Sectors 2, 5 and 8 of the first track are bad; then the fourth piece begins at sector 4 again."""
    pieces = tuple(LayoutPiece(shift, 0, 10, 0.0, 0.0, 0.0) for shift in range(4))
    gaps = BlockMap((0, 2, 4, 6, 27), pieces, ASCENDING, 2)
    assert [track_range(gaps, block, 1) for block in (0, 3, 5, 6, 7)] == [(0, 7)] * 4 + [(7, 17)]
    moved = replace(gaps, pieces=(*gaps.pieces[:3], replace(gaps.pieces[3], shift=-2)))
    assert [track_range(moved, block, 1) for block in (0, 5, 6, 11)] == [(0, 6), (0, 6), (6, 12), (6, 12)]


def test_a_disc_of_one_zone_goes_on_to_its_end() -> None:
    one = BlockMap(MAP.firsts[:3], MAP.pieces[:2], ASCENDING, 2)
    assert [track_range(one, block, 1) for block in (5, 20, 38)] == [(0, 10), (20, 29), (29, 39)]
    assert run_at(one, 22, 39)[4:] == (22, 29, 8)


def test_which_pieces_go_on() -> None:
    assert goes_on(MAP, 0, 20, 30)
    assert goes_on(MAP, 0, 24, 30), "its last sector is the first of these"
    assert goes_on(replace(MAP, firsts=(0, 25, 33, 57), pieces=(MAP.pieces[0], MAP.pieces[1], LayoutPiece(
        3, 0, 10, 2.0, 3.0, 1.0))), 1, 33, 40), "block 32 is on sector 33, and 33 on 36"
    assert not goes_on(MAP, 0, 26, 30), "it ends before"
    assert not goes_on(MAP, 0, 20, 26), "the next begins behind"
    assert not goes_on(MAP, 1, 0, 60), "of another zone"
    back = replace(MAP, pieces=(MAP.pieces[0], replace(MAP.pieces[1], shift=-5), MAP.pieces[2]))
    assert not goes_on(back, 0, 20, 30), "moved to an earlier sector"
    others = BlockMap((0, 3, 8), (MAP.pieces[0], LayoutPiece(2, 1, 10, 2.0, 3.0, 1.0)), ASCENDING, 1)
    assert not goes_on(others, 0, 0, 10), "sector 5 is of the next zone, whose first five are bad"


@pytest.mark.parametrize(("block", "stop", "run"), [
    (0, 5, (0, 0, 0.1, 10, 0, 5, 5)), (0, 57, (0, 0, 0.1, 10, 0, 10, 10)), (3, 10, (0, 0, 0.4, 10, 3, 10, 7)),
    (22, 57, (1, 0, 0.8, 10, 22, 29, 8)), (22, 27, (1, 0, 0.8, 10, 22, 27, 6)), (20, 25, (1, 0, 0.6, 10, 20, 25, 5)),
    (25, 57, (1, 0, 0.2, 10, 25, 29, 4)), (52, 57, (4, 0, 2 / 6, 6, 52, 57, 5)),
])  # fmt: skip
def test_what_goes_by_in_one_pass(block: int, stop: int, run: tuple[int, int, float, int, int, int, int]) -> None:
    """A pass over the bad sector is longer by one."""
    assert run_at(MAP, block, stop) == pytest.approx(TrackRun(*run))


ARM = ArmTimes(MAP, seeks=((0.0, 1.0, 2.0, 3.0, 4.0), (0.0, 1.5, 2.5, 3.5, 4.5)), switches=(0.5, 0.75),
               sector_bytes=100, overhead=0.25, revolution=10.0)  # fmt: skip


@pytest.mark.parametrize(("write", "distance", "other", "start", "angle", "found"), [
    (0, 0, False, 0.0, 0.3, (0.0, 3.0)), (0, 2, False, 1.0, 0.3, (2.0, 0.0)), (1, 2, False, 1.0, 0.3, (2.5, 9.5)),
    (0, 0, True, 1.0, 0.3, (0.5, 1.5)), (1, 0, True, 1.0, 0.3, (0.75, 1.25)), (0, 1, True, 1.0, 0.3, (1.0, 1.0)),
    (0, 0, False, 23.0, 0.3 - 1e-11, (0.0, -1e-10)), (0, 0, False, 23.0, 0.299, (0.0, 9.99)),
])  # fmt: skip
def test_a_move_and_a_wait(
    write: int, distance: int, other: bool, start: float, angle: float, found: tuple[float, float]
) -> None:
    """The longer of a seek and a switch; what has only just gone by has not."""
    assert approach(ARM, write, distance, other, start, angle) == pytest.approx(found, abs=1e-12)


def test_seconds_until_a_block_is_under_the_head() -> None:
    assert reach(ARM, (3, 1), 1.0, 0, (1, 0, 0.5)) == pytest.approx(4.0)  # 2 to move, 2 to wait
    assert reach(ARM, (1, 1), 1.0, 1, (1, 0, 0.5)) == pytest.approx(4.0)
    assert reach(ARM, (1, 0), 1.0, 1, (1, 0, 0.05)) == pytest.approx(9.5)
    assert reach(ARM, (3, 1), 1.0, 0, (1, 0, 0.35)) == pytest.approx(2.5)
    assert reach(ARM, (1, 1), 1.0, 1, (1, 0, 0.15)) == pytest.approx(10.5)  # the switch takes until 1.75


def test_a_pass_over_blocks() -> None:
    run = run_at(MAP, 13, 16)
    assert pass_over(ARM, 1, 1, 2.0, 0, run, -inf) == pytest.approx((0, 1, 10, 13, 16, 1.0, 3.0, 3.0, 9.0))
    assert pass_over(ARM, 1, 1, 2.0, 0, run, 5.0) == pytest.approx((0, 1, 10, 13, 16, 1.0, 3.0, 3.0, 9.0))
    assert pass_over(ARM, 1, 1, 2.0, 0, run, 7.0) == pytest.approx((0, 1, 10, 13, 16, 1.0, 13.0, 3.0, 19.0))
    assert pass_over(ARM, 0, 0, 2.0, 1, run, -inf)[5:] == pytest.approx((0.75, 3.25, 3.0, 9.0))
    just = pass_over(ARM, 0, 1, 6.0 + 1e-10, 0, run, -inf)
    assert (just.wait, just.transfer, just.end) == pytest.approx((0.0, 3.0 - 1e-10, 9.0), abs=1e-13)
    assert pass_over(ARM, 0, 0, LATEST_INSTANT, 0, run, -inf).end > LATEST_INSTANT
    with pytest.raises(LateClockError):
        pass_over(ARM, 0, 0, LATEST_INSTANT + 1.0, 0, run, -inf)


def test_a_request_over_two_tracks() -> None:
    """From 0.25 on: to cylinder 1 and block 27 at 0.4, two blocks; then to the other head, whose first is at 0.8."""
    found = serve(ARM, 0, 0, 0.0, 0, 2700, 300)
    assert found == pytest.approx(ArmService(0.25, 1.5, 2.75 + 1.5, 3.0, 0.0, 1, 1))
    assert serve(ARM, 0, 0, 0.0, 0, 2750, 210) == pytest.approx(found), "a read of parts of sectors is one of all"
    assert serve(ARM, 1, 0, 0.0, 0, 2700, 100)[1:3] == pytest.approx((0.0, 3.75)), "the arm is there"


@pytest.mark.parametrize(("first", "length", "turns"), [
    (2700, 300, 0), (2750, 250, 1), (2700, 250, 1), (2750, 200, 2), (2710, 80, 1),
])  # fmt: skip
def test_a_sector_that_is_written_in_part_is_read_a_turn_before(first: int, length: int, turns: int) -> None:
    whole = serve(ARM, 0, 0, 0.0, 1, first // 100 * 100, -(-(first + length) // 100) * 100 - first // 100 * 100)
    part = serve(ARM, 0, 0, 0.0, 1, first, length)
    assert part.rotation == pytest.approx(whole.rotation + 10.0 * turns)
    assert (part.seek, part.transfer, part.cylinder) == pytest.approx((whole.seek, whole.transfer, 1))


def test_which_blocks_are_covered_in_part() -> None:
    assert [covers_partly(100, first, length, 2, 4) for first, length in (
        (200, 200), (250, 150), (200, 150), (100, 400), (150, 300), (0, 350), (201, 199), (200, 101))] == [
        False, True, True, False, False, True, True, True]  # fmt: skip


FIVE = Pass(0, 0, 10, first=20, stop=25, move=2.0, wait=3.0, transfer=5.0, end=15.0)


def test_a_pass_that_waits_longer() -> None:
    assert delayed_pass(FIVE, 4.0) == Pass(0, 0, 10, 20, 25, 2.0, 7.0, 5.0, 19.0)


@pytest.mark.parametrize(("first", "stop", "link", "when"), [
    (20, 25, 0.5, 15.5), (20, 25, 2.0, 21.0), (22, 25, 2.0, 17.0), (20, 27, 0.5, 16.5), (20, 27, 2.0, 25.0),
    (10, 25, 2.0, 21.0),
])  # fmt: skip
def test_when_the_host_has_blocks_of_a_pass(first: int, stop: int, link: float, when: float) -> None:
    """The last has passed at 15 and takes a link's time; or the first has at 11, and all follow."""
    assert delivery(FIVE, first, stop, link) == pytest.approx(when)
