"""Tests the phases of a read: the move of the arm, and the overheads of the electronics on a miss and on a hit."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import Buffer, Overheads, TrackEnd
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.request import READ, WRITE, Op, Span
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import AHEAD, QUIET, after, link

MakeHost = Callable[..., Any]


@pytest.mark.parametrize(("op", "takes"), [(READ, 3.0), (WRITE, 13.0)])
def test_positioning_settles_before_a_write(host_of: MakeHost, op: Op, takes: float) -> None:
    """Two cylinders take 3 ms, when block 43 comes by, and 0.5 ms more before a write."""
    arm = host_of(QUIET, write_settle=0.5 * MS).arm
    assert arm.positioning(ArmPosition(0, 0), 0.0, arm.locate(4300), op, Span(4300, 100)) == pytest.approx(takes * MS)


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
    overheads = Overheads(read_miss=after(2, 1), read_hit=after(0.7, 0.6), reading_off=after(0, 20))
    host = host_of(Buffer(3, 20, overheads=overheads))
    assert host.phases(READ, 0, 3, 5)[0] == 2
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


def test_each_number_is_taken_at_its_word(host_of: MakeHost) -> None:
    overheads = Overheads(read_hit=after(0.6, 0.9), read_miss=after(1.3, 1.1))
    host = host_of(Buffer(2, 20, overheads=overheads, read_ahead=TrackEnd()))
    assert host.phases(READ, 0, 3, 5)[0] == 1.3
    assert host.phases(READ, 30, 5, 7)[0] == host.phases(READ, 40, 5, 7)[0] == 0.6
    host.write(80, 100, 101)
    assert host.phases(READ, 120, 103, 105)[0] == 1.1
    host.write(140, 3, 4)
    assert host.phases(READ, 180, 105, 106)[0] == 0.9


def test_the_command_of_the_disc_goes_before_all(host_of: MakeHost) -> None:
    host = host_of(replace(AHEAD, overheads=Overheads(read_miss=after(1, 1))), overhead=0.5 * MS)
    assert host.phases(READ, 0, 3, 5) == [1.5, 0, 1.5, 2, 0]
    assert host.phases(READ, 7, 5, 7) == [0.5, 0, 0, 0, 0]


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
