"""Tests tagged queues by hand: the choices of host and drive, and depths at which one of the two decides alone."""

from collections.abc import Callable

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import CLook, Look, Scan, Sptf, Sstf, TaggedQueue
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.error import UserError
from spindle.sim.request import AccessTiming, Op, Request, access
from spindle.sim.units import MS

TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)
SCHEDULERS: dict[str, Callable[[], Scheduler]] = {"Fcfs": Fcfs, "Sstf": Sstf, "Look": Look, "CLook": CLook}


def asked(cylinder: int, sector: int = 0, op: Op = Op.READ) -> Request:
    return Request(simpy.Environment(), access(op, (cylinder * 20 + sector) * 100, 100, Account("test")))


def cylinders_served(scheduler: Scheduler, cylinders: tuple[int, ...], at: int) -> list[int]:
    scheduler.attach(MovingArm(TEN))
    for cylinder in cylinders:
        scheduler.add(asked(cylinder))
    served = []
    for _ in cylinders:
        at = scheduler.take(ArmPosition(at, 0), 0.0).access.span.first // 2000
        served.append(at)
    return served


def test_the_drive_chooses_among_what_the_host_handed_over() -> None:
    # The drive gets 8 and 1 as they come. Its third tag the host fills in its own order, from 1 upwards: 3, 4, 6, 9.
    # The nearest of (8 1 3) to 5 is 3, of (8 1 4) to 3 is 4, of (8 1 6) to 4 is 6, of (8 1 9) to 6 is 8.
    assert cylinders_served(TaggedQueue(CLook(), Sstf(), depth=3), (8, 1, 6, 3, 9, 4), at=5) == [3, 4, 6, 8, 9, 1]


def test_two_tags_are_one_in_service_and_one_that_waits() -> None:
    # 8 waits at the drive, where it came first; the host hands over 1, 3 and 6 from there, lowest first.
    assert cylinders_served(TaggedQueue(CLook(), Sstf(), depth=2), (8, 6, 1, 3), at=2) == [1, 3, 6, 8]


def test_the_host_goes_on_from_the_last_sector_of_what_it_handed_over() -> None:
    """That is on cylinder 3, from where 2 is nearer than 5; the next sector is on cylinder 4."""
    staged = TaggedQueue(Sstf(), Fcfs(), depth=2)
    staged.attach(MovingArm(TEN))
    handed, far, near = asked(3, sector=19), asked(5), asked(2)
    for request in (handed, far, near):
        staged.add(request)
    assert [staged.take(ArmPosition(3, 1), 0.0) for _ in range(3)] == [handed, near, far]


def test_with_few_tags_the_drive_does_not_see_the_younger_ones() -> None:
    staged = TaggedQueue(Fcfs(), Sptf(), depth=2)
    staged.attach(MovingArm(TEN))
    slow, slower, quick = asked(0, sector=5), asked(0, sector=6), asked(0, sector=1)
    for request in (slow, slower, quick):
        staged.add(request)
    here = ArmPosition(0, 0)
    assert [staged.take(here, 0.0), staged.take(here, 0.0), staged.take(here, 0.0)] == [slow, quick, slower]


def test_a_write_is_not_passed_on_its_way_from_host_to_drive() -> None:
    staged = TaggedQueue(CLook(), Sstf(), depth=2)
    staged.attach(MovingArm(TEN))
    far, write, read = asked(9), asked(4, op=Op.WRITE), asked(4)
    for request in (far, write, read):
        staged.add(request)
    assert [staged.take(ArmPosition(4, 0), 0.0) for _ in range(3)] == [write, read, far]


REQUESTS = st.tuples(
    st.integers(0, 194), st.integers(1, 5), st.sampled_from(list(Op)), st.sampled_from([0, 0, 1, 7, 30])
)


def services(scheduler: Scheduler, wanted: list[tuple[int, int, Op, int]]) -> list[AccessTiming]:
    """What a drive does for these: sector, sectors, operation, and milliseconds after the one before."""
    env, account, requests = simpy.Environment(), Account("test"), list[Request]()
    drive = Drive(env, TEN, scheduler)

    def arrivals() -> simpy.events.ProcessGenerator:
        for sector, sectors, op, gap in wanted:
            yield env.timeout(gap * MS)
            requests.append(drive.start(access(op, sector * 100, sectors * 100, account)))

    env.process(arrivals())
    env.run()
    return [request.value for request in requests]


@pytest.mark.parametrize("name", [*SCHEDULERS, "Sptf"])
@given(wanted=st.lists(REQUESTS, min_size=1, max_size=40))
def test_with_tags_for_all_the_drive_decides_alone(name: str, wanted: list[tuple[int, int, Op, int]]) -> None:
    make = SCHEDULERS.get(name, Sptf)
    assert services(TaggedQueue(CLook(), make(), depth=1000), wanted) == services(make(), wanted)


@pytest.mark.parametrize("name", SCHEDULERS)
@given(wanted=st.lists(REQUESTS, min_size=1, max_size=40))
def test_with_one_tag_the_host_decides_alone(name: str, wanted: list[tuple[int, int, Op, int]]) -> None:
    make = SCHEDULERS[name]
    assert services(TaggedQueue(make(), Sptf(), depth=1), wanted) == services(make(), wanted)


def test_only_the_drive_sends_its_arm_over_the_edge() -> None:
    wanted = [(100, 1, Op.READ, 0), (60, 1, Op.READ, 0)]
    assert services(TaggedQueue(Fcfs(), Scan(), depth=8), wanted) == services(Scan(), wanted)
    assert services(TaggedQueue(Scan(), Fcfs(), depth=1), wanted) == services(Look(), wanted)


def test_depth_of_nothing_is_a_mistake() -> None:
    with pytest.raises(UserError, match="tagged queue: depth 0 must be at least 1"):
        TaggedQueue(Fcfs(), Sptf(), depth=0)
