"""Reads through a buffer by hand: one block a millisecond, ten a track, d cylinders 1 + d ms, another head 2 ms."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import simpy

from sim.account import Account
from sim.disc.buffer.read_ahead import BlocksAhead, BufferReadAhead, CylinderEnd, Nothing, TrackByTrack, TrackEnd
from sim.disc.buffer.sheet import After, Buffer, HostLink, Overheads
from sim.disc.drive import Drive
from sim.disc.mechanism import ArmPosition
from sim.disc.sheets.modcomp import MODCOMP_4138
from sim.request import READ, WRITE, Op, Span, access
from sim.units import MS

MakeHost = Callable[..., Any]
AHEAD = Buffer(1, 20, read_ahead=BlocksAhead(20))
QUIET = Buffer(1, 20)


def link(reading: float, writing: float = 0.0) -> HostLink:
    """Milliseconds a block."""
    return HostLink(reading * MS, writing * MS)


def after(read: float, write: float) -> After:
    return After(read * MS, write * MS)


@pytest.mark.parametrize(("op", "takes"), [(READ, 3.0), (WRITE, 13.0)])
def test_positioning_settles_before_a_write(host_of: MakeHost, op: Op, takes: float) -> None:
    """Two cylinders take 3 ms, when block 43 comes by, and 0.5 ms more before a write."""
    arm = host_of(QUIET, write_settle=0.5 * MS).arm
    assert arm.positioning(ArmPosition(0, 0), 0.0, arm.locate(4300), op, Span(4300, 100)) == pytest.approx(takes * MS)


def test_a_miss_takes_what_the_arm_does(host_of: MakeHost) -> None:
    host = host_of(AHEAD)
    assert host.phases(READ, 0, 43, 45) == [0, 3, 0, 2, 0]
    assert host.phases(READ, 25, 3, 5) == [0, 3, 5, 2, 0]
    assert host.counts() == [0, 0, 2]


def test_what_the_arm_has_read_ahead_takes_the_link(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, link=link(0.25)))
    assert host.phases(READ, 0, 3, 5) == [0, 0, 3, 2, 0.25]
    assert host.phases(READ, 7, 5, 7) == [0, 0, 0, 0, 0.5]
    assert host.counts() == [1, 0, 1]


def test_what_is_only_coming_is_waited_for(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, link=link(0.25)))
    host.read(0, 3, 5)
    assert host.phases(READ, 7, 5, 9) == [0, 0, 0, 9 - 7 + 0.25 - 1, 1]
    assert host.counts() == [0, 1, 1]


def test_what_is_only_coming_is_waited_for_where_writes_have_a_segment_of_their_own(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 20, read_ahead=BlocksAhead(20), own_write_segment=True, reads_written=True))
    host.read(0, 3, 5)
    assert host.read(7, 5, 9) == 9 - 7
    assert host.counts() == [0, 1, 1]


def test_a_hit_goes_on_from_what_went_before(host_of: MakeHost) -> None:
    """A segment of five blocks holds no track: the second read is followed because it goes on where the first ended,
    up to block 9, and the hit for the same reason up to block 10."""
    host = host_of(Buffer(1, 5, read_ahead=TrackByTrack(5)))
    for now, first, stop in ((0, 0, 2), (2, 2, 4), (5.5, 4, 5)):
        host.read(now, first, stop)
    assert host.counts() == [1, 0, 2]
    assert host.read(200, 9, 10) == 0


def test_what_is_coming_next_is_waited_for(host_of: MakeHost) -> None:
    """No block after the request before has gone by as yet; the first of them is just going by."""
    host = host_of(replace(AHEAD, link=link(0.25)))
    host.read(0, 3, 5)
    assert host.phases(READ, 5.25, 5, 7) == [0, 0, 0, 1.5, 0.5]
    assert host.read(13, 10, 12) == 22.25 - 13
    assert host.counts() == [0, 2, 1]


def test_reads_in_a_row_do_not_lose_revolutions(host_of: MakeHost) -> None:
    host, now = host_of(replace(AHEAD, link=link(0.25))), 0.0
    for first in range(0, 10, 2):
        now += host.read(now, first, first + 2)
    assert now == 10.25


def test_what_a_slow_link_cannot_take_at_once_has_come_meanwhile(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, link=link(3)))
    assert host.read(0, 3, 5) == 4 + 6
    assert host.phases(READ, 10, 9, 11) == [0, 0, 0, 21 - 10 + 3 - 6, 6]


def test_who_waits_over_the_end_of_the_track_waits_for_the_next(host_of: MakeHost) -> None:
    host = host_of(AHEAD)
    host.read(0, 3, 5)
    assert host.read(7, 5, 12) == 22 - 7  # at 12 on the next track, which begins at 20


@pytest.mark.parametrize(
    ("rule", "limit"),
    [
        (Nothing(), 5),
        (BlocksAhead(4), 9),
        (BlocksAhead(8), 13),
        (TrackEnd(), 10),
        (CylinderEnd(), 20),
        (TrackByTrack(20), 10),
    ],
)
def test_the_arm_reads_on_as_far_as_the_rule_says(host_of: MakeHost, rule: BufferReadAhead, limit: int) -> None:
    host = host_of(Buffer(1, 20, read_ahead=rule))
    host.read(0, 3, 5)
    assert host.read(200, 3, limit) == 0
    host = host_of(Buffer(1, 20, read_ahead=rule))
    host.read(0, 3, 5)
    host.read(200, limit, limit + 1)
    assert host.counts() == [0, 0, 2]


def test_the_arm_reads_on_to_the_end_of_the_disc(host_of: MakeHost) -> None:
    host = host_of(AHEAD)
    host.read(0, 195, 196)
    assert host.read(200, 196, 200) == 0
    assert host.read(300, 3, 5) > 0


def test_a_request_that_goes_on_is_followed_by_the_next_track_too(host_of: MakeHost) -> None:
    """A segment smaller than a track is filled only then."""
    for buffer, second, limit in ((Buffer(2, 40, read_ahead=TrackByTrack(40)), (10, 12), 30),
                                  (Buffer(2, 9, read_ahead=TrackByTrack(9)), (5, 7), 10)):
        host = host_of(buffer)
        host.read(0, 3, 5)
        host.read(50, *second)
        host.read(200, limit - 1, limit)
        hits, _, misses = host.counts()
        host.read(300, limit, limit + 1)
        assert host.counts() == [hits, 0, misses + 1]
        assert hits >= 1
    host = host_of(Buffer(2, 9, read_ahead=TrackByTrack(9)))
    host.read(0, 3, 5)
    host.read(50, 5, 6)  # it goes on, though nothing was read ahead
    assert host.counts() == [0, 0, 2]


def test_a_miss_elsewhere_ends_the_read_ahead(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, segments=2))
    host.read(0, 3, 5)
    assert host.read(7, 45, 46) == 3 + 5 + 1
    assert host.read(40, 3, 7) == 0
    assert host.read(45, 7, 8) == 3 + 9 + 1
    assert host.counts() == [1, 0, 3]


def test_a_miss_that_is_not_followed_by_read_ahead_ends_it_too(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 20, read_ahead=TrackEnd()))
    host.read(0, 3, 5)
    host.read(7, 48, 50)  # the last of its track
    assert [host.holds(60, block) for block in (6, 7, 49)] == [True, False, True]


@pytest.mark.parametrize(("now", "rotation"), [(11, 5), (15, 1), (17, 9)])
def test_the_arm_is_where_the_read_ahead_took_it(host_of: MakeHost, now: float, rotation: float) -> None:
    """After block 19, at 10 ms, it moves to the next cylinder, where block 20 comes at 20 ms."""
    host = host_of(AHEAD)
    assert host.read(0, 18, 20) == 10
    assert host.phases(READ, now, 26, 27) == [0, 0, rotation, 1, 0]


def test_the_ring_may_lose_what_was_asked_for(host_of: MakeHost) -> None:
    buffer = Buffer(1, 6, read_ahead=BlocksAhead(20))
    losing, keeping = host_of(buffer), host_of(replace(buffer, keeps_requested=True))
    for host in (losing, keeping):
        host.read(0, 3, 5)
    assert losing.read(8.5, 3, 5) == 0  # five blocks and a half
    assert keeping.read(8.5, 3, 5) == 0
    assert keeping.read(90, 3, 9) == 0
    assert keeping.read(90, 9, 10) == 10
    assert losing.read(90, 19, 25) == 0
    assert losing.read(90, 18, 19) > 0


def test_the_ring_keeps_what_was_asked_for_last(host_of: MakeHost) -> None:
    host = host_of(Buffer(1, 6, read_ahead=BlocksAhead(20), keeps_requested=True))
    host.read(0, 3, 5)
    host.read(50, 9, 11)  # goes on in the segment that holds 3 to 8
    assert [host.holds(100, block) for block in (8, 9, 14, 15)] == [False, True, True, False]


def test_a_ring_that_keeps_what_was_asked_for_still_takes_longer_requests(host_of: MakeHost) -> None:
    host = host_of(Buffer(1, 3, read_ahead=BlocksAhead(20), keeps_requested=True))
    assert host.read(0, 2, 8) == 8
    assert host.read(50, 5, 8) == 0
    assert host.read(60, 8, 9) == 9


@pytest.mark.parametrize(("now", "first", "kept"), [(2, 5, 2), (8, 1, 0), (4.5, 4, 0), (2.5, 5, 3), (5, 5, 5)])
def test_what_goes_by_before_the_request_is_kept(host_of: MakeHost, now: float, first: int, kept: int) -> None:
    """As far as it lies before the request, on its track, and whole."""
    host = host_of(replace(QUIET, keeps_passing=True))
    host.read(now, first, first + 1)
    assert host.read(50, kept, first + 1) == 0
    if kept:
        host.read(60, kept - 1, kept)
        assert host.counts() == [1, 0, 2]
    forgetful = host_of(QUIET)
    forgetful.read(now, first, first + 1)
    forgetful.read(50, first - 1, first)
    assert forgetful.counts() == [0, 0, 2]


def test_what_goes_by_of_the_end_of_the_track_is_not_before_the_request(host_of: MakeHost) -> None:
    host = host_of(replace(QUIET, keeps_passing=True))
    host.read(0, 15, 16)
    assert host.read(18, 11, 12) == 4  # 18, 19 and 10 go by
    assert [host.holds(50, block) for block in (9, 10, 11)] == [False, True, True]


def test_a_hit_makes_its_segment_young(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 20))
    for number, first in enumerate((3, 13, 3, 43)):
        host.read(number * 40, first, first + 2)
    assert [host.holds(200, first) for first in (3, 13, 43)] == [True, False, True]


@pytest.mark.parametrize("now", [0, 0.5, 3, 7.25, 9.999])
def test_a_track_read_from_anywhere_takes_a_revolution(host_of: MakeHost, now: float) -> None:
    assert host_of(replace(QUIET, starts_anywhere=True)).read(now, 0, 10) == 10
    assert host_of(QUIET).read(now, 0, 10) == round(-now % 10 + 10, 6)


@pytest.mark.parametrize(("now", "first", "stop", "phases"), [
    (5, 2, 8, [0, 0, 7, 3, 0]),  # within the request: all has gone by a revolution later
    (1, 2, 8, [0, 0, 1, 6, 0]),  # before it
    (9, 2, 8, [0, 0, 3, 6, 0]),  # after it
    (3, 0, 20, [0, 2, 7 + 5, 3 + 5, 0]),  # a track from 3 to 13, the next from 15 to 25
    (3, 2, 12, [0, 2, 9 + 5, 1 + 2, 0]),  # a track from 3 to 13, two blocks of the next from 20 on
])
def test_reads_that_begin_anywhere(
    host_of: MakeHost, now: float, first: int, stop: int, phases: list[float]
) -> None:
    host = host_of(replace(QUIET, starts_anywhere=True))
    assert host.phases(READ, now, first, stop) == phases
    assert host.read(now + sum(phases), first, stop) == 0


@pytest.mark.parametrize(("high_water", "reading", "blocks", "took"), [
    (0.0, 0.5, 20, 7.5), (0.5, 0.5, 20, 7.5), (1.0, 0.5, 20, 9.0),
    (0.0, 2.0, 20, 12.0), (0.5, 2.0, 20, 13.0), (0.74, 2.0, 20, 13.0), (0.75, 2.0, 20, 14.0), (1.0, 2.0, 20, 15.0),
    (1.0, 2.0, 2, 13.0),  # no more than the segment holds
])
def test_the_host_is_given_data_when_enough_of_them_are_there(
    host_of: MakeHost, high_water: float, reading: float, blocks: int, took: float
) -> None:
    """Blocks 3 to 6, of which the first is there at 4 ms and the last at 7 ms."""
    host = host_of(Buffer(1, blocks, link=link(reading), high_water=high_water))
    assert host.phases(READ, 0, 3, 7) == [0, 0, 3, 4, took - 7]


@pytest.mark.parametrize(("reading_off", "took"), [(0.3, 5.5), (9.0, 1 + 9 + 0.3 + 0.5)])
def test_overheads_of_a_miss(host_of: MakeHost, reading_off: float, took: float) -> None:
    """The command 1 ms, data from 4 ms on but not before the bus was left; 0.3 ms to come back; 0.5 ms the end."""
    overheads = Overheads(read_miss=after(1, 1), reading_off=after(reading_off, 0), preparation=0.1 * MS,
                          reselect=0.2 * MS, read_done=0.5 * MS)
    host = host_of(replace(QUIET, overheads=overheads))
    assert host.phases(READ, 0, 3, 5) == pytest.approx([1, 0, 2, 2, took - 5])


def test_coming_back_to_the_bus_delays_a_slow_link(host_of: MakeHost) -> None:
    overheads = Overheads(preparation=0.1 * MS, reselect=0.2 * MS, read_done=0.5 * MS)
    host = host_of(replace(QUIET, overheads=overheads, link=link(2)))
    assert host.read(0, 3, 5) == pytest.approx(4 + 0.3 + 4 + 0.5)


def test_overheads_differ_with_the_command_before(host_of: MakeHost) -> None:
    """But for a miss, which takes the lesser of the two."""
    overheads = Overheads(read_miss=after(2, 1), read_hit=after(0.7, 0.6), reading_off=after(0, 20))
    host = host_of(Buffer(3, 20, overheads=overheads))
    assert host.phases(READ, 0, 3, 5)[0] == 1
    assert host.phases(READ, 10, 3, 5) == [0.7, 0, 0, 0, 0]
    host.write(20, 100, 101)
    assert host.phases(READ, 40, 3, 5) == [0.6, 0, 0, 0, 0]
    host.write(50, 100, 101)
    assert host.phases(READ, 90, 13, 15)[0] == 1
    host.write(190, 100, 101)
    assert host.read(250, 43, 45) == 1 + 20  # it has left the bus 21 ms after the command


def test_overheads_of_a_hit(host_of: MakeHost) -> None:
    overheads = Overheads(read_hit=after(0.6, 0.6), preparation=0.1 * MS, reselect=7 * MS, read_done=0.5 * MS)
    host = host_of(replace(AHEAD, overheads=overheads, link=link(0.25)))
    host.read(0, 3, 5)
    assert host.phases(READ, 18, 3, 5) == [0.7, 0, 0, 0, 0.5 + 0.5]
    assert host.phases(READ, 20, 9, 11) == [0.7, 0, 0, 0.05, 0.5 + 0.5]  # until 21.25


@pytest.mark.parametrize(("goes_on", "hit", "miss"), [(False, 0.9, 1.3), (True, 0.6, 1.0)])
def test_a_drive_at_rest_is_slower_unless_it_always_reads_on(
    host_of: MakeHost, goes_on: bool, hit: float, miss: float
) -> None:
    """As slow as a hit after a write; a hit that goes on where the last read ended is not, a miss always is."""
    overheads = Overheads(read_hit=after(0.6, 0.9), read_miss=after(1, 1))
    host = host_of(Buffer(2, 20, overheads=overheads, read_ahead=TrackEnd(), goes_on=goes_on))
    assert host.phases(READ, 0, 3, 5)[0] == miss
    assert host.phases(READ, 30, 5, 7)[0] == 0.6
    assert host.phases(READ, 40, 5, 7)[0] == host.phases(READ, 50, 8, 9)[0] == hit
    assert host.phases(READ, 60, 43, 45)[0] == miss
    host.write(80, 100, 101)
    assert host.phases(READ, 120, 103, 105)[0] == miss
    host.write(140, 3, 4)
    assert host.phases(READ, 180, 105, 106)[0] == 0.9


def test_a_drive_that_is_faster_after_a_write_is_not_at_rest(host_of: MakeHost) -> None:
    overheads = Overheads(read_hit=after(0.6, 0.4))
    assert host_of(replace(QUIET, overheads=overheads)).phases(READ, 0, 3, 5)[0] == 0


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize(("least", "overhead", "rotation"), [(0, 0, 5), (2, 2, 3), (5, 5, 0), (9, 5, 0)])
def test_the_least_is_read_ahead_before_another_request_has_the_arm(
    host_of: MakeHost, op: Op, least: int, overhead: float, rotation: float
) -> None:
    """Blocks 3 and 4 by 5 ms, and up to five more by 10; cylinder 2 takes 3 ms, and its block 43 comes at 13."""
    host = host_of(Buffer(2, 20, read_ahead=TrackEnd(), least_ahead=least))
    host.read(0, 3, 5)
    away = host.asked(op, 5, 43, 44)
    assert host.phases(op, 5, 43, 44) == [overhead, 3, rotation, 1, 0]
    assert away == pytest.approx(overhead + 3 + rotation)
    assert host.holds(40, 6) is (least > 0)
    assert not host.holds(40, 10)


def test_after_a_hit_the_drive_reads_on_if_it_goes_on(host_of: MakeHost) -> None:
    buffer = Buffer(1, 20, read_ahead=BlocksAhead(2), goes_on=True)
    going, resting = host_of(buffer), host_of(replace(buffer, goes_on=False))
    for host in (going, resting):
        host.read(0, 3, 5)
        assert host.read(50, 5, 7) == 0
        host.read(70, 7, 9)
    assert going.counts() == [2, 0, 1]
    assert resting.counts() == [1, 0, 2]


def test_a_hit_while_the_drive_reads_on_puts_the_limit_farther_off(host_of: MakeHost) -> None:
    host = host_of(Buffer(1, 20, read_ahead=BlocksAhead(3)))
    host.read(0, 3, 5)
    host.read(7.5, 5, 7)
    assert host.read(50, 9, 10) == 0
    assert host.read(50, 10, 11) > 0


def test_a_request_of_which_the_beginning_is_there_waits_for_the_rest(host_of: MakeHost) -> None:
    overheads = Overheads(read_miss=after(6, 6))
    assert [late(host_of(QUIET)), late(host_of(replace(QUIET, overheads=overheads)))] == [7, 17]


def late(host: Any) -> float:
    """Blocks 3 and 4 are there; 5 comes at 25 ms, unless the drive needs more than 5 ms to begin."""
    host.read(0, 3, 5)
    took: float = host.read(20, 3, 7)
    assert host.counts() == [0, 1, 1]
    assert host.read(50, 3, 7) == pytest.approx(0)
    return took


def test_a_request_that_goes_on_lengthens_the_segment(host_of: MakeHost) -> None:
    host = host_of(Buffer(2, 4))
    for first in (3, 5, 43, 7):
        host.read(first * 10, first, first + 2)
    assert host.read(100, 5, 9) == 0
    host.read(120, 4, 5)
    assert host.counts() == [1, 0, 5]


def test_without_segments_nothing_is_kept(host_of: MakeHost) -> None:
    host = host_of(Buffer(0, 20, link=link(2)))
    assert host.phases(READ, 0, 3, 5) == [0, 0, 3, 2, 8 - 5]
    assert host.read(10, 3, 5) == 8
    assert host.counts() == [0, 0, 2]


def test_the_command_of_the_disc_goes_before_all(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, overheads=Overheads(read_miss=after(1, 1))), overhead=0.5 * MS)
    assert host.phases(READ, 0, 3, 5) == [1.5, 0, 1.5, 2, 0]
    assert host.phases(READ, 7, 5, 7) == [0.5, 0, 0, 0, 0]


def test_a_controller_with_one_track(env: simpy.Environment) -> None:
    """Jacobson 1982: the first sector is a full access, the others of its track come from the buffer."""
    sector, revolution = 256, MODCOMP_4138.revolution
    disc = replace(MODCOMP_4138, buffer=Buffer(1, 42, read_ahead=TrackEnd(), link=link(0.1)))
    drive = Drive(env, disc)
    took = []
    for number in (5, 6, 7, 20, 41, 42):
        request = drive.start(access(READ, number * sector, sector, Account("user")))
        env.run()
        took.append(request.value.total)
        env.run(until=env.now + 2 * revolution)
    assert took[0] == pytest.approx(5 / 42 * revolution + revolution / 42 + 0.1 * MS)
    assert took[1:5] == pytest.approx([0.1 * MS] * 4)
    assert took[5] > revolution / 42
    assert drive.reading()["buffer_hits"] == 4


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize("first", [26, 43, 120])
@pytest.mark.parametrize("now", [40.0, 42.5, 45.0, 47.25])
def test_positioning_is_what_a_miss_takes_before_the_transfer(
    host_of: MakeHost, op: Op, first: int, now: float
) -> None:
    host = host_of(Buffer(1, 20, overheads=Overheads(read_miss=after(1, 2), write=after(3, 4))), overhead=0.5 * MS)
    for before in Op:
        host.serve(before, 0 if before is READ else 20, 18, 20)
        at = now + (0 if before is READ else 40)
        asked = host.asked(op, at, first, first + 1)
        assert asked == pytest.approx(sum(deepcopy(host).phases(op, at, first, first + 1)[:3]))
