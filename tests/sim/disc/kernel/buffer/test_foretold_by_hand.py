"""Tests by hand how far the blocks of a request are, as a scheduler is told: a block a millisecond, ten a track."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer, ImmediateReporting, Overheads
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import AHEAD, after

MakeHost = Callable[..., Any]
TRACK = replace(AHEAD, read_ahead=BlocksAhead(5))


@pytest.mark.parametrize(("at", "first", "stop", "away"), [
    (7, 3, 5, 0), (7, 6, 7, 0), (7, 4, 9, 0), (7, 7, 9, 0), (7, 8, 9, 1), (7, 2, 4, 5),
    (11, 8, 10, 0), (11, 8, 12, 9), (11, 10, 12, 9), (11, 12, 13, 1),
])  # fmt: skip
def test_what_is_there_is_no_way_off_and_what_is_coming_as_far_as_the_arm_has_to_go(
    host_of: MakeHost, at: float, first: int, stop: int, away: float
) -> None:
    """Blocks 3 and 4 are read by 5 ms, up to 10 by 10; the other head is there with block 12, and 10 comes at 20."""
    host = host_of(AHEAD)
    host.read(0, 3, 5)
    assert host.asked(READ, at, first, stop) == pytest.approx(away)


def test_where_the_read_ahead_has_ended_the_arm_goes_for_the_rest(host_of: MakeHost) -> None:
    """The other head is there at 27 ms, block 10 at 30; with 6 ms of command too late for that, and so at 40."""
    for miss, hit, away in ((0, 0, 5), (6, 0, 15), (0, 7, 7)):
        host = host_of(replace(TRACK, overheads=Overheads(read_miss=after(miss, miss), read_hit=after(hit, hit))))
        host.read(0, 3, 5)
        assert host.asked(READ, 30, 8, 10) == pytest.approx(hit)
        assert host.asked(READ, 25, 8, 12) == pytest.approx(away)


def test_a_read_ahead_that_has_still_to_begin_is_foreseen(host_of: MakeHost) -> None:
    """The medium has blocks 43 and 44 at 25 ms; cylinder 0 takes 3 ms from there, and block 10 comes at 30."""
    host = host_of(replace(TRACK, segments=2, goes_on=True, reports=ImmediateReporting()))
    host.read(0, 3, 5)
    assert host.asked(READ, 20, 43, 44) == pytest.approx(3)
    assert host.write(20, 43, 45) == host.read(20, 5, 8) == 0
    assert host.asked(READ, 20, 10, 12) == host.asked(READ, 20, 9, 12) == pytest.approx(10)
    assert host.asked(READ, 20, 43, 44) == pytest.approx(13)


def test_a_hit_takes_its_own_command(host_of: MakeHost) -> None:
    """After a read 1 ms; what is not there takes its own, none: cylinder 2 at 43.5 ms."""
    overheads = Overheads(read_hit=after(1, 3), preparation=0.25 * MS)
    host = host_of(replace(TRACK, overheads=overheads), overhead=0.5 * MS)
    host.read(0, 3, 5)
    assert host.asked(READ, 8, 5, 7) == host.asked(READ, 40, 5, 7) == pytest.approx(0.5 + 1 + 0.25)
    assert host.asked(READ, 8, 3, 5) == host.asked(READ, 8, 6, 9) == pytest.approx(0.5 + 1 + 0.25)
    assert host.asked(READ, 40, 44, 45) == pytest.approx(4)


def test_what_was_written_is_there_if_it_may_be_read(host_of: MakeHost) -> None:
    for readable, away in ((True, 0), (False, 8)):
        host = host_of(Buffer(2, 20, own_write_segment=True, reads_written=readable))
        host.write(0, 3, 5)
        assert host.asked(READ, 5, 3, 5) == pytest.approx(away)


def test_a_write_is_as_far_as_its_place_on_the_medium(host_of: MakeHost) -> None:
    """Also where it is reported at once, with the command that a report takes: the arm has to go there all the same."""
    overheads = Overheads(report=after(2, 1), write=after(7, 7))
    host = host_of(replace(TRACK, overheads=overheads, reports=ImmediateReporting()))
    host.read(0, 3, 5)
    assert host.asked(WRITE, 10, 3, 5) == pytest.approx(3)
    assert host.asked(WRITE, 11, 3, 5) == pytest.approx(2)
    assert host.asked(WRITE, 11.5, 3, 5) == pytest.approx(11.5)
    host.write(20, 3, 5)
    assert host.asked(WRITE, 41.5, 3, 5) == pytest.approx(1.5)
    assert host.asked(WRITE, 48.5, 12, 13) == pytest.approx(3.5)  # 1 ms, and the other head 2 ms: before 52 ms


def test_what_is_coming_needs_no_command_of_its_own_and_from_elsewhere_nothing_is_coming(host_of: MakeHost) -> None:
    """A miss takes 9.5 ms: blocks 3 and 4 pass until 15 ms, 8 and 9 until 20, and block 10, of the other head, at 30.

    At 21 ms it is 9 away. Who was elsewhere would begin at 30.5, and have it at 40.
    """
    host = host_of(replace(AHEAD, overheads=Overheads(read_miss=after(9.5, 9.5), read_hit=after(10, 10))))
    host.read(0, 3, 5)
    assert host.asked(READ, 21, 8, 12) == pytest.approx(10), "the command of a hit takes longer"
    host = host_of(replace(AHEAD, overheads=Overheads(read_miss=after(9.5, 9.5))))
    host.read(0, 3, 5)
    assert host.asked(READ, 21, 8, 12) == pytest.approx(9)
    host._position = ArmPosition(0, 1)
    assert host.asked(READ, 21, 8, 12) == pytest.approx(19)
