"""Checks the contract of schedulers: PROMISES, which every scheduler must keep, a user's own included."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import simpy

from spindle.contracts.eviction import hold
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import Op, Request, access
from spindle.sim.streams import pick, stream
from spindle.sim.units import MS

TEN_CYLINDERS = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)
"""The disc on which schedulers are checked: 10 cylinders of 2 tracks of 10 sectors of 100 bytes, at 6000 rpm."""
Make = Callable[[], Scheduler]
"""Makes a scheduler: a class, or a function."""
Wanted = tuple[int, int, Op, int]
"""A request to make: its cylinder, its first sector, read or write, and its number of sectors."""


def request_at(cylinder: int, sector: int = 0, op: Op = Op.READ, sectors: int = 1) -> Request:
    """Make a request of the disc TEN_CYLINDERS."""
    return Request(simpy.Environment(), access(op, (cylinder * 20 + sector) * 100, sectors * 100, Account("test")))


def conflict(one: Request, other: Request) -> bool:
    """Tell if two requests must keep their order: they overlap, and one of them writes."""
    return Op.WRITE in (one.access.op, other.access.op) and one.access.span.overlaps(other.access.span)


def serves_all(scheduler: Scheduler, wanted: Iterable[Wanted]) -> tuple[list[Request], list[Request]]:
    """Check that each request is served once; return the requests in order of arrival and in order of service."""
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    requests = [request_at(*each) for each in wanted]
    for count, request in enumerate(requests, 1):
        scheduler.add(request)
        hold(len(scheduler) == count, f"its length is {len(scheduler)} with {count} requests")
    served = [scheduler.take(ArmPosition(turn % 10, 0), turn * 0.0037) for turn in range(len(requests))]
    hold(sorted(map(id, served)) == sorted(map(id, requests)), "a request is served twice, or never")
    hold(len(scheduler) == 0, "its length is not 0 when all are served")
    return requests, served


def serves_in_order(scheduler: Scheduler, wanted: Iterable[Wanted]) -> None:
    """Check that each request is served once, and of two in conflict the earlier one first."""
    requests, served = serves_all(scheduler, wanted)
    places = {id(request): place for place, request in enumerate(served)}
    for turn, request in enumerate(requests):
        passed = [later for later in requests[turn + 1 :] if places[id(later)] < places[id(request)]]
        hold(not any(conflict(request, later) for later in passed),
             "a request passes one that it overlaps, and one of the two writes")


def random_queues() -> Iterator[list[Wanted]]:
    """Yield a hundred queues of random requests, the same at each call."""
    for seed in range(100):
        random = stream(seed, "contract")
        yield [(pick(random, 10), pick(random, 10), (Op.READ, Op.WRITE)[pick(random, 2)], 1 + pick(random, 10))
               for _ in range(1 + pick(random, 30))]  # fmt: skip


def serves_random_queues(make: Make) -> None:
    for wanted in random_queues():
        serves_all(make(), wanted)


def keeps_order_in_random_queues(make: Make) -> None:
    for wanted in random_queues():
        serves_in_order(make(), wanted)


def serves_one_drive(make: Make) -> None:
    scheduler = make()
    scheduler.attach(FixedService(1.0))
    try:
        scheduler.attach(FixedService(1.0))
    except UserError:
        return
    hold(False, "it can be given to two drives, which then take each other's requests: see "
                "spindle.sim.disc.drive.attach_once")


def chooses_the_same_again(make: Make) -> None:
    """Check that the same queue is served in the same order, whatever the hashes and addresses of its requests."""
    orders = []
    for _ in range(3):
        scheduler = make()
        scheduler.attach(MovingArm(TEN_CYLINDERS))
        requests = [request_at(cylinder, sector) for sector, cylinder in enumerate((8, 1, 6, 3, 9, 4, 6, 1))]
        for request in requests:
            scheduler.add(request)
        orders.append([requests.index(scheduler.take(ArmPosition(5, 0), 0.001 * turn)) for turn in range(8)])
    hold(orders[0] == orders[1] == orders[2], "the same queue is served in another order")


ORDER_PROMISE = "no request passes one that it overlaps if either writes"
"""The promise that a scheduler may decline by its attribute ``unordered``."""
PROMISES: Mapping[str, Callable[[Make], None]] = {
    "each request is served once": serves_random_queues,
    ORDER_PROMISE: keeps_order_in_random_queues,
    "the same queue is served in the same order": chooses_the_same_again,
    "it serves one drive and refuses a second": serves_one_drive,
}
"""The checks of the contract, by promise in words."""


def promises_of(make: Make) -> Mapping[str, Callable[[Make], None]]:
    """Return the checks of the scheduler that *make* makes: all, or without ORDER_PROMISE where it is *unordered*."""
    left_out = [ORDER_PROMISE] if getattr(make(), "unordered", False) else []
    return {promise: check for promise, check in PROMISES.items() if promise not in left_out}
