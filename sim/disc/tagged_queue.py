"""A queue in two places: the drive has as many requests as it has tags, and the host keeps the others."""

from collections.abc import Callable, Sequence

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.disc.scheduling import Scheduler
from sim.error import UserError
from sim.request import Request


class TaggedQueue:
    """The *drive* schedules the *depth* requests that it has accepted, as with NCQ; the *host* schedules the others.

    The request in service keeps its tag until the next is taken. A request is handed over as soon as a tag is free.
    The host's schedule takes the place of the last request handed over for the arm's position.
    """

    def __init__(self, host: Scheduler, drive: Scheduler, depth: int) -> None:
        if depth < 1:
            raise UserError(f"tagged queue: depth {depth} must be at least 1")
        self._host = host
        self._drive = drive
        self._depth = depth
        self._last: Request | None = None
        self._locate: Callable[[int], SectorPlace] | None = None

    @property
    def via(self) -> Sequence[SectorPlace]:
        """The drive's: a host that sweeps hands over in that order, but can send no arm to an edge."""
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
            self._hand_over(self._host.take(self._from(arm), now))
        return self._drive.take(arm, now)

    def _hand_over(self, request: Request) -> None:
        self._last = request
        self._drive.add(request)

    def _from(self, arm: ArmPosition) -> ArmPosition:
        """Where the drive will leave the arm that serves what it got last; at first, where the *arm* is."""
        if self._last is None:
            return arm
        assert self._locate is not None, "a scheduler is attached to a mechanism before it is used"
        place = self._locate(self._last.access.span.end - 1)
        return ArmPosition(place.cylinder, place.head)
