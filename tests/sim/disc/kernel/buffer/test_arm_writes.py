"""Tests writes through a buffer by hand: a block a ms, ten a track, d cylinders 1 + d ms, a head switch 2 ms."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import (
    BlocksAhead,
    Buffer,
    HostLink,
    ImmediateReporting,
    Overheads,
    SecondDisconnect,
)
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import after

MakeHost = Callable[..., Any]
PLAIN = Buffer(1, 20)
REPORTING = Buffer(1, 20, reports=ImmediateReporting(), link=HostLink(0, 0.5 * MS))


def link(writing: float) -> HostLink:
    return HostLink(0.0, writing * MS)


def test_a_write_takes_what_the_arm_does(host_of: MakeHost) -> None:
    host = host_of(PLAIN)
    assert host.phases(WRITE, 0, 43, 45) == [0, 3, 0, 2, 0]
    assert host.phases(WRITE, 25, 3, 15) == [0, 3 + 2, 5 + 8, 7 + 5, 0]
    assert host.counts() == [0, 0, 0]


def test_the_disc_is_left_to_settle(host_of: MakeHost) -> None:
    assert host_of(PLAIN, write_settle=0.5 * MS).phases(WRITE, 0, 44, 45) == [0, 3.5, 0.5, 1, 0]


@pytest.mark.parametrize(("writing", "holds", "rotation"), [
    (0.0, 1, 1), (0.5, 1, 1), (1.0, 1, 1),
    (1.001, 1, 11),  # four blocks at 4.004 ms: the last would come too late
    (2.0, 1, 11), (3.0, 1, 11), (3.4, 1, 11), (3.5, 1, 11), (4.0, 1, 21), (3.51, 1, 21),
    (0.5, 2, 1), (0.5, 3, 11), (0.25, 4, 1), (0.3, 4, 11), (0.3, 99, 11), (0.25, 99, 1),
])
def test_the_medium_waits_for_the_link(host_of: MakeHost, writing: float, holds: int, rotation: float) -> None:
    """Blocks 1 to 4: the drive begins with *holds* of them, and has each before the head comes to it."""
    host = host_of(Buffer(0, 20, link=link(writing), holds=holds))
    assert host.phases(WRITE, 0, 1, 5) == [0, 0, rotation, 4, 0]


def test_the_medium_waits_at_each_track_for_what_is_needed_there(host_of: MakeHost) -> None:
    """Blocks 8 and 9 at 8 ms; blocks 10 to 13 would follow at 20 ms, but the last leaves the host at 26.4 ms."""
    assert host_of(Buffer(0, 20, link=link(4.4))).phases(WRITE, 0, 8, 14) == [0, 2, 8 + 18, 6, 0]
    assert host_of(Buffer(0, 20, link=link(3.8))).phases(WRITE, 0, 8, 14) == [0, 2, 8 + 8, 6, 0]


def test_a_drive_that_holds_all_blocks_begins_a_later_track_as_soon_as_it_can(host_of: MakeHost) -> None:
    assert host_of(Buffer(0, 20, link=link(0.1), holds=20)).phases(WRITE, 0, 8, 14) == [0, 2, 16, 6, 0]


@pytest.mark.parametrize(("to_medium", "rotation"), [(0.0, 1), (0.5, 1), (1.0, 1), (1.001, 11)])
def test_between_the_data_and_the_medium_lies_some_time(host_of: MakeHost, to_medium: float, rotation: float) -> None:
    host = host_of(replace(PLAIN, overheads=Overheads(to_medium=to_medium * MS)))
    assert host.phases(WRITE, 0, 1, 5) == [0, 0, rotation, 4, 0]


def test_overheads_of_a_write(host_of: MakeHost) -> None:
    overheads = Overheads(write=after(2, 1), preparation=0.1 * MS, reselect=0.2 * MS, write_done=0.5 * MS,
                          reselect_again=9 * MS)
    host = host_of(replace(PLAIN, overheads=overheads))
    assert host.phases(WRITE, 0, 3, 5) == [2, 0, 1, 2, 0.7]
    assert host.phases(WRITE, 10, 3, 5) == [1, 0, 2, 2, 0.7]
    assert host.phases(WRITE, 20, 1, 2) == [1, 0, 10, 1, 0.7]  # at 21.0 ms the data are not prepared
    assert host.phases(WRITE, 40, 13, 14)[:2] == [1, 2]  # with the other head too
    host.read(50, 43, 44)
    assert host.phases(WRITE, 70, 43, 45) == [2, 0, 1, 2, 0.7]


def test_a_write_after_a_write_may_take_more_anywhere(host_of: MakeHost) -> None:
    host = host_of(replace(PLAIN, overheads=Overheads(write=after(1, 2))))
    assert [host.phases(WRITE, now, first, first + 1)[0] for now, first in ((0, 3), (20, 5), (40, 43))] == [1, 2, 2]


def test_a_write_elsewhere_after_a_write_leaves_the_bus_twice(host_of: MakeHost) -> None:
    """The command 1 ms, off 0.5 ms, away 2 ms, back 0.2 ms: data at 3.8 ms, the arm at 1.25 ms."""
    twice = SecondDisconnect(1 * MS, 0.5 * MS, 2 * MS, 0.25 * MS)
    overheads = Overheads(write=after(2, 4), preparation=0.1 * MS, reselect=0.2 * MS, write_done=0.5 * MS,
                          reselect_again=0.3 * MS, second_disconnect=twice)
    host = host_of(replace(PLAIN, overheads=overheads))
    assert host.phases(WRITE, 0, 3, 5) == [2, 0, 1, 2, 0.7]
    assert host.phases(WRITE, 20, 3, 5) == [1.25, 0, 11.75, 2, 0.8]
    assert host.phases(WRITE, 40, 24, 25) == [1.25, 2, 0.75, 1, 0.8]
    assert host.phases(WRITE, 60, 25, 26) == [4, 0, 1, 1, 0.7]  # it goes on where the last one ended
    host.read(70, 0, 1)
    assert host.phases(WRITE, 90, 24, 25)[0] == 2


def test_what_is_written_is_no_longer_held(host_of: MakeHost) -> None:
    host = host_of(replace(PLAIN, segments=2))
    host.read(0, 3, 6)
    host.read(20, 13, 16)
    host.write(40, 5, 7)
    assert host.read(60, 13, 16) == 0
    host.read(80, 3, 4)
    assert host.counts() == [1, 0, 3]


def test_what_is_written_is_no_longer_held_by_the_segments_of_reads(host_of: MakeHost) -> None:
    host = host_of(replace(PLAIN, segments=2, own_write_segment=True))
    host.read(0, 3, 6)
    host.write(40, 5, 7)
    assert not host.holds(80, 3)


def test_what_was_written_can_be_read_if_the_drive_lets_it(host_of: MakeHost) -> None:
    for allowed, counts in ((True, [1, 0, 0]), (False, [0, 0, 1])):
        host = host_of(replace(PLAIN, reads_written=allowed))
        host.write(0, 3, 6)
        host.read(20, 3, 6)
        assert host.counts() == counts


def test_a_write_ends_the_read_ahead(host_of: MakeHost) -> None:
    host = host_of(Buffer(3, 20, read_ahead=BlocksAhead(20)))
    host.read(0, 3, 5)
    host.write(7, 43, 44)
    assert host.read(50, 5, 7) == 0
    host.read(60, 7, 8)
    assert host.counts() == [1, 0, 2]


def test_a_segment_for_writes_alone_is_left_alone_by_reads(host_of: MakeHost) -> None:
    """Of two segments one reads; shared, the second read takes the segment of the write."""
    shared = replace(PLAIN, segments=2, reads_written=True)
    for own, holds in ((True, [True, False, True]), (False, [False, True, True])):
        host = host_of(replace(shared, own_write_segment=own))
        host.write(0, 20, 22)
        host.read(40, 3, 5)
        host.read(80, 43, 45)
        assert [host.holds(120, first) for first in (20, 3, 43)] == holds


def test_a_read_may_go_on_where_what_was_written_ends(host_of: MakeHost) -> None:
    host = host_of(replace(PLAIN, segments=2, own_write_segment=True, reads_written=True))
    host.write(0, 3, 5)
    assert host.read(20, 3, 7) == 7
    assert host.counts() == [0, 1, 0]


def test_what_is_all_in_the_segment_of_writes_is_not_waited_for(host_of: MakeHost) -> None:
    host = host_of(replace(PLAIN, segments=2, own_write_segment=True, reads_written=True))
    host.read(0, 0, 5)
    host.write(20, 5, 8)
    host.read(50, 4, 7)  # a late hit, and now both have blocks 5 and 6
    assert host.read(80, 6, 8) == 0


def test_a_reported_write_takes_the_link(host_of: MakeHost) -> None:
    host = host_of(REPORTING)
    assert host.phases(WRITE, 0, 3, 5) == [0, 0, 0, 0, 1]
    assert host.settled_at() == 5


def test_overheads_of_a_report(host_of: MakeHost) -> None:
    overheads = Overheads(report=after(1, 2), write=after(50, 50), preparation=0.25 * MS, write_done=0.5 * MS,
                          reselect=50 * MS, to_medium=0.125 * MS)
    host = host_of(replace(REPORTING, overheads=overheads))
    assert host.phases(WRITE, 0, 2, 4) == [1.25, 0, 0, 0, 1.5]
    assert host.settled_at() == 4  # the first at 1.75 ms, and 1.875 ms is early enough
    assert host.phases(WRITE, 20, 2, 4) == [2.25, 0, 0, 0, 1.5]
    assert host.settled_at() == 34
    assert host.phases(WRITE, 40, 43, 44) == [2.25, 0, 0, 0, 1.0]


def test_a_report_after_a_write_takes_what_its_sheet_says_wherever_it_is(host_of: MakeHost) -> None:
    host = host_of(replace(REPORTING, overheads=Overheads(report=after(2, 1))))
    assert [host.phases(WRITE, now, at, at + 1)[0] for now, at in ((0, 3), (20, 6), (40, 13), (80, 43))] == [2, 1, 1, 1]


@pytest.mark.parametrize(("settle", "seek"), [(1.0, 3), (0.0, 2), (-1.0, 1)])
def test_a_write_settles_as_its_sheet_says(host_of: MakeHost, settle: float, seek: float) -> None:
    host = host_of(PLAIN, write_settle=settle * MS)
    assert host.phases(WRITE, 0, 23, 24)[:2] == [0, seek]


def test_a_read_waits_for_what_was_reported(host_of: MakeHost) -> None:
    host = host_of(REPORTING)
    host.write(0, 43, 45)
    assert host.phases(READ, 1, 0, 1) == [4, 3, 2, 1, 0]  # from cylinder 2
    assert host.settled_at() == 5


def test_what_was_reported_is_read_while_it_waits(host_of: MakeHost) -> None:
    host = host_of(replace(REPORTING, reads_written=True))
    host.write(0, 3, 5)
    assert host.read(1, 3, 5) == 0
    assert host.settled_at() == 5


def test_a_write_that_goes_on_is_taken_and_another_waits(host_of: MakeHost) -> None:
    host = host_of(REPORTING)
    host.write(0, 3, 5)
    assert host.write(1, 5, 7) == 1
    assert host.settled_at() == 7
    assert host.phases(WRITE, 2, 43, 45) == [7 - 2, 0, 0, 0, 1]
    assert host.settled_at() == 15
    assert host.write(20, 3, 5) == 1


def test_writes_in_a_row_do_not_lose_a_revolution_to_what_lies_before_the_medium(host_of: MakeHost) -> None:
    host = host_of(replace(REPORTING, overheads=Overheads(to_medium=0.1 * MS)))
    host.write(0, 3, 5)
    host.write(1, 5, 7)
    assert host.settled_at() == 7


def test_intermixed_writes_wait_for_a_segment(host_of: MakeHost) -> None:
    host = host_of(Buffer(3, 20, reports=ImmediateReporting(intermixed=True), write_segments=2, link=link(0.5)))
    assert host.write(0, 3, 5) == 1  # until 5
    assert host.write(1, 43, 45) == 1  # until 15: 3 ms, and the angle comes at 13
    assert host.write(2, 63, 65) == 5 - 2 + 1
    assert host.settled_at() == 25


def test_a_write_beyond_its_segment_waits(host_of: MakeHost) -> None:
    host = host_of(replace(REPORTING, blocks=4))
    host.write(0, 3, 5)
    assert host.write(1, 5, 7) == 1
    assert host.write(2, 7, 9) == 7 - 2 + 1
    assert host.settled_at() == 19  # at 7.5 ms block 7 has just begun to go by


def test_the_angle_is_missed_if_the_link_is_too_slow_for_the_medium(host_of: MakeHost) -> None:
    host = host_of(replace(REPORTING, link=link(2)))
    assert host.write(0, 3, 6) == 6
    assert host.settled_at() == 16  # the third is there at 6 ms, and the head would be at its end
    assert host.write(20, 5, 7) == 4
    assert host.settled_at() == 27


def test_a_sector_written_in_part_costs_a_revolution(host_of: MakeHost) -> None:
    host = host_of(PLAIN)
    service, _ = host.arm.serve((0, 0), 0.0, WRITE, Span(350, 100))
    assert round(service.total / MS, 6) == 3 + 10 + 2
