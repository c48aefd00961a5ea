"""Shortest positioning time first (SPTF), with ageing."""

from bisect import insort
from collections.abc import Sequence
from math import inf

from sim.disc.hazards import HazardTracker, sole
from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.error import UserError
from sim.request import Op, Request, Span

_Entry = tuple[int, SectorPlace, Op, Span, float, Request]


class Sptf:
    """Shortest positioning time first: seek and rotational delay together. Ties go to the earlier request.

    A read that the drive's buffer answers needs none, nor does what the arm is just reading ahead: the SPCTF of
    Worthington, Ganger and Patt (1994), which DiskSim has beside an SPTF that does not look into the buffer. Times tie
    if they differ by no more than the clock's rounding: sectors at one angle of several tracks.

    With *ageing*, each second that a request has waited makes it nearer by that many seconds: the aged SPTF of
    Jacobson and Wilkes (HPL-CSP-91-7, 1991) and of Worthington, Ganger and Patt (SIGMETRICS 1994), whose weights are
    in ms a second, so that ASPTF(6) is ``Sptf(ageing=0.006)``. With infinite ageing it is first come, first served.
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self, ageing: float = 0.0) -> None:
        if not ageing >= 0.0:
            raise UserError(f"sptf: ageing {ageing} must be seconds a second waited, and not negative")
        self._ageing = ageing
        self._mechanism: Mechanism | None = None
        self._ready: list[_Entry] = []
        self._held: dict[Request, _Entry] = {}
        self._arrivals = 0
        self._hazards = HazardTracker()

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = sole(self._mechanism, mechanism)

    def __len__(self) -> int:
        return len(self._ready) + len(self._held)

    def add(self, request: Request) -> None:
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        access = request.access
        span = access.span
        self._arrivals += 1
        entry = (self._arrivals, self._mechanism.locate(span.first), access.op, span, request.submitted, request)
        if self._hazards.enter(request, self._requests):
            self._ready.append(entry)
        else:
            self._held[request] = entry

    def _requests(self) -> list[Request]:
        return [entry[-1] for entry in self._ready]

    def take(self, arm: ArmPosition, now: float) -> Request:
        index = self._soonest(arm, now) if len(self._ready) > 1 else 0
        request = self._ready.pop(index)[-1]
        for freed in self._hazards.leave(request):
            insort(self._ready, self._held.pop(freed))
        return request

    def _soonest(self, arm: ArmPosition, now: float) -> int:
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        positioning, ageing = self._mechanism.positioning, self._ageing
        nearest, nearer = 0, inf
        rounding = 1e-9 + 1e-15 * now
        for index, (_, place, op, span, submitted, _) in enumerate(self._ready):
            # Where ageing is infinite, only the first comparison can be true, and the oldest is the one.
            seconds = positioning(arm, now, place, op, span) - ageing * (now - submitted)
            if seconds < nearer:
                nearest, nearer = index, seconds - rounding
        return nearest
