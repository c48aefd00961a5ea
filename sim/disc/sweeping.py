"""Schedulers that go by the distance of the arm in cylinders: SSTF, LOOK and C-LOOK, SCAN and C-SCAN."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from sim.disc.hazards import HazardTracker, sole
from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.request import Request

Queued = tuple[int, int, Request, SectorPlace]
"""The cylinder of a request, how many came before it, itself, and its place."""


class CylinderQueue:
    """Requests by cylinder, and by arrival on each; those that must wait for another are held apart.

    SSTF, LOOK, C-LOOK and SPTF are ways to choose an index of ``ready``.
    """

    def __init__(self) -> None:
        self.ready: list[Queued] = []
        self._held: dict[Request, Queued] = {}
        self._arrivals = 0
        self._hazards = HazardTracker()
        self._mechanism: Mechanism | None = None

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = sole(self._mechanism, mechanism)

    def __len__(self) -> int:
        return len(self.ready) + len(self._held)

    def add(self, request: Request) -> None:
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        place = self._mechanism.locate(request.access.span.first)
        request.cylinder = place.cylinder
        self._arrivals += 1
        entry = (place.cylinder, self._arrivals, request, place)
        if self._hazards.enter(request, self._requests):
            insort(self.ready, entry)
        else:
            self._held[request] = entry

    def _requests(self) -> list[Request]:
        return [request for _, _, request, _ in self.ready]

    def at_or_above(self, cylinder: int) -> int:
        """The index of the first request on the nearest cylinder from *cylinder* up; one too many if none is."""
        # Arrivals count from 1, and tuples of different length compare by what they share.
        return bisect_left(self.ready, (cylinder,))

    def below(self, cylinder: int) -> int:
        """The index of the first request on the nearest cylinder below *cylinder*; there must be one."""
        return self.at_or_above(self.ready[self.at_or_above(cylinder) - 1][0])

    def outwards(self, cylinder: int) -> Iterator[tuple[int, int]]:
        """The indices of ``ready``, and how many cylinders each is from *cylinder*, the nearest first."""
        ready, above = self.ready, self.at_or_above(cylinder)
        below = above - 1
        while below >= 0 and above < len(ready):
            up, down = ready[above][0] - cylinder, cylinder - ready[below][0]
            if up < down:
                yield above, up
                above += 1
            else:
                yield below, down
                below -= 1
        for index in (*range(above, len(ready)), *range(below, -1, -1)):
            yield index, abs(ready[index][0] - cylinder)

    def pop(self, index: int) -> Request:
        _, _, request, _ = self.ready.pop(index)
        for freed in self._hazards.leave(request):
            insort(self.ready, self._held.pop(freed))
        return request


class Sstf:
    """Shortest seek first: the nearest cylinder, whichever way; ties go to the earlier request."""

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self._queue = CylinderQueue()
        self.attach, self.add = self._queue.attach, self._queue.add

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, arm: ArmPosition, now: float) -> Request:
        queue, here = self._queue, arm.cylinder
        above = queue.at_or_above(here)
        if above == 0:
            return queue.pop(above)
        below = queue.below(here)
        if above == len(queue.ready):
            return queue.pop(below)
        up, down = queue.ready[above], queue.ready[below]
        return queue.pop(above if (up[0] - here, up[1]) < (here - down[0], down[1]) else below)


class Look:
    """Up as far as there are requests, then down as far as there are, and so on; at first up."""

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self._queue = CylinderQueue()
        self.up = True
        self.attach, self.add = self._queue.attach, self._queue.add

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, arm: ArmPosition, now: float) -> Request:
        queue, here = self._queue, arm.cylinder
        above = queue.at_or_above(here)
        some_above = above < len(queue.ready)
        on_cylinder = some_above and queue.ready[above][0] == here
        self.up = some_above if self.up else above == 0 and not on_cylinder
        return queue.pop(above if self.up or on_cylinder else queue.below(here))


class CLook:
    """Up as far as there are requests, then back to the lowest and up again."""

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self._queue = CylinderQueue()
        self.attach, self.add = self._queue.attach, self._queue.add

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, arm: ArmPosition, now: float) -> Request:
        queue = self._queue
        above = queue.at_or_above(arm.cylinder)
        return queue.pop(above if above < len(queue.ready) else 0)


class Scan:
    """LOOK, but where it turns the arm first goes on to the edge: the last cylinder that holds anything, or the first.

    The turn is decided when a request is taken; what arrives on the way to the edge is served after it.
    """

    def __init__(self) -> None:
        self.via: Sequence[SectorPlace] = ()
        self._look = Look()
        self.add = self._look.add

    def __len__(self) -> int:
        return len(self._look)

    def attach(self, mechanism: Mechanism) -> None:
        self._look.attach(mechanism)
        self._first, self._last = _edges(mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        was_up = self._look.up
        request = self._look.take(arm, now)
        turns = self._look.up is not was_up
        self.via = _over(self._last if was_up else self._first, arm=arm) if turns else ()
        return request


class CScan:
    """C-LOOK, but up to the last cylinder that holds anything, and then back to the first and up again."""

    def __init__(self) -> None:
        self.via: Sequence[SectorPlace] = ()
        self._look = CLook()
        self.add = self._look.add

    def __len__(self) -> int:
        return len(self._look)

    def attach(self, mechanism: Mechanism) -> None:
        self._look.attach(mechanism)
        self._first, self._last = _edges(mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        request = self._look.take(arm, now)
        self.via = _over(self._last, self._first, arm=arm) if request.cylinder < arm.cylinder else ()
        return request


def _edges(mechanism: Mechanism) -> list[SectorPlace]:
    """The first and the last sector of the disc."""
    return [mechanism.locate(first) for first in (0, mechanism.capacity - mechanism.sector_bytes)]


def _over(*edges: SectorPlace, arm: ArmPosition) -> Sequence[SectorPlace]:
    """Those *edges* on whose cylinder the *arm* is not already."""
    return [edge for edge in edges if edge.cylinder != arm.cylinder]
