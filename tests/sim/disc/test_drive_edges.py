"""Tests details of a drive by hand: counters at an instant, discarded state, and values passed on."""

import pytest
import simpy

from spindle.contracts.scheduling import TEN_CYLINDERS, request_at
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, DriveCounts, Fcfs, Scheduler
from spindle.sim.disc.hazards import HazardTracker
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, MovingArm
from spindle.sim.disc.scheduling import Look, Sstf
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parts import credits_of, parts_on
from spindle.sim.request import READ, WRITE, Access, AccessTiming, Op, Request, Span, access

FIRST = AccessTiming(queue=1.0, overhead=1.0, seek=0.5, rotation=0.25, transfer=2.0, channel=0.25)
SECOND = AccessTiming(queue=4.0, overhead=0.5, seek=0.0, rotation=0.0, transfer=1.0, channel=0.5)
THIRD = AccessTiming(queue=5.0, overhead=0.25, seek=0.0, rotation=0.0, transfer=0.0, channel=0.25)


def of(op: Op, first: int = 0, length: int = 512) -> Access:
    return access(op, first, length, Account("test"))


def seen(counts: DriveCounts, now: float) -> list[float]:
    reading = counts.reading(now)
    return [reading[name] for name in ("busy", "number_seconds", "queue", "overhead", "seek", "rotation", "transfer",
                                       "channel")]  # fmt: skip


def test_what_is_counted_at_any_instant() -> None:
    counts = DriveCounts(10.0, 512)
    assert seen(counts, 10.0) == [0.0] * 8
    for now in (10.0, 11.0, 12.0):
        counts.enter(now)
        if now == 11.0:
            counts.begin(now, FIRST)
    # Present were one, then two: 1 + 2. The first waited 1 s, the second until now as long.
    assert seen(counts, 12.0) == [1, 3, 2, 1, 0, 0, 0, 0]
    counts.leave(15.0, of(READ), FIRST)
    counts.begin(15.0, SECOND)
    # Three for 3 s and two for one; the third has waited since 12.
    assert seen(counts, 16.0) == [5, 14, 9, 1.5, 0.5, 0.25, 2.5, 0.25]
    counts.leave(17.0, of(WRITE, 100, 412), SECOND)
    counts.begin(17.0, THIRD)
    counts.leave(17.5, of(WRITE, 0, 100), THIRD)
    assert seen(counts, 18.0) == [6.5, 16.5, 10, 1.75, 0.5, 0.25, 3, 1]
    names = ("issued", "completed", "reads", "writes", "partial_writes", "bytes_read", "bytes_written")
    assert [counts.reading(18.0)[name] for name in names] == [3, 3, 1, 2, 2, 512, 512]


