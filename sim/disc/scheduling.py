"""The order in which a drive serves its queue."""

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from sim.disc.hazards import sole
from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.disc.positioning import Sptf
from sim.disc.sweeping import CLook, CScan, Look, Scan, Sstf
from sim.request import Request

__all__ = ["CLook", "CScan", "Fcfs", "Look", "Scan", "Scheduler", "Sptf", "Sstf"]


class Scheduler(Protocol):
    """A queue of requests. Requests that overlap never pass each other if one of them writes; ties go by arrival."""

    @property
    def via(self) -> Sequence[SectorPlace]:
        """Places to which the arm goes on its way to the request last taken; SCAN and C-SCAN go to the edge."""

    def attach(self, mechanism: Mechanism) -> None:
        """Serve the queue of the drive with this *mechanism*; called once, by the drive, before anything is added."""

    def add(self, request: Request) -> None: ...

    def take(self, arm: ArmPosition, now: float) -> Request:
        """Remove and return the request to serve next; there must be one."""

    def __len__(self) -> int: ...


class Fcfs:
    """First come, first served."""

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()
        self._mechanism: Mechanism | None = None
        self.add = self._queue.append

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = sole(self._mechanism, mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self._queue.popleft()

    def __len__(self) -> int:
        return len(self._queue)
