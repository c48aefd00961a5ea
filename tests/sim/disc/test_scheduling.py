"""Tests all schedulers: by rules that hold for each, against a slow and obvious version, and by examples by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.contracts.eviction import ContractBroken
from spindle.contracts.scheduling import PROMISES, TEN_CYLINDERS, conflict, promises_of, request_at, serves_in_order
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.kyber import Kyber
from spindle.sim.disc.mechanism import ArmPosition, Mechanism, MovingArm
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.disc.scheduling import CLook, CScan, Look, ReadsFirst, Scan, Sptf, Sstf, TaggedQueue
from spindle.sim.request import Op, Request

SCHEDULERS: dict[str, Callable[[], Scheduler]] = {
    "Fcfs": Fcfs, "Sstf": Sstf, "Look": Look, "CLook": CLook, "Scan": Scan, "CScan": CScan, "Sptf": Sptf,
    "Sptf, aged without end": lambda: Sptf(ageing=inf), "Sptf of 3": lambda: TaggedQueue(Fcfs(), Sptf(), depth=3),
    "CLook after Fcfs": lambda: TaggedQueue(Fcfs(), CLook(), depth=10_000),
    "ReadsFirst": ReadsFirst,
}
SAME_AS = {
    "Scan": "Look", "CScan": "CLook", "Sptf, aged without end": "Fcfs",
    "CLook after Fcfs": "CLook",
}  # fmt: skip
"""The order of the one is that of the other; what the arm does in between is another question."""


def cylinder_of(request: Request) -> int:
    return request.access.span.first // 2000


ROUNDING = 1e-8
"""Sectors at one angle of several tracks are equally near, whatever the last digits of the clock say."""


@dataclass
class Obvious:
    """Looks through all requests, in order of arrival, every time; the first of the least is the one."""

    depth: int = 1_000_000
    queue: list[Request] = field(default_factory=list)
    up: bool = True

    def free(self) -> list[Request]:
        seen = self.queue[: self.depth]
        return [r for i, r in enumerate(seen) if not any(conflict(r, earlier) for earlier in seen[:i])]

    def take(self, name: str, arm: ArmPosition, now: float) -> Request:
        name, free = SAME_AS.get(name, name), self.free()
        keys = [self.key(name, request, arm, now) for request in free]
        chosen = next(request for request, key in zip(free, keys, strict=True) if key <= min(keys) + ROUNDING)
        self.queue.remove(chosen)
        return chosen

    def key(self, name: str, request: Request, arm: ArmPosition, now: float) -> float:
        distance = cylinder_of(request) - arm.cylinder
        if name == "Fcfs":
            return self.queue.index(request)
        if name == "Sstf":
            return abs(distance)
        if name in ("CLook", "ReadsFirst"):
            later = 2000 if name == "ReadsFirst" and request.access.op is Op.WRITE else 0
            return later + (distance if distance >= 0 else 1000 + distance)
        if name == "Look":
            ahead = [cylinder_of(r) - arm.cylinder for r in self.free()]
            if not any(d >= 0 if self.up else d <= 0 for d in ahead):
                self.up = not self.up
            onward = distance if self.up else -distance
            return onward if onward >= 0 else 1000
        mechanism = MovingArm(TEN_CYLINDERS)
        op, span = request.access.op, request.access.span
        return mechanism.positioning(arm, now, mechanism.locate(span.first), op, span)


REQUESTS = st.tuples(st.integers(0, 9), st.integers(0, 19), st.sampled_from(list(Op)), st.integers(1, 30)).filter(
    lambda r: r[0] * 20 + r[1] + r[3] <= 200
)
TAKE = st.tuples(st.integers(0, 9), st.integers(0, 1), st.floats(0, 100, allow_nan=False))


@pytest.mark.parametrize("name", SCHEDULERS)
@settings(max_examples=15)
@given(acts=st.lists(st.one_of(REQUESTS, TAKE), max_size=60))
def test_serves_what_the_obvious_version_serves(name: str, acts: list[tuple]) -> None:
    scheduler, obvious = SCHEDULERS[name](), Obvious(depth=3 if name == "Sptf of 3" else 1_000_000)
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    for act in [*acts, *[(5, 0, 0.0)] * 60]:  # and at the end everything that is left
        if len(act) == 4:
            request = request_at(act[0], act[1], act[2], act[3])
            scheduler.add(request)
            obvious.queue.append(request)
        elif obvious.queue:
            arm, now = ArmPosition(act[0], act[1]), act[2]
            assert scheduler.take(arm, now) is obvious.take(name, arm, now)
        assert len(scheduler) == len(obvious.queue)
    assert len(scheduler) == 0


@pytest.mark.parametrize("name", [*SCHEDULERS, "Sptf after CLook"])
@settings(max_examples=15)
@given(wanted=st.lists(REQUESTS, min_size=1, max_size=40))
def test_takes_each_once_and_keeps_what_overlaps_a_write_in_order(name: str, wanted: list[tuple]) -> None:
    serves_in_order(SCHEDULERS[name]() if name in SCHEDULERS else TaggedQueue(CLook(), Sptf(), depth=4), wanted)


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.parametrize("promise", PROMISES)
def test_keeps_what_every_scheduler_promises(name: str, promise: str) -> None:
    PROMISES[promise](SCHEDULERS[name])


@pytest.mark.parametrize("make", [Kyber, MqDeadline])
def test_schedulers_of_linux_promise_the_rest(make: type) -> None:
    assert [*PROMISES][1:2] == [each for each in PROMISES if each not in promises_of(make)]
    for check in promises_of(make).values():
        check(make)


class Careless(Look):
    """Serves any drive, and takes what has waited least, whatever it passes."""

    def __init__(self) -> None:
        self._requests: list[Request] = []

    def attach(self, mechanism: Mechanism) -> None:
        pass

    def add(self, request: Request) -> None:
        self._requests.append(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self._requests.pop()

    def __len__(self) -> int:
        return len(self._requests)


@pytest.mark.parametrize(("promise", "breach"), [
    ("it serves one drive and refuses a second", "it can be given to two drives"),
    ("no request passes one that it overlaps if either writes", "a request passes one"),
])  # fmt: skip
def test_what_is_broken_is_said(promise: str, breach: str) -> None:
    with pytest.raises(ContractBroken, match=breach):
        PROMISES[promise](Careless)


def order(scheduler: Scheduler, requests: list[Request], at: int) -> list[int]:
    """The cylinders in the order in which an arm that starts *at* serves them."""
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    for request in requests:
        scheduler.add(request)
    visited = []
    for _ in requests:
        at = cylinder_of(scheduler.take(ArmPosition(at, 0), 0.0))
        visited.append(at)
    return visited


@pytest.mark.parametrize(
    ("scheduler", "visited"),
    [
        (Fcfs, [8, 1, 6, 3, 9, 4]),
        (Sstf, [4, 3, 1, 6, 8, 9]),
        (Look, [6, 8, 9, 4, 3, 1]),
        (CLook, [6, 8, 9, 1, 3, 4]),
    ],
)
def test_textbook_order_from_cylinder_five(scheduler: type, visited: list[int]) -> None:
    if scheduler is Sstf:  # 4 and 6 are equally near to 5, and 4 is asked for first here
        assert order(Sstf(), [request_at(c) for c in (8, 1, 4, 6, 3, 9)], at=5) == visited
    else:
        assert order(scheduler(), [request_at(c) for c in (8, 1, 6, 3, 9, 4)], at=5) == visited


def test_of_two_equally_near_the_one_asked_for_first_is_served() -> None:
    assert order(Sstf(), [request_at(3), request_at(7)], at=5) == [3, 7]
    assert order(Sstf(), [request_at(7), request_at(3)], at=5) == [7, 3]


def test_look_goes_up_and_down() -> None:
    look = Look()
    look.attach(MovingArm(TEN_CYLINDERS))
    taken = []
    for more in ((5, 2), (8,), (1,), (9,), (0,)):
        for cylinder in more:
            look.add(request_at(cylinder))
        taken.append(cylinder_of(look.take(ArmPosition(taken[-1] if taken else 4, 0), 0.0)))
    # Up to 5 and 8; nothing above, so down to 2 and on to 1 though 9 has come meanwhile; then 0.
    assert taken == [5, 8, 2, 1, 0]


def test_sptf_takes_the_far_cylinder_whose_sector_comes_first() -> None:
    sptf = Sptf()
    sptf.attach(MovingArm(TEN_CYLINDERS))
    near, far = request_at(1, sector=1), request_at(5, sector=7)
    sptf.add(near)
    sptf.add(far)
    # Cylinder 1 is reached after 2 ms, when sector 1 has just gone by: 11 ms. Cylinder 5 is reached after 6 ms, and
    # its sector 7 is the next but one: 7 ms.
    assert sptf.take(ArmPosition(0, 0), 0.0) is far


def test_reads_of_the_same_place_may_pass_each_other_but_not_a_write() -> None:
    here, there = 1, 9
    requests = [request_at(there), request_at(here, op=Op.WRITE), request_at(here), request_at(there, sectors=3)]
    sstf = Sstf()
    sstf.attach(MovingArm(TEN_CYLINDERS))
    for request in requests:
        sstf.add(request)
    served = [sstf.take(ArmPosition(here, 0), 0.0) for _ in range(2)]
    assert served == [requests[1], requests[2]]


def test_reads_are_served_before_writes() -> None:
    queue = ReadsFirst()
    queue.attach(MovingArm(TEN_CYLINDERS))
    for cylinder, op in ((5, Op.WRITE), (3, Op.READ), (6, Op.WRITE), (8, Op.READ)):
        queue.add(request_at(cylinder, op=op))
    taken = [queue.take(ArmPosition(5, 0), 0.0).access.span.first // 2000 for _ in range(len(queue))]
    assert taken == [8, 3, 5, 6]
    assert len(queue) == 0