def test_nobody_who_waits_leaves_a_rounding_behind() -> None:
    """0.1 + 0.2 + 0.3 - 0.1 - 0.2 - 0.3 is not nothing."""
    counts = DriveCounts(0.0, 512)
    for now in (0.1, 0.2, 0.3):
        counts.enter(now)
    for now in (0.1, 0.2, 0.3):
        counts.begin(1.0, AccessTiming(1.0 - now, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert counts._submitted == 0.0


def test_a_drive_reads_a_single_byte_and_forgets_writes_that_are_done(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(1.0))
    assert drive.name == "drive"
    for op in (READ, WRITE):
        drive.start(of(op, 0, 1))
    env.run()
    assert (env.now, drive._writes) == (2.0, {})


@pytest.mark.parametrize(("gathers", "order", "events"), [
    (False, [5, 4, 3, 9, 7, 6], 12), (True, [3, 4, 5, 6, 7, 9], 14),
])  # fmt: skip
def test_a_drive_that_gathers_sees_all_of_an_instant_before_it_begins(
    env: simpy.Environment, gathers: bool, order: list[int], events: int
) -> None:
    """Also what comes after other events of that instant; then it takes the nearest, and an event more."""
    drive, done = Drive(env, TEN_CYLINDERS, Sstf()), list[int]()
    if gathers:
        drive.gather()
    assert drive.gathers is gathers

    def ask(*cylinders: int) -> None:
        for cylinder in cylinders:
            request = drive.start(of(READ, cylinder * 2000, 100))
            request.callbacks.append(lambda request: done.append(request.access.span.first // 2000))

    for instant, first, then in ((1.0, (5, 4), (3,)), (2.0, (9, 6), (7,))):
        env.run(until=instant)
        ask(*first)
        env.timeout(0.0).callbacks.append(lambda _, then=then: ask(*then))  # type: ignore[misc]
    env.run()
    assert (done, next(env._eid)) == (order, events)


def test_a_drive_is_a_part_on_its_clock_that_cites_its_sheet(env: simpy.Environment) -> None:
    drives = [Drive(env, TEN_CYLINDERS), Drive(env, FixedService(1.0))]
    assert (parts_on(env), credits_of(env)) == (drives, [TEN_CYLINDERS])
    assert [drive.sector_bytes for drive in drives] == [100, 1]
    other = simpy.Environment()
    Drive(other, MovingArm(TEN_CYLINDERS))
    assert credits_of(other) == [TEN_CYLINDERS]


def test_what_a_drive_lost_is_a_fault(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(1.0))
    for _ in range(3):
        drive.start(of(READ))
    assert drive.faults() == []
    env.run(until=1.5)
    assert drive.faults() == []
    drive.counts.waiting = 0
    assert drive.faults() == ["3 requests issued, 1 completed, 0 wait and 1 are served"]


def test_a_flush_of_nothing_takes_no_event(env: simpy.Environment) -> None:
    assert list(Drive(env, TEN_CYLINDERS).flush(Span(0, 100))) == []


class Detour(Fcfs):
    """Sends the arm over a place of cylinder 3, head 1."""

    via = (SectorPlace(3, 1, 0, 0.0, 10),)


class Noting(FixedService):
    """Takes a second to travel, and notes where the arm is when it serves."""

    def __init__(self) -> None:
        super().__init__(1.0)
        self.arms: list[ArmPosition] = []

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 1.0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        self.arms.append(arm)
        return super().serve(arm, now, op, span, queue)


def test_a_detour_ends_over_its_track(env: simpy.Environment) -> None:
    noting = Noting()
    Drive(env, noting, Detour()).start(of(READ))
    env.run()
    assert (noting.arms, env.now) == ([(3, 1)], 2.0)


def in_turn(scheduler: Scheduler, asking: list[list[int]]) -> list[int]:
    """The cylinders in the order of service, if those of each list come before a turn; the arm is where it was last."""
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    at, taken = 5, []
    for cylinders in asking:
        for cylinder in cylinders:
            scheduler.add(request_at(cylinder))
        request = scheduler.take(ArmPosition(at, 0), 0.0)
        at = request.access.span.first // 2000
        taken.append(at)
    return taken


def test_look_goes_on_down_from_the_lowest_that_waits_until_it_has_none_there() -> None:
    """While there is one more on its cylinder it has not turned: what comes below it is served before what is above."""
    assert in_turn(Look(), [[3, 3], [], [8, 1], []]) == [3, 3, 1, 8]
    assert in_turn(Look(), [[3], [8, 1], []]) == [3, 1, 8]
    assert in_turn(Look(), [[7, 7], [], [8, 1], []]) == [7, 7, 8, 1]


class Pairs(Fcfs):
    """Keeps what waits until there are two."""

    def __len__(self) -> int:
        return super().__len__() // 2


def test_a_drive_that_gathers_asks_again_when_the_scheduler_kept_all(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(1.0), Pairs())
    drive.gather()
    for instant in (1.0, 2.0):
        env.run(until=instant)
        drive.start(of(READ))
    env.run()
    assert (env.now, drive.counts.completed) == (4.0, 2)


def test_hazards_of_reads_alone_are_not_noted_and_those_of_writes_forgotten() -> None:
    tracker, queue = HazardTracker(), list[Request]()
    read, write, later = request_at(1), request_at(1, op=WRITE), request_at(1)
    for request, free in ((read, True), (write, False), (later, False)):
        assert tracker.enter(request, lambda: queue) is free
        queue.append(request)
        assert bool(tracker._by_address) is (request is not read)
    assert list(tracker.leave(read)) == [write]
    assert list(tracker.leave(write)) == [later]
    assert (tracker._by_address, tracker._writes, tracker._longest) == ([], 0, 0)
    assert tracker.enter(request_at(2), lambda: queue)
    assert tracker._by_address == []


def test_hazards_are_of_a_single_byte() -> None:
    """The longest that is listed reaches byte 99, which the second reads; byte 100 is the third's."""
    tracker, env = HazardTracker(), simpy.Environment()
    write, read, beyond = (Request(env, of(op, first, 100)) for op, first in ((WRITE, 0), (READ, 99), (READ, 100)))
    assert [tracker.enter(request, lambda: ()) for request in (write, beyond, read)] == [True, True, False]


@pytest.mark.parametrize("writes", [1, 2])
def test_hazards_are_noted_until_the_last_write_has_left(writes: int) -> None:
    tracker = HazardTracker()
    requests = [request_at(cylinder, op=WRITE) for cylinder in range(writes)]
    for request in requests:
        assert tracker.enter(request, lambda: ())
    for left, request in reversed(list(enumerate(requests))):
        assert tracker.leave(request) == []
        assert (tracker._writes, len(tracker._by_address)) == (left, left)
