"""Drives without a buffer on one channel: seeks overlap, transfers do not, and who is refused loses revolutions."""

from collections.abc import Callable

import pytest
import simpy

from spindle.sim.account import Account
from spindle.sim.disc.channel import Channel, SharingDrive, Unbuffered
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import CLook, CScan, Fcfs, Scan, Scheduler, Sptf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import Access, Op, Request, Service, access
from spindle.sim.streams import stream
from spindle.sim.units import MS

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), overhead=0.5 * MS)


def of(cylinder: int, sector: int, sectors: int = 1, op: Op = Op.READ) -> Access:
    return access(op, (cylinder * 20 + sector) * 100, sectors * 100, Account("test"))


def done(request: Request) -> float:
    return round((request.submitted + request.value.queue + request.value.total) / MS, 9)


def drives(env: simpy.Environment, number: int) -> tuple[Channel, list[SharingDrive]]:
    channel = Channel(env)
    shared = Unbuffered(channel)
    return channel, [SharingDrive(env, TEN, shared, name=f"drive {each}") for each in range(number)]


def test_two_seek_together_and_transfer_one_after_the_other(env: simpy.Environment) -> None:
    channel, (one, other) = drives(env, 2)
    first, second = one.start(of(3, 5)), other.start(of(3, 6))
    env.run()
    # Both arms move from 0.5 until 4.5; the sectors come at 5 and, just as the channel is free again, at 6.
    assert (done(first), done(second)) == (6, 7)
    assert channel.reading() == pytest.approx({"busy": 2 * MS, "grants": 2, "refusals": 0, "waited": 0})


def test_who_is_refused_tries_again_a_revolution_later(env: simpy.Environment) -> None:
    channel, (one, other) = drives(env, 2)
    first, second = one.start(of(3, 5)), other.start(of(3, 5))
    env.run()
    assert (done(first), done(second)) == (6, 16)
    assert second.value == pytest.approx(Service(0, 0.5 * MS, 4 * MS, 10.5 * MS, 1 * MS, 0))
    assert channel.refusals == 1


def test_revolutions_are_lost_until_the_channel_is_free(env: simpy.Environment) -> None:
    channel, (one, other) = drives(env, 2)
    first, second = one.start(of(3, 0, sectors=20)), other.start(of(3, 1))
    env.run()
    # Both tracks go by from 10 until 30, without a pause between them. The other's sector comes at 11, 21 and 31.
    assert (done(first), done(second)) == (30, 32)
    assert channel.refusals == 2


SCHEDULERS = [Fcfs, Sptf, CLook, Scan, CScan]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_alone_on_its_channel_it_is_a_drive(scheduler: Callable[[], Scheduler]) -> None:
    draws = stream(7, "wanted")
    wanted = [(draws.randrange(180), draws.randrange(1, 35), kind) for kind in (0, 1, 2) * 20]

    def ends(drive: Drive) -> list[float]:
        requests = []

        def arrivals() -> simpy.events.ProcessGenerator:
            for sector, sectors, kind in wanted:
                yield drive.env.timeout(11 * MS)
                span = sector * 100 + 50 * (kind == 2), min(sectors, 199 - sector) * 100
                requests.append(drive.start(access(Op.WRITE if kind else Op.READ, *span, Account("test"))))

        drive.env.process(arrivals())
        drive.env.run()
        assert drive.reading()["completed"] == len(wanted)
        return [done(request) for request in requests]

    env = simpy.Environment()
    ours = ends(SharingDrive(env, TEN, Unbuffered(Channel(env)), scheduler()))
    assert ours == pytest.approx(ends(Drive(simpy.Environment(), TEN, scheduler())), rel=1e-9)


def test_it_takes_two_events_an_access(env: simpy.Environment) -> None:
    _, (drive,) = drives(env, 1)
    for sector in range(0, 200, 7):
        drive.start(access(Op.READ, sector * 100, 100, Account("test")))
    env.run()
    assert int(repr(env._eid)[len("count("):-1]) == 2 * 29


def reader(drive: SharingDrive, seed: int, sectors: int) -> simpy.events.ProcessGenerator:
    draws = stream(seed, drive.name)
    while True:
        yield from drive.read(of(draws.randrange(10), 10 * draws.randrange(2), sectors))


@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_drives_together_transfer_no_more_than_the_channel_can(number: int) -> None:
    env = simpy.Environment()
    channel, together = drives(env, number)
    for drive in together:
        env.process(reader(drive, 3, sectors=10))
    env.run(until=5.0)
    readings = [drive.reading() for drive in together]
    completed = sum(reading["completed"] for reading in readings)
    # Each transfer holds the channel for one revolution: utilisation is throughput times holding time.
    assert channel.busy() <= 5.0
    assert completed <= 5.0 / (10 * MS)
    assert channel.busy() == pytest.approx(completed * 10 * MS, abs=10 * MS)
    assert channel.busy() == pytest.approx(sum(reading["transfer"] for reading in readings))


def test_phases_only_grow_and_add_up_at_any_instant() -> None:
    env = simpy.Environment()
    _, together = drives(env, 3)
    for drive in together:
        env.process(reader(drive, 5, sectors=7))
    before = [drive.reading() for drive in together]
    for tick in range(1, 2000):
        env.run(until=tick * 0.37 * MS)
        for number, drive in enumerate(together):
            now = drive.reading()
            assert all(now[name] >= before[number][name] - 1e-12 for name in now)
            phases = sum(now[name] for name in ("overhead", "seek", "rotation", "transfer", "channel"))
            assert phases == pytest.approx(now["busy"], abs=1e-9)
            before[number] = now
