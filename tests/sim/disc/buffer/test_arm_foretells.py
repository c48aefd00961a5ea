"""Tests by hand the times that a drive with a buffer predicts to its scheduler: a block a millisecond, ten a track."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.buffer_sheet import BlocksAhead, HostLink, Overheads
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
from tests.sim.disc.milliseconds import AHEAD, after

MakeHost = Callable[..., Any]
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS, buffer=AHEAD)
TRACK = replace(AHEAD, read_ahead=BlocksAhead(5))


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


def test_a_write_waits_for_its_command_the_arm_and_its_first_block(host_of: MakeHost) -> None:
    """A command of 1.5 ms: block 3 comes by at 1003 ms, block 1 a revolution later, block 43 after a seek of 3 ms."""
    host = host_of(replace(AHEAD, overheads=Overheads(write=after(1.5, 1.5))))
    assert [host.asked(WRITE, 1000, first, first + 1) for first in (3, 1, 43)] == pytest.approx([3, 11, 13])


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
