"""Tests reads through a buffer by hand: a block a ms, ten a track, d cylinders 1 + d ms, a head switch 2 ms."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.buffer_sheet import (
    BlocksAhead,
    Buffer,
    BufferReadAhead,
    CylinderEnd,
    Nothing,
    Overheads,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.request import READ, Op, access
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import AHEAD, QUIET, after, link

MakeHost = Callable[..., Any]


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


@pytest.mark.parametrize("keeps", [False, True])
def test_a_full_segment_is_read_on_into_to_the_end_of_the_track(host_of: MakeHost, keeps: bool) -> None:
    """Of ten blocks the last five stay, and not those that were asked for."""
    host = host_of(Buffer(1, 5, read_ahead=TrackByTrack(), keeps_requested=keeps))
    host.read(0, 0, 2)
    assert host.read(200, 5, 10) == 0
    host.read(300, 0, 2)
    assert host.counts() == [1, 0, 2]


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
        (TrackByTrack(), 10),
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
    host = host_of(Buffer(2, 40, read_ahead=TrackByTrack()))
    host.read(0, 3, 5)
    host.read(50, 10, 12)
    assert host.read(200, 29, 30) == 0
    host.read(300, 30, 31)
    assert host.counts() == [1, 0, 3]


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
