"""Tests SPTF (shortest positioning time first): its predictions come true, and ageing helps old requests."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import Layout, SectorPlace, Zone, uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import Look, Sptf
from spindle.sim.disc.seek import LinearSeek, TableSeek
from spindle.sim.error import UserError
from spindle.sim.request import Op, Request, Span, access
from spindle.sim.streams import pick
from spindle.sim.units import MS

TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)
ZONED = DiscType(
    "zoned", Layout(300, 4, 512, (Zone(0, 48, 5, 11), Zone(150, 32, 4, 8))), 6000,
    LinearSeek(2 * MS, 15 * MS, 300), head_switch=1 * MS, write_settle=0.5 * MS,
)


def read(cylinder: int, sector: int) -> Request:
    return Request(simpy.Environment(), access(Op.READ, (cylinder * 20 + sector) * 100, 100, Account("test")))


@pytest.mark.parametrize(("overhead", "chosen"), [(0.0, 2), (10 / 3 * MS, 5)])
def test_a_command_costs_time_in_which_the_disc_turns(overhead: float, chosen: int) -> None:
    sptf = Sptf()
    sptf.attach(MovingArm(replace(TEN, overhead=overhead)))
    soon, later = read(0, 2), read(0, 5)
    for request in (soon, later):
        sptf.add(request)
    # After a third of a revolution sector 2 has gone by, and sector 5 is next.
    assert sptf.take(ArmPosition(0, 0), 0.0) is (soon if chosen == 2 else later)


def kept_busy(disc: DiscType, scheduler: Scheduler, waiting: int, requests: int) -> tuple[Drive, list[Request]]:
    """A drive at which *waiting* requests wait at any time, until *requests* of them are done; those that were made."""
    env, random, account, made = simpy.Environment(), Random(1), Account("busy"), list[Request]()
    drive = Drive(env, disc, scheduler)

    def another(_: object = None) -> None:
        if len(made) < requests:
            op = Op.READ if random.random() < 0.66 else Op.WRITE
            made.append(drive.start(access(op, pick(random, disc.layout.sectors // 8) * 4096, 4096, account)))
            made[-1].callbacks.append(another)

    for _ in range(waiting + 1):
        another()
    env.run()
    return drive, made


@pytest.mark.parametrize("overhead", [0.0, 10 / 3 * MS])
def test_with_a_queue_sptf_waits_less_for_the_rotation_than_look(overhead: float) -> None:
    disc = replace(ZONED, overhead=overhead)
    sptf, look = (kept_busy(disc, scheduler, 15, 1000)[0].reading() for scheduler in (Sptf(), Look()))
    assert sptf["rotation"] < 0.6 * look["rotation"]
    assert sptf["busy"] < look["busy"]


def test_the_more_ageing_the_shorter_the_longest_wait_and_the_longer_all_together() -> None:
    runs = [kept_busy(ZONED, Sptf(ageing), 20, 3000) for ageing in (0.0, 0.006, 0.03, 1.0)]
    waits = [max(request.value.queue for request in requests) for _, requests in runs]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > 2 * waits[-1]
    busy = [drive.reading()["busy"] for drive, _ in runs]
    assert busy[0] < busy[2] < busy[3]


def arrive_at(disc: DiscType, make: Callable[[], Scheduler]) -> list[Request]:
    """Reads at random times, faster than the disc; in the order in which they were done."""
    env, random, account, done = simpy.Environment(), Random(2), Account("open"), list[Request]()
    drive = Drive(env, disc, make())

    def arrivals() -> simpy.events.ProcessGenerator:
        for _ in range(300):
            yield env.timeout(random.expovariate(1 / (8 * MS)))
            first = pick(random, disc.layout.sectors // 8) * 4096
            drive.start(access(Op.READ, first, 4096, account)).callbacks.append(done.append)

    env.process(arrivals())
    env.run()
    return done


@pytest.mark.parametrize("ageing", [1e6, inf])
def test_aged_without_end_it_is_first_come_first_served(ageing: float) -> None:
    plain, aged, first = (
        [(request.submitted, request.value) for request in arrive_at(ZONED, make)]
        for make in (Sptf, lambda: Sptf(ageing), Fcfs)
    )
    assert aged == first
    assert plain != first


def test_ageing_counts_seconds_waited_against_seconds_of_positioning() -> None:
    disc = MovingArm(TEN)
    env = simpy.Environment()
    old = Request(env, access(Op.READ, 800, 100, Account("test")))
    env.run(until=0.5)
    young = Request(env, access(Op.READ, 300, 100, Account("test")))
    for ageing, taken in ((0.0, young), (0.009, young), (0.011, old)):
        sptf = Sptf(ageing)
        sptf.attach(disc)
        sptf.add(old)
        sptf.add(young)
        # At 0.5 s angle 0 is under the heads: sector 8 is 5 ms farther off than sector 3, and half a second older.
        assert sptf.take(ArmPosition(0, 0), 0.5) is taken


@pytest.mark.parametrize("ageing", [-0.1, float("nan")])
def test_ageing_below_nothing_is_a_mistake(ageing: float) -> None:
    with pytest.raises(UserError, match="sptf: ageing"):
        Sptf(ageing)


class Asked(MovingArm):
    """Counts the requests that it is asked about."""

    asked = 0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        self.asked += 1
        return super().positioning(arm, now, place, op, span)


FALLING = TableSeek(((0, 0.0), (1, 2 * MS), (20, 9 * MS), (40, 3 * MS), (299, 12 * MS)))
DISCS = [ZONED, replace(ZONED, write_settle=-1 * MS), replace(ZONED, overhead=1 * MS, seek=FALLING)]


@pytest.mark.parametrize("ageing", [0.0, 0.01])
@pytest.mark.parametrize("disc", DISCS, ids=["settling", "settling early", "a table that falls"])
def test_the_soonest_of_all_is_taken_though_few_are_asked_about(disc: DiscType, ageing: float) -> None:
    mechanism, random, env = Asked(disc), Random(1), simpy.Environment()
    sptf, waiting, account, arm = Sptf(ageing), list[Request](), Account("test"), ArmPosition(0, 0)
    sptf.attach(mechanism)
    whole = taken = 0
    for _ in range(400):
        env.run(until=env.now + 5 * MS)
        while len(waiting) < 24:
            op = Op.READ if random.random() < 0.5 else Op.WRITE
            waiting.append(Request(env, access(op, pick(random, disc.layout.sectors) * 512, 512, account)))
            sptf.add(waiting[-1])
        mechanism.asked = 0
        chosen = sptf.take(arm, env.now)
        taken += mechanism.asked
        places = [mechanism.locate(each.access.span.first) for each in waiting]
        far = [MovingArm.positioning(mechanism, arm, env.now, place, each.access.op, each.access.span)
               - ageing * (env.now - each.submitted) for each, place in zip(waiting, places, strict=True)]  # fmt: skip
        tied = [each for each, seconds in zip(waiting, far, strict=True) if seconds <= min(far) + 1e-9]
        assert chosen is tied[0]
        whole += len(waiting)
        arm = ArmPosition(*places[waiting.index(chosen)][:2])
        waiting.remove(chosen)
    assert taken < 0.6 * whole
