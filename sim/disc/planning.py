"""DriveQueue, a drive's own queue, whose firmware fixes the order of the next few requests in advance."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.disc.scheduling import Sptf, Sstf, TaggedQueue
from spindle.sim.error import UserError
from spindle.sim.request import WRITE, Request

MAX_TAGS, MAX_AHEAD, MAX_WRITES = 1 << 16, 1 << 10, 1 << 20


@dataclass(frozen=True)
class DriveQueue:
    """A drive's queue of *tags* requests, of which it plans *ahead* in advance before choosing the next.

    It chooses by positioning time with *ageing*, or the shortest seek if that is None; its cache has room for *writes*
    writes, which take no tag.
    """

    tags: int = 32
    ahead: int = 1
    ageing: float | None = 0.0
    writes: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (("tags", 1, MAX_TAGS), ("ahead", 1, MAX_AHEAD), ("writes", 0, MAX_WRITES)):
            if not low <= getattr(self, name) <= high:
                raise UserError(f"queue: {name} must be from {low} to {high}, not {getattr(self, name)}")

    def scheduler(self, host: Scheduler) -> Scheduler:
        """Build the drive's scheduler, behind *host*, which schedules requests without a tag."""
        choice = Sstf() if self.ageing is None else Sptf(self.ageing)
        kind = CachedQueue if self.writes else TaggedQueue
        return kind(host, PlannedQueue(choice, self.ahead), self.tags)

    def waiting(self, host: Scheduler) -> Scheduler:
        """Build the scheduler of writes for which the cache has no room; the *host* schedules those without a tag."""
        return TaggedQueue(host, Fcfs(), self.tags + 1)


class CachedQueue(TaggedQueue):
    """A TaggedQueue below a write cache, where reads have tags, and writes from the cache have none."""

    def __init__(self, host: Scheduler, drive: Scheduler, depth: int) -> None:
        super().__init__(host, drive, depth)
        self._cached = 0

    def add(self, request: Request) -> None:
        cached = _is_cached(request)
        self._cached += cached
        if cached or len(self._drive) - self._cached < self._depth - 1:
            self._hand_over(request)
        else:
            self._host.add(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        while len(self._host) and len(self._drive) - self._cached < self._depth:
            self._hand_over(self._host.take(self._arm_after(arm), now))
        request = self._drive.take(arm, now)
        self._cached -= _is_cached(request)
        return request


def _is_cached(request: Request) -> bool:
    return request.access.op is WRITE and not request.access.durable


class PlannedQueue:
    """A queue with a plan: the next *ahead* requests are fixed in their order; *choice* chooses the one after them.

    It chooses by where and when the arm will be after the last of the plan. So a drive with few requests has no choice,
    and no request in the plan is overtaken by one that comes later.
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self, choice: Scheduler, ahead: int) -> None:
        if ahead < 1:
            raise UserError(f"planned queue: it plans at least 1 request ahead, not {ahead}")
        self._choice = choice
        self._ahead = ahead
        self._plan: deque[Request] = deque()
        self._arm: ArmPosition | None = None
        self._at = 0.0
        self._mechanism: Mechanism | None = None

    def attach(self, mechanism: Mechanism) -> None:
        self._choice.attach(mechanism)
        self._mechanism = mechanism

    def __len__(self) -> int:
        return len(self._plan) + len(self._choice)

    def add(self, request: Request) -> None:
        self._choice.add(request)
        if self._arm is not None:
            self._fill(request.submitted)

    def take(self, arm: ArmPosition, now: float) -> Request:
        if self._arm is None:
            self._arm, self._at = arm, now
            self._fill(now)
        request = self._plan.popleft()
        self._fill(now)
        return request

    def _fill(self, now: float) -> None:
        """Fill the plan. If its last request is done by *now*, the next one is chosen for *now*."""
        mechanism, arm = self._mechanism, self._arm
        assert mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        assert arm is not None, "there is an arm to plan for"
        while len(self._plan) < self._ahead and len(self._choice):
            at = max(self._at, now)
            request = self._choice.take(arm, at)
            span = request.access.span
            self._at = at + mechanism.positioning(arm, at, mechanism.locate(span.first), request.access.op, span)
            last = mechanism.locate(span.end - 1)
            arm = self._arm = ArmPosition(last.cylinder, last.head)
            self._plan.append(request)
