"""Follows the requests in a drive's queue, and which of them is being served."""

from collections.abc import Sequence

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition
from sim.disc.scheduling import Scheduler
from sim.request import Access, Request


class TracedQueue:
    """Hears of each request that comes into the queue of *scheduler*, and of the last that was taken out.

    *via* are the places by way of which the arm goes to that.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.served: Access | None = None
        self.via: Sequence[SectorPlace] = ()
        self._scheduler = scheduler
        self._waiting: dict[Request, None] = {}
        self._add, self._take = scheduler.add, scheduler.take
        scheduler.add, scheduler.take = self.add, self.take  # type: ignore[method-assign]

    def add(self, request: Request) -> None:
        self._waiting[request] = None
        self._add(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        request = self._take(arm, now)
        self._waiting.pop(request, None)
        self.served, self.via = request.access, tuple(self._scheduler.via)
        return request

    def waiting(self) -> list[Request]:
        """Those in the queue, the oldest first."""
        return list(self._waiting)
