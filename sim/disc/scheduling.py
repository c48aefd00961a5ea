"""Schedulers choose the next request of a drive's queue: SSTF, LOOK, C-LOOK, SCAN, C-SCAN, reads first, SPTF.

TaggedQueue has one queue in the drive and one in the host. A HazardTracker keeps overlapping requests in order.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from math import inf

from spindle.sim.disc.drive import Scheduler, attach_once
from spindle.sim.disc.hazards import HazardTracker
from spindle.sim.disc.kyber import Kyber
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.error import UserError
from spindle.sim.request import READ, Request

# Schedulers that go by the distance of the arm in cylinders: SSTF, LOOK and C-LOOK, SCAN and C-SCAN.

Queued = tuple[int, int, Request, SectorPlace]
"""The cylinder of a request, how many came before it, the request, and its place."""


class CylinderQueue:
    """The base of schedulers: requests by cylinder, and on each by arrival; some wait for one that they overlap.

    SSTF, LOOK, C-LOOK and SPTF differ in how they ``take`` one of the requests that are ``ready``.
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self.ready: list[Queued] = []
        self._held: dict[Request, Queued] = {}
        self._arrivals = 0
        self._hazards = HazardTracker()
        self._mechanism: Mechanism | None = None

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = attach_once(self._mechanism, mechanism)

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

    def index_below(self, cylinder: int) -> int:
        """The index of the first request on the nearest cylinder below *cylinder*; there must be one."""
        return self.at_or_above(self.ready[self.at_or_above(cylinder) - 1][0])

    def walk_outwards(self, cylinder: int) -> Iterator[tuple[int, int]]:
        """Yield the indices of ``ready``, and how many cylinders each is from *cylinder*, the nearest first."""
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


class Sstf(CylinderQueue):
    """Shortest seek first: the nearest cylinder, whichever way; ties go to the earlier request.

    >>> Computer().drive(HP7933, Sstf()).name
    'drive1'
    """

    def take(self, arm: ArmPosition, now: float) -> Request:
        here = arm.cylinder
        above = self.at_or_above(here)
        if above == 0:
            return self.pop(above)
        below = self.index_below(here)
        if above == len(self.ready):
            return self.pop(below)
        up, down = self.ready[above], self.ready[below]
        return self.pop(above if (up[0] - here, up[1]) < (here - down[0], down[1]) else below)


class Look(CylinderQueue):
    """An elevator: the arm goes up as far as there are requests, then down as far as there are, and so on; first up.

    >>> Computer().drive(HP7933, Look()).name
    'drive1'
    """

    def __init__(self) -> None:
        super().__init__()
        self.up = True

    def take(self, arm: ArmPosition, now: float) -> Request:
        here = arm.cylinder
        above = self.at_or_above(here)
        some_above = above < len(self.ready)
        on_cylinder = some_above and self.ready[above][0] == here
        self.up = some_above if self.up else above == 0 and not on_cylinder
        return self.pop(above if self.up or on_cylinder else self.index_below(here))


class CLook(CylinderQueue):
    """An elevator in one direction: up as far as there are requests, then back to the lowest and up again.

    >>> Computer().drive(HP7933, CLook()).name
    'drive1'
    """

    def take(self, arm: ArmPosition, now: float) -> Request:
        above = self.at_or_above(arm.cylinder)
        return self.pop(above if above < len(self.ready) else 0)


class ReadsFirst(CylinderQueue):
    """C-LOOK among the reads, and among the writes while no read waits, so that reads wait as little as they can."""

    def take(self, arm: ArmPosition, now: float) -> Request:
        ready, above = self.ready, self.at_or_above(arm.cylinder)
        swept = [*range(above, len(ready)), *range(above)]
        return self.pop(next((index for index in swept if ready[index][2].access.op is READ), swept[0]))


