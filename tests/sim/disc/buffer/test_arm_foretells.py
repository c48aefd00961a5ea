"""Tests by hand the times that a drive with a buffer predicts to its scheduler: a block a millisecond, ten a track."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, ImmediateReporting, Overheads
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.kernel.arm import reach, target_of
from spindle.sim.disc.layout import SectorPlace, uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, WRITE, Access, Op, Span, access
from spindle.sim.streams import pick
from spindle.sim.units import MS

MakeHost = Callable[..., Any]
AHEAD = Buffer(1, 20, read_ahead=BlocksAhead(20))
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS, buffer=AHEAD)
TRACK = replace(AHEAD, read_ahead=BlocksAhead(5))


def after(read: float, write: float) -> After:
    return After(read * MS, write * MS)


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


def test_a_read_begins_with_the_block_of_its_first_byte(host_of: MakeHost) -> None:
    """A miss takes 9.5 ms: blocks 3 and 4 pass until 15 ms, and 7 and 8 are read ahead from 17 on, 10 and 11 from 30.

    What the arm is coming to needs no command of its own; what it is not would need one, and a revolution more.
    """
    host = host_of(replace(AHEAD, overheads=Overheads(read_miss=after(9.5, 9.5))))
    host.read(0, 3, 5)
    for now, first, length, away in ((17, 700, 200, 0), (17, 750, 100, 0), (21, 800, 400, 9), (21, 850, 250, 9)):
        place, span = host.arm.locate(first), Span(first, length)
        assert host.arm.positioning(ArmPosition(0, 0), now * MS, place, READ, span) / MS == pytest.approx(away)


def test_what_a_scheduler_asks_at_one_second_is_looked_at_then(host_of: MakeHost) -> None:
    """Before the first request, and after others: block 3 comes by at 1003 ms, and block 7 was read ahead."""
    host = host_of(AHEAD)
    assert host.asked(READ, 1000, 3, 4) == pytest.approx(3)
    host.read(900, 3, 5)
    assert host.asked(READ, 1000, 7, 8) == 0
    assert host.asked(READ, 1000, 43, 44) == pytest.approx(3)


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


def test_from_another_place_what_is_there_is_there_and_nothing_is_coming(host_of: MakeHost) -> None:
    """Someone hands over requests by where the drive will be: on cylinder 1, where it takes 2 ms to come back from."""
    host = host_of(AHEAD)
    host.read(0, 3, 5)
    there = ArmPosition(1, 0)

    def asked(first: int, stop: int) -> float:
        span = Span(first * 100, (stop - first) * 100)
        away: float = host.arm.positioning(there, 7 * MS, host.arm.locate(span.first), READ, span) / MS
        return away

    assert asked(3, 5) == pytest.approx(0)
    assert asked(7, 8) == asked(6, 8) == pytest.approx(10)
    assert asked(20, 21) == pytest.approx(3)


def of(op: Op, first: int, stop: int) -> Access:
    return access(op, first * 100, (stop - first) * 100, Account("test"))


@pytest.mark.parametrize("make", [Sptf, lambda: TaggedQueue(Fcfs(), Sptf(), 4)])
@pytest.mark.parametrize("segments", [1, 2])
def test_what_the_buffer_answers_goes_before_what_the_arm_is_near(make: Callable[[], Scheduler], segments: int) -> None:
    """At 13 ms the arm has read block 2; block 16 is 3 ms off. A second segment has blocks 4 to 9 since 10 ms."""
    env, done = simpy.Environment(), list[int]()
    drive = Drive(env, replace(TEN, buffer=replace(AHEAD, segments=segments)), make())
    drive.start(of(READ, 4, 5))
    env.run(until=10 * MS)
    for first in (2, 16, 9, 8):
        drive.start(of(READ, first, first + 1)).callbacks.append(lambda r: done.append(r.access.span.first // 100))
    env.run()
    assert done == ([2, 9, 8, 16] if segments == 2 else [2, 16, 9, 8])


class Blind(BufferedArm):
    """Tells a scheduler how far the place on the medium is, whatever the buffer holds."""

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        super().positioning(arm, now, place, op, span)
        state = self.buffer.state
        at = (state.cylinder, state.head) if arm == self._left else arm
        target = target_of(self.moving.times.blocks, span.first // self.sector_bytes)
        return state.reads_from - now + reach(self.moving.times, at, state.reads_from, 0, target)


def mixed(random: Random, sectors: int, number: int) -> Iterator[Access]:
    """Reads of one to four blocks, every second of them going on where the last such ended, the others anywhere."""
    stop = 0
    for turn in range(number):
        first, blocks = pick(random, sectors - 8), 1 + pick(random, 4)
        if turn % 2:
            first = stop % (sectors - 8)
            stop = first + blocks
        yield of(READ, first, first + blocks)


def took(mechanism: BufferedArm, waiting: int, seed: int) -> float:
    """Seconds for 400 such reads, of which *waiting* wait at any time."""
    env, random = simpy.Environment(), Random(seed)
    drive, asked = Drive(env, mechanism, Sptf()), mixed(random, mechanism.capacity // mechanism.sector_bytes, 400)

    def another(_: object = None) -> None:
        if (wanted := next(asked, None)) is not None:
            drive.start(wanted).callbacks.append(another)

    for _ in range(waiting + 1):
        another()
    env.run()
    return env.now


@pytest.mark.parametrize("waiting", [3, 15])
def test_who_sees_the_buffer_is_not_slower_with_sequential_reads_among_others(waiting: int) -> None:
    buffer = replace(AHEAD, segments=4, link=HostLink(0.1 * MS), keeps_requested=True)
    disc = replace(TEN, layout=uniform(100, 2, 10, 100, 2, 4))
    seeing, blind = (sum(took(kind(disc, buffer), waiting, seed) for seed in range(8)) for kind in (BufferedArm, Blind))
    print(f"{waiting} waiting: {seeing:.3f} s, without a look at the buffer {blind:.3f} s")
    assert seeing < blind
