"""Each promise of the contract of schedulers is broken alone, by hand, and the breach is said."""

from collections.abc import Callable
from itertools import count

import pytest

from spindle.contracts.eviction import ContractBroken
from spindle.contracts.scheduling import (
    ORDER_PROMISE,
    PROMISES,
    conflict,
    promises_of,
    random_queues,
    request_at,
    serves_all,
    serves_in_order,
)
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.request import Op, Request

ONCE, ORDERED, SAME, ALONE = PROMISES


class Queue:
    """First come, first served, for any drive."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def attach(self, mechanism: Mechanism) -> None:
        """Take any drive."""

    def add(self, request: Request) -> None:
        self.requests.append(request)

    def take(self, position: ArmPosition, now: float) -> Request:
        return self.requests.pop(0)

    def __len__(self) -> int:
        return len(self.requests)


class Blind(Queue):
    def __len__(self) -> int:
        return min(3, len(self.requests))


class Uneasy(Queue):
    """Still counts one when all are served."""

    served = False

    def take(self, position: ArmPosition, now: float) -> Request:
        self.served = True
        return super().take(position, now)

    def __len__(self) -> int:
        return max(int(self.served), len(self.requests))


class Repeating(Queue):
    """Serves the first one twice, and the second never."""

    first: Request | None = None

    def take(self, position: ArmPosition, now: float) -> Request:
        taken = super().take(position, now)
        self.first, before = self.first or taken, self.first
        return before if before is not None and not self.requests else taken


class Newest(Queue):
    def take(self, position: ArmPosition, now: float) -> Request:
        return self.requests.pop()


class ByChance(Queue):
    """As the hashes of requests would have it: other ones at each run."""

    number = count()

    def take(self, position: ArmPosition, now: float) -> Request:
        return self.requests.pop(next(self.number) * 7919 // 5 % len(self.requests))


class Unordered(Newest):
    unordered = True


@pytest.mark.parametrize(("promise", "kind", "breach"), [
    (ONCE, Blind, "its length is 3 with 4 requests"), (ONCE, Uneasy, "its length is not 0 when all are served"),
    (ONCE, Repeating, "a request is served twice, or never"),
    (ORDERED, Newest, "a request passes one that it overlaps, and one of the two writes"),
    (SAME, ByChance, "the same queue is served in another order"),
    (ALONE, Queue, "it can be given to two drives, which then take each other's requests: see "
                   "spindle.sim.disc.drive.attach_once"),
])  # fmt: skip
def test_a_broken_promise_is_said(promise: str, kind: Callable[[], Queue], breach: str) -> None:
    with pytest.raises(ContractBroken) as broken:
        PROMISES[promise](kind)
    assert str(broken.value) == breach


def test_what_keeps_its_promises_breaks_none() -> None:
    for check in promises_of(Sptf).values():
        check(Sptf)


def test_a_scheduler_may_decline_the_order_of_what_overlaps() -> None:
    assert list(promises_of(Newest)) == [ONCE, ORDERED, SAME, ALONE]
    assert list(promises_of(Unordered)) == [ONCE, SAME, ALONE]
    assert ORDERED == ORDER_PROMISE


@pytest.mark.parametrize(("one", "other", "meet"), [
    ((3, 0, Op.READ, 2), (3, 1, Op.READ, 2), False), ((3, 0, Op.WRITE, 2), (3, 1, Op.READ, 2), True),
    ((3, 0, Op.READ, 2), (3, 1, Op.WRITE, 2), True), ((3, 0, Op.WRITE, 2), (3, 2, Op.WRITE, 1), False),
    ((3, 0, Op.WRITE, 1), (4, 0, Op.WRITE, 1), False), ((3, 9, Op.WRITE, 12), (4, 0, Op.READ, 1), True),
])  # fmt: skip
def test_requests_are_in_conflict_where_they_overlap_and_one_writes(
    one: tuple[int, int, Op, int], other: tuple[int, int, Op, int], meet: bool
) -> None:
    """A cylinder has 20 sectors of 100 bytes."""
    assert conflict(request_at(*one), request_at(*other)) is meet


def test_a_request_lies_on_its_cylinder() -> None:
    span = request_at(3, 5, Op.WRITE, 2).access.span
    assert (span.first, span.length, request_at(3, 5, Op.WRITE, 2).access.op) == (6500, 200, Op.WRITE)
    assert (request_at(2).access.span.first, request_at(2).access.span.length, request_at(2).access.op) == (
        4000, 100, Op.READ)


def test_what_was_served_is_told_in_both_orders() -> None:
    requests, served = serves_all(Newest(), [(1, 0, Op.READ, 1), (2, 0, Op.READ, 1), (3, 0, Op.READ, 1)])
    assert [request.access.span.first for request in requests] == [2000, 4000, 6000]
    assert served == requests[::-1]
    serves_in_order(Newest(), [(1, 0, Op.READ, 5), (1, 0, Op.READ, 5), (2, 0, Op.WRITE, 1)])
    with pytest.raises(ContractBroken):
        serves_in_order(Newest(), [(1, 0, Op.READ, 5), (1, 4, Op.WRITE, 5)])


def test_random_queues_are_a_hundred_the_same_at_each_call_and_full_of_conflicts() -> None:
    queues = list(random_queues())
    assert (len(queues), queues) == (100, list(random_queues()))
    wanted = [each for queue in queues for each in queue]
    assert {(min(column), max(column)) for column in zip(*[(c, s, n) for c, s, _, n in wanted], strict=True)} == {
        (0, 9), (1, 10)}
    assert (min(map(len, queues)), max(map(len, queues))) == (1, 30)
    assert {op for _, _, op, _ in wanted} == {Op.READ, Op.WRITE}
