"""Virtual discs without an arm, for queueing theory and for machines whose discs need no more."""

from math import inf
from random import Random
from sys import maxsize

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition
from sim.error import UserError
from sim.request import Op, Service, Span
from sim.streams import Distribution

_HOME = ArmPosition(0, 0)
_NOWHERE = SectorPlace(0, 0, 0, 0.0, 1)


class FixedService:
    """A virtual disc without an arm: *per_request* seconds of overhead, and *per_byte* seconds of transfer a byte."""

    sector_bytes = 1

    def __init__(self, per_request: float, per_byte: float = 0.0, capacity: int = maxsize) -> None:
        for name, seconds in (("per_request", per_request), ("per_byte", per_byte)):
            if not 0.0 <= seconds < inf:
                raise UserError(f"fixed service: {name} {seconds} s must be finite and not negative")
        self.capacity = capacity
        self._per_request = per_request
        self._per_byte = per_byte

    def locate(self, address: int) -> SectorPlace:
        return _NOWHERE

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 0.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op) -> float:
        return 0.0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        return Service(queue, self._per_request, 0.0, 0.0, self._per_byte * span.length, 0.0), _HOME

    def settled(self) -> float:
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}


class DrawnService:
    """A virtual disc without an arm, whose transfers take what *time* draws from *random*, whatever their length."""

    sector_bytes = 1

    def __init__(self, time: Distribution, random: Random, capacity: int = maxsize) -> None:
        self.capacity = capacity
        self._time = time
        self._random = random

    def locate(self, address: int) -> SectorPlace:
        return _NOWHERE

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 0.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op) -> float:
        return 0.0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        return Service(queue, 0.0, 0.0, 0.0, self._time.draw(self._random), 0.0), _HOME

    def settled(self) -> float:
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}
