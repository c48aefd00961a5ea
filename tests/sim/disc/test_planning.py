"""Tests a drive's own queue by hand: what its plan fixes in advance, where it chooses from, and what takes a tag."""

from dataclasses import replace
from math import inf

import pytest
import simpy

from spindle.contracts.scheduling import TEN_CYLINDERS, request_at
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, MovingArm
from spindle.sim.disc.planning import CachedQueue, DriveQueue, PlannedQueue
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import Asked

START = ArmPosition(0, 0)


def served(queue: Scheduler, first: list[Request], then: list[Request]) -> list[int]:
    """The cylinders in the order of service of *first*, of which one is taken before *then* come, too."""
    queue.attach(MovingArm(TEN_CYLINDERS))
    order = []
    for requests, count in ((first, 1), (then, len(first + then) - 1)):
        for request in requests:
            queue.add(request)
        order += [queue.take(START, 0.0).access.span.first // 2000 for _ in range(count)]
    assert len(queue) == 0
    return order


def at(*cylinders: int) -> list[Request]:
    return [request_at(cylinder) for cylinder in cylinders]


class Looking(MovingArm):
    """Looks at the whole request, as an arm with a buffer does."""

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        assert self.locate(span.first) == place
        return super().positioning(arm, now, place, op, span)


@pytest.mark.parametrize(("ahead", "order"), [(1, [5, 7, 6, 9, 2]), (2, [5, 7, 9, 6, 2])])
def test_nothing_overtakes_what_is_planned(ahead: int, order: list[int]) -> None:
    """The nearest is next: after 5 it is 7 (and 9), planned before 6 and 2 come."""
    for queue in (PlannedQueue(Sstf(), ahead), DriveQueue(8, ahead, None).scheduler(Fcfs())):
        assert list(queue.via) == []
        assert served(queue, at(9, 5, 7), at(6, 2)) == order


def test_it_chooses_for_where_and_when_the_last_of_the_plan_is_under_the_head() -> None:
    """Cylinder 3 is reached at 5 ms, where sector 5 begins; for the write settled at 14 ms, sector 9 comes at 19."""
    env, choice = simpy.Environment(), Asked()
    queue = PlannedQueue(choice, 1)
    queue.attach(Looking(replace(TEN_CYLINDERS, write_settle=6 * MS)))
    requests = [request_at(3, 5, sectors=2), request_at(1, 9, WRITE, sectors=2), request_at(1, 12)]
    for request in requests:
        queue.add(request)
    assert (choice.asked, len(queue)) == ([], 3)
    for request, arm, now in zip(requests, (START, ArmPosition(8, 1), ArmPosition(8, 1)), (1, 2, 30), strict=True):
        assert queue.take(arm, now * MS) is request
    assert choice.asked == [((0, 0), 1), ((3, 0), 5), ((1, 1), 19)]
    # Sector 12 is under the head at 22 ms. What is asked for later is planned at once, and not for an instant gone by.
    for now in (21, 40):
        env.run(until=now * MS)
        queue.add(Request(env, access(READ, 3200, 100, Account("test"))))
        assert len(queue) == 1
        queue.take(START, 60 * MS)
    assert choice.asked[3:] == [((1, 1), 22), ((1, 1), 40)]


def test_it_goes_on_from_the_track_of_the_last_byte() -> None:
    """Byte 1000 is the first under head 1, and sector 19 of cylinder 3 the last under it."""
    choice = Asked()
    queue = PlannedQueue(choice, 1)
    queue.attach(MovingArm(TEN_CYLINDERS))
    byte = Request(simpy.Environment(), access(READ, 1000, 1, Account("test")))
    for request in (byte, request_at(3, 18, sectors=2), request_at(9)):
        queue.add(request)
    for _ in range(3):
        queue.take(START, 0.0)
    assert [arm for arm, _ in choice.asked] == [START, (0, 1), (3, 1)]


@pytest.mark.parametrize(("queue", "cylinders"), [
    (DriveQueue(tags=8, ageing=None), [1, 5]), (DriveQueue(tags=8), [5, 1]), (DriveQueue(tags=8, ageing=inf), [1, 5]),
])  # fmt: skip
def test_a_drive_chooses_by_seek_or_by_positioning_or_by_age(queue: DriveQueue, cylinders: list[int]) -> None:
    """Sector 1 of cylinder 1 has just gone by at 2 ms, and comes at 11; sector 7 of cylinder 5 comes at 7."""
    assert served(queue.scheduler(Fcfs()), [request_at(1, 1), request_at(5, 7)], []) == cylinders


@pytest.mark.parametrize(("tags", "order"), [(2, [9, 8, 2, 1]), (3, [9, 1, 2, 8]), (4, [9, 1, 8, 2])])
def test_as_many_as_there_are_tags_are_in_the_drive(tags: int, order: list[int]) -> None:
    """One of them is being served. The host hands over the nearest to the last; the drive serves as they came."""
    drive = DriveQueue(tags, ageing=inf)
    for queue in (drive.scheduler(Sstf()), replace(drive, writes=1).scheduler(Sstf())):
        assert served(queue, at(9, 1, 8, 2), []) == order
    assert served(DriveQueue(tags - 1).waiting(Sstf()), at(9, 1, 8, 2), []) == order, "one waits beside the tags"


def asked(op: Op, cylinder: int, *, durable: bool = False) -> Request:
    wanted = access(op, cylinder * 2000, 100, Account("test"))._replace(durable=durable)
    return Request(simpy.Environment(), wanted)


def test_of_two_tags_cached_writes_take_none_and_reads_and_durable_writes_take_one() -> None:
    """9 and 1 are cached; 5 has the tag beside that of what is being served, for which the host sends 4.

    Both are in the drive before 8 is, which is cached, too. As they are taken the host sends 3, and so on. At the end
    all tags are free: 7 is in the drive at once.
    """
    queue = CachedQueue(Sstf(), Fcfs(), 2)
    first = [asked(WRITE, 9), asked(WRITE, 1), asked(READ, 5), asked(READ, 0), asked(READ, 4),
             asked(WRITE, 3, durable=True)]  # fmt: skip
    assert served(queue, first, [asked(WRITE, 8)]) == [9, 1, 5, 4, 8, 3, 0]
    for request in at(7, 2, 8):
        queue.add(request)
    assert [queue.take(START, 0.0).access.span.first // 2000 for _ in range(3)] == [7, 8, 2]
    then = [asked(READ, 7), asked(READ, 8), asked(WRITE, 2)]
    assert served(CachedQueue(Sstf(), Fcfs(), 2), [asked(WRITE, each) for each in (9, 1, 6)], then) == [
        9, 1, 6, 7, 2, 8]  # fmt: skip


def test_below_a_cache_the_host_too_chooses_from_where_the_arm_is_or_will_be() -> None:
    """With one tag it chooses when asked: at first from where the arm is, and then from the last handed over."""
    host = Asked()
    queue = CachedQueue(host, Fcfs(), 1)
    queue.attach(MovingArm(TEN_CYLINDERS))
    for request in at(5, 8):
        queue.add(request)
    for now in (1, 2):
        queue.take(ArmPosition(3, 1), now * MS)
    assert host.asked == [((3, 1), 1), ((5, 0), 2)]


@pytest.mark.parametrize(("name", "low", "high"), [("tags", 1, 65_536), ("ahead", 1, 1024), ("writes", 0, 1_048_576)])
def test_a_queue_that_cannot_be_is_a_mistake(name: str, low: int, high: int) -> None:
    for number in (low, high):
        assert getattr(DriveQueue(**{name: number}), name) == number
    for number in (low - 1, high + 1):
        with pytest.raises(UserError, match=f"queue: {name} must be from {low} to {high}, not {number}"):
            DriveQueue(**{name: number})


def test_what_is_not_said_of_a_queue() -> None:
    assert DriveQueue() == DriveQueue(tags=32, ahead=1, ageing=0.0, writes=0)
    with pytest.raises(UserError, match="planned queue: it plans at least 1 request ahead, not 0"):
        PlannedQueue(Sstf(), 0)