class Scan(Look):
    """LOOK, but before it turns, the arm goes to the edge: the first or the last cylinder that has blocks.

    The turn is decided when a request is taken; requests that arrive on the way to the edge are served after it.

    >>> Computer().drive(HP7933, Scan()).name
    'drive1'
    """

    def attach(self, mechanism: Mechanism) -> None:
        super().attach(mechanism)
        self._first, self._last = _edges(mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        was_up = self.up
        request = super().take(arm, now)
        turns = self.up is not was_up
        self.via = _edges_off_cylinder(self._last if was_up else self._first, arm=arm) if turns else ()
        return request


class CScan(CLook):
    """C-LOOK, but up to the last cylinder that has blocks, and then back to the first and up again.

    >>> Computer().drive(HP7933, CScan()).name
    'drive1'
    """

    def attach(self, mechanism: Mechanism) -> None:
        super().attach(mechanism)
        self._first, self._last = _edges(mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        request = super().take(arm, now)
        self.via = _edges_off_cylinder(self._last, self._first, arm=arm) if request.cylinder < arm.cylinder else ()
        return request


def _edges(mechanism: Mechanism) -> list[SectorPlace]:
    """The first and the last sector of the disc."""
    return [mechanism.locate(first) for first in (0, mechanism.capacity - mechanism.sector_bytes)]


def _edges_off_cylinder(*edges: SectorPlace, arm: ArmPosition) -> Sequence[SectorPlace]:
    """List the *edges* to which the *arm* must go, because it is not on their cylinder."""
    return [edge for edge in edges if edge.cylinder != arm.cylinder]


# Shortest positioning time first (SPTF), with ageing.

class Sptf(CylinderQueue):
    """Shortest positioning time first: seek and rotational delay together. Ties go to the earlier request.

    A read that the drive's buffer answers needs none, nor does what the arm is just reading ahead: the SPCTF of
    Worthington, Ganger and Patt (1994), which DiskSim has beside an SPTF that does not look into the buffer. Times tie
    if they differ by no more than the clock's rounding: sectors at one angle of several tracks.

    With *ageing*, each second that a request has waited makes it nearer by that many seconds: the aged SPTF of
    Jacobson and Wilkes (HPL-CSP-91-7, 1991) and of Worthington, Ganger and Patt (SIGMETRICS 1994), whose weights are
    in ms a second, so that ASPTF(6) is ``Sptf(ageing=0.006)``. With infinite ageing it is first come, first served.

    It looks from the arm's cylinder outwards, and no farther than where the seek alone takes longer.

    >>> Computer().drive(HP7933, Sptf(ageing=0.006)).name
    'drive1'
    """

    def __init__(self, ageing: float = 0.0) -> None:
        super().__init__()
        if not ageing >= 0.0:
            raise UserError(f"sptf: ageing {ageing} must be seconds a second waited, and not negative")
        self._ageing = ageing
        self._lower_bound: tuple[float, Sequence[float] | None] = -inf, None

    def attach(self, mechanism: Mechanism) -> None:
        super().attach(mechanism)
        # A mechanism of a user may have none.
        self._lower_bound = getattr(mechanism, "lower_bound", None) or self._lower_bound

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self.pop(self._find_soonest(arm, now) if len(self.ready) > 1 else 0)

    def _find_soonest(self, arm: ArmPosition, now: float) -> int:
        """The index of the request to serve next."""
        ready, ageing = self.ready, self._ageing
        if ageing == inf:
            return min(range(len(ready)), key=lambda index: ready[index][1])
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        positioning = self._mechanism.positioning
        fixed, seeks = self._lower_bound
        most_aged = ageing and ageing * (now - min([request.submitted for _, _, request, _ in ready]))
        rounding, soonest = 1e-9 + 1e-15 * now, inf
        first = nearest = 0
        for index, apart in self.walk_outwards(arm.cylinder):
            least = fixed if seeks is None else fixed + seeks[apart]
            if least - most_aged > soonest + rounding:
                break
            _, arrival, request, place = ready[index]
            aged = ageing * (now - request.submitted)
            if least - aged > soonest + rounding:
                continue
            seconds = positioning(arm, now, place, request.access.op, request.access.span) - aged
            if seconds < soonest - rounding or (arrival < first and seconds <= soonest + rounding):
                first, nearest = arrival, index
            soonest = min(soonest, seconds)
        return nearest


BY_ARM = (Sstf, Look, CLook, Sptf)
"""Schedulers that go by the arm alone: where every place is as near as any other, they are first come, first served."""


# A queue in two places: the drive has a request for each tag, and the host keeps the others.

class TaggedQueue:
    """A queue in two places: the *drive* schedules the *depth* requests that it has accepted, the *host* the others.

    This is native command queueing (NCQ) of SATA and SCSI's tagged queue. The request in service keeps its tag until
    the next is taken. A request is handed over as soon as a tag is free.
    The host's schedule takes the place of the last request handed over for the arm's position.
    """

    def __init__(self, host: Scheduler, drive: Scheduler, depth: int) -> None:
        if depth < 1:
            raise UserError(f"tagged queue: depth {depth} must be at least 1")
        if isinstance(host, Kyber):
            raise UserError("kyber counts all requests in the drive, and a drive with a queue takes some past it; "
                            "choose another scheduler, or a solid-state drive")
        self._host = host
        self._drive = drive
        self._depth = depth
        self._last: Request | None = None
        self._locate: Callable[[int], SectorPlace] | None = None

    @property
    def via(self) -> Sequence[SectorPlace]:
        """The places of the drive's scheduler: a host that sweeps orders requests, but sends no arm to an edge."""
        return self._drive.via

    def attach(self, mechanism: Mechanism) -> None:
        self._host.attach(mechanism)
        self._drive.attach(mechanism)
        self._locate = mechanism.locate

    def __len__(self) -> int:
        return len(self._host) + len(self._drive)

    def add(self, request: Request) -> None:
        if len(self._drive) < self._depth - 1:
            self._hand_over(request)
        else:
            self._host.add(request)

    def take(self, arm: ArmPosition, now: float) -> Request:
        while len(self._host) and len(self._drive) < self._depth:
            self._hand_over(self._host.take(self._arm_after(arm), now))
        return self._drive.take(arm, now)

    def _hand_over(self, request: Request) -> None:
        self._last = request
        self._drive.add(request)

    def _arm_after(self, arm: ArmPosition) -> ArmPosition:
        """Return the arm's position after the last request given to the drive, or *arm* before the first."""
        if self._last is None:
            return arm
        assert self._locate is not None, "a scheduler is attached to a mechanism before it is used"
        place = self._locate(self._last.access.span.end - 1)
        return ArmPosition(place.cylinder, place.head)
