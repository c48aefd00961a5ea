"""Tests drives with a buffer on one channel: times of command, data and medium by hand, and bounds of the channel."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.channel import Channel, Link, SharingDrive, SpeedMatching
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import CLook, CScan, Scan
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Access, AccessTiming, Op, Request, access
from spindle.sim.streams import stream
from spindle.sim.units import MS

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10))
SLOW = Link("slow", command=1 * MS, connect=1 * MS, bytes_per_second=50e3)  # a sector in 2 ms
FAST = Link("fast", command=0.0, connect=0.0, bytes_per_second=1e15)


def of(cylinder: int, sector: int, sectors: int = 1, op: Op = READ) -> Access:
    return access(op, (cylinder * 20 + sector) * 100, sectors * 100, Account("test"))


def done(request: Request) -> float:
    return round((request.submitted + request.value.queue + request.value.total) / MS, 9)


def drives(env: simpy.Environment, number: int, link: Link = SLOW) -> tuple[Channel, list[SharingDrive]]:
    channel = Channel(env)
    shared = SpeedMatching(channel, link)
    return channel, [SharingDrive(env, TEN, shared, name=f"drive {each}") for each in range(number)]


def test_a_read_goes_over_the_channel_after_the_medium(env: simpy.Environment) -> None:
    channel, (drive,) = drives(env, 1)
    request = drive.start(of(3, 5, sectors=2))
    env.run()
    # Command until 1, arm until 5, the sectors until 7; connected at 8, all data at 12.
    assert request.value == pytest.approx(AccessTiming(0, 1 * MS, 4 * MS, 0, 2 * MS, 5 * MS))
    assert channel.busy() == pytest.approx(6 * MS)


def test_the_drives_own_overhead_leaves_the_channel_to_others(env: simpy.Environment) -> None:
    channel = Channel(env)
    drive = SharingDrive(env, replace(TEN, overhead=2 * MS), SpeedMatching(channel, SLOW))
    request = drive.start(of(3, 9))
    env.run(until=2 * MS)
    assert channel.busy() == pytest.approx(1 * MS)
    env.run()
    # Command until 1, the drive's own until 3, arm until 7, sector 9 until 10; connected at 11, all data at 13.
    assert request.value == pytest.approx(AccessTiming(0, 3 * MS, 4 * MS, 2 * MS, 1 * MS, 3 * MS))


@pytest.mark.parametrize(("sector", "end"), [(1, 15), (2, 6)])
def test_the_head_is_never_ahead_of_a_fast_channel(env: simpy.Environment, sector: int, end: float) -> None:
    """Connected at 1 ms; the first sector is there at 1.1, when sector 1 has just gone by."""
    _, (drive,) = drives(env, 1, Link("quick", command=1 * MS, connect=0.0, bytes_per_second=1e6))
    request = drive.start(of(0, sector, 4, WRITE))
    env.run()
    assert done(request) == end


def test_a_clock_that_is_too_coarse_is_refused() -> None:
    _, (drive,) = drives(simpy.Environment(initial_time=2.1e9), 1)
    with pytest.raises(UserError, match=r"disc ten: the clock is at 2\.1e\+09 s"):
        drive.start(of(3, 5))


def test_a_track_after_the_first_is_read_while_the_first_is_sent(env: simpy.Environment) -> None:
    _, (drive,) = drives(env, 1)
    request = drive.start(of(0, 8, sectors=4))
    env.run()
    # Sectors 8 and 9 from 8 until 10, two of the next track until 12; data from 11 on, four times 2.
    assert done(request) == 19
    assert request.value.channel == pytest.approx(7 * MS)


def test_the_channel_waits_for_a_track_after_the_first(env: simpy.Environment) -> None:
    quick = Link("quick", command=1 * MS, connect=0.0, bytes_per_second=1e6)  # a sector in 0.1 ms
    _, (drive,) = drives(env, 1, quick)
    request = drive.start(of(0, 8, sectors=4))
    env.run()
    assert done(request) == 12.1  # one sector after the last has gone by


@pytest.mark.parametrize(("sectors", "end"), [(1, 6), (2, 7), (3, 18)])
def test_a_write_begins_when_its_data_cannot_fail_any_more(env: simpy.Environment, sectors: int, end: int) -> None:
    channel, (drive,) = drives(env, 1)
    request = drive.start(of(3, 5, sectors, WRITE))
    env.run()
    # Connected at 2, the first sector there at 4, each after it 1 ms later than the head would have it: the head can
    # begin at 4, 5 and 6. The arm is there at 5, just when sector 5 comes.
    assert done(request) == end
    assert channel.busy() == pytest.approx((2 + 2 * sectors) * MS)


@pytest.mark.parametrize(("op", "seek"), [(READ, 4.0), (WRITE, 4.5)])
def test_the_arm_settles_before_it_writes(env: simpy.Environment, op: Op, seek: float) -> None:
    drive = SharingDrive(env, replace(TEN, write_settle=0.5 * MS), SpeedMatching(Channel(env), SLOW))
    request = drive.start(of(3, 5, op=op))
    env.run()
    assert request.value.seek == pytest.approx(seek * MS)


def test_the_head_stays_where_the_last_sector_was(env: simpy.Environment) -> None:
    """Sectors 9 and 10 of cylinder 0 lie under two heads; what follows under the second needs no switch back."""
    drive = SharingDrive(env, replace(TEN, head_switch=0.5 * MS), SpeedMatching(Channel(env), SLOW))
    drive.start(of(0, 9, sectors=2))
    env.run()
    under_the_same, under_the_first = drive.start(of(0, 15)), drive.start(of(0, 5))
    env.run()
    assert (under_the_same.value.seek, under_the_first.value.seek) == pytest.approx((0.0, 0.5 * MS))


@pytest.mark.parametrize(("op", "parts", "whole", "end", "busy"), [
    (READ, (550, 100), (500, 200), 12, 6),  # command until 1, the sectors until 7, connected at 8
    (WRITE, (450, 100), (400, 200), 16, 6),  # connected at 2, the head can begin at 5: sector 4 has gone by
])  # fmt: skip
def test_parts_of_sectors_take_as_long_on_the_channel_as_all_of_them(
    op: Op, parts: tuple[int, int], whole: tuple[int, int], end: float, busy: float
) -> None:
    """On the medium a write of parts of them takes a revolution more."""
    for span, turns in ((whole, 0), (parts, 1 if op is WRITE else 0)):
        env = simpy.Environment()
        channel, (drive,) = drives(env, 1)
        request = drive.start(access(op, *span, Account("test")))
        env.run()
        assert (done(request), round(channel.busy() / MS, 9)) == (end + 10 * turns, busy)


def test_what_waits_for_its_turn_is_in_the_queue(env: simpy.Environment) -> None:
    _, (drive,) = drives(env, 1)
    env.run(until=2 * MS)
    first = drive.start(of(0, 5))
    drive.start(of(0, 6))
    env.run()
    assert drive.reading()["queue"] == pytest.approx((done(first) - 2) * MS)


def test_names_are_told() -> None:
    env = simpy.Environment()
    assert (Channel(env).name, Channel(env, "GIC 1").name) == ("channel", "GIC 1")
    attachment = SpeedMatching(Channel(env), SLOW)
    assert SharingDrive(env, TEN, attachment).name == "drive"
    assert SharingDrive(env, TEN, attachment, name="LDEV 2").name == "LDEV 2"


def test_others_have_the_channel_between_command_and_data(env: simpy.Environment) -> None:
    channel, (one, other) = drives(env, 2)
    first, second = one.start(of(3, 5)), other.start(of(3, 6))
    env.run()
    # Commands until 1 and 2, both arms move, the sectors are there at 6 and 7; data from 6 until 9, from 9 until 12.
    assert (done(first), done(second)) == (9, 12)
    assert second.value == pytest.approx(AccessTiming(0, 2 * MS, 4 * MS, 0, 1 * MS, 5 * MS))
    assert channel.reading() == pytest.approx({"busy": 8 * MS, "grants": 4, "refusals": 0, "waited": 3 * MS})


@pytest.mark.parametrize(("reads", "rotation"), [(False, 4.5), (True, 14.5)])
def test_a_write_whose_data_come_late_waits_for_its_sector(
    env: simpy.Environment, reads: bool, rotation: float
) -> None:
    _, (one, other) = drives(env, 2)
    if reads:
        one.start(of(0, 1, sectors=3))
    env.run(until=3.5 * MS)
    request = other.start(of(0, 9, 1, WRITE))
    env.run()
    # The write's command is over at 4.5. Alone, it is connected at 5.5, and its data are there at 7.5, before the
    # sector comes at 9. But at 4 the read has asked for the channel and has it until 11.5: the data are there at 14.5.
    assert request.value == pytest.approx(AccessTiming(0, 1 * MS, 0, rotation * MS, 1 * MS, 0))


SCHEDULERS = [Fcfs, CLook, Scan, CScan]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_alone_on_a_channel_that_costs_nothing_it_is_a_drive(scheduler: Callable[[], Scheduler]) -> None:
    # With an overhead nothing comes so exactly in time that the least wait costs a revolution.
    disc = replace(TEN, overhead=0.25 * MS)
    draws = stream(7, "wanted")
    wanted = [(draws.randrange(180), draws.randrange(1, 35), kind) for kind in (0, 1, 2) * 20]

    def ends(drive: Drive) -> list[float]:
        requests = []

        def arrivals() -> simpy.events.ProcessGenerator:
            for sector, sectors, kind in wanted:
                yield drive.env.timeout(11.3 * MS)
                span = sector * 100 + 50 * (kind == 2), min(sectors, 199 - sector) * 100
                requests.append(drive.start(access(WRITE if kind else READ, *span, Account("test"))))

        drive.env.process(arrivals())
        drive.env.run()
        return [done(request) for request in requests]

    env = simpy.Environment()
    ours = ends(SharingDrive(env, disc, SpeedMatching(Channel(env), FAST), scheduler()))
    assert len(ours) == len(wanted)
    assert ours == pytest.approx(ends(Drive(simpy.Environment(), disc, scheduler())), abs=1e-6)


@pytest.mark.parametrize("op", list(Op))
def test_it_takes_two_events_an_access(env: simpy.Environment, op: Op) -> None:
    _, (drive,) = drives(env, 1)
    for sector in range(0, 200, 7):
        drive.start(access(op, sector * 100, 100, Account("test")))
    env.run()
    # A write on the medium before the channel has let go of its data is not possible; so nobody waits.
    assert int(repr(env._eid)[len("count("):-1]) == 2 * 29


def worker(drive: SharingDrive, sectors: int) -> simpy.events.ProcessGenerator:
    draws = stream(3, drive.name)
    while True:
        wanted = of(draws.randrange(9), draws.randrange(10), sectors, draws.choice((READ, WRITE)))
        yield from (drive.read if wanted.op is READ else drive.write)(wanted)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_the_channel_bounds_what_the_drives_do_together(number: int) -> None:
    env = simpy.Environment()
    # A sector takes as long on the channel as a revolution: three drives leave it no moment idle.
    channel, together = drives(env, number, Link("narrow", 1 * MS, 1 * MS, 10e3))
    for drive in together:
        env.process(worker(drive, sectors=2))
    env.run(until=20.0)
    completed = sum(drive.reading()["completed"] for drive in together)
    hold = (1 + 1 + 2 * 10) * MS
    assert completed <= 20.0 / hold
    assert channel.busy() <= 20.0
    assert channel.busy() == pytest.approx(completed * hold, abs=number * hold)
    assert (channel.busy() > 0.99 * 20.0) == (number > 2)


def test_phases_only_grow_and_add_up_at_any_instant() -> None:
    env = simpy.Environment()
    _, together = drives(env, 3)
    for drive in together:
        env.process(worker(drive, sectors=4))
    before = [drive.reading() for drive in together]
    for tick in range(1, 2000):
        env.run(until=tick * 0.37 * MS)
        for number, drive in enumerate(together):
            now = drive.reading()
            assert all(now[name] >= before[number][name] - 1e-12 for name in now), tick
            phases = sum(now[name] for name in ("overhead", "seek", "rotation", "transfer", "channel"))
            assert phases == pytest.approx(now["busy"], abs=1e-9)
            before[number] = now


@pytest.mark.parametrize(("name", "value"), [("command", -1.0), ("connect", nan), ("bytes_per_second", 0.0),
                                             ("bytes_per_second", inf), ("command", inf)])
def test_a_link_that_cannot_be_is_a_mistake(name: str, value: float) -> None:
    numbers = {"command": 0.0, "connect": 0.0, "bytes_per_second": 1.0} | {name: value}
    with pytest.raises(UserError, match=f"link odd: {name}"):
        Link("odd", **numbers)
    Link("slow", command=0.0, connect=0.0, bytes_per_second=0.5)
