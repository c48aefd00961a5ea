"""Shortest positioning time first (SPTF), with ageing."""

from collections.abc import Sequence
from math import inf

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.disc.sweeping import CylinderQueue
from sim.error import UserError
from sim.request import Request


class Sptf:
    """Shortest positioning time first: seek and rotational delay together. Ties go to the earlier request.

    A read that the drive's buffer answers needs none, nor does what the arm is just reading ahead: the SPCTF of
    Worthington, Ganger and Patt (1994), which DiskSim has beside an SPTF that does not look into the buffer. Times tie
    if they differ by no more than the clock's rounding: sectors at one angle of several tracks.

    With *ageing*, each second that a request has waited makes it nearer by that many seconds: the aged SPTF of
    Jacobson and Wilkes (HPL-CSP-91-7, 1991) and of Worthington, Ganger and Patt (SIGMETRICS 1994), whose weights are
    in ms a second, so that ASPTF(6) is ``Sptf(ageing=0.006)``. With infinite ageing it is first come, first served.

    It looks from the arm's cylinder outwards, and no farther than where the seek alone takes longer.
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self, ageing: float = 0.0) -> None:
        if not ageing >= 0.0:
            raise UserError(f"sptf: ageing {ageing} must be seconds a second waited, and not negative")
        self._ageing = ageing
        self._mechanism: Mechanism | None = None
        self._least: tuple[float, Sequence[float] | None] = -inf, None
        self._queue = CylinderQueue()

    def attach(self, mechanism: Mechanism) -> None:
        self._queue.attach(mechanism)
        self._mechanism = mechanism
        self._least = getattr(mechanism, "least", None) or self._least  # a mechanism of one's own may know none

    def add(self, request: Request) -> None:
        self._queue.add(request)

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self._queue.pop(self._soonest(arm, now) if len(self._queue.ready) > 1 else 0)

    def _soonest(self, arm: ArmPosition, now: float) -> int:
        """The index of the request to serve next."""
        ready, ageing = self._queue.ready, self._ageing
        if ageing == inf:
            return min(range(len(ready)), key=lambda index: ready[index][1])
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        positioning = self._mechanism.positioning
        fixed, seeks = self._least
        most_aged = ageing and ageing * (now - min([request.submitted for _, _, request, _ in ready]))
        rounding, soonest = 1e-9 + 1e-15 * now, inf
        first = nearest = 0
        for index, apart in self._queue.outwards(arm.cylinder):
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
