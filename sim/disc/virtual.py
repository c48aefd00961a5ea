"""FixedService, a virtual disc with fixed seconds a request and a byte; Armless, the base of drives without an arm."""

from collections.abc import Sequence
from math import inf
from typing import Protocol

from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.error import UserError
from spindle.sim.request import BOUNDLESS, WRITE, AccessTiming, Op, Span

# The answers of a mechanism without an arm to a scheduler: every place is as near as any other.

HOME = ArmPosition(0, 0)
"""The position of the arm of a drive that has none."""
_NOWHERE = SectorPlace(0, 0, 0, 0.0, 1)


class Armless(Protocol):
    """A mechanism without an arm: its answers to schedulers, for which every place is as near as any other."""

    lower_bound: "tuple[float, Sequence[float]] | None" = None

    def locate(self, address: int) -> SectorPlace:
        return _NOWHERE

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 0.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        return 0.0


class FixedService(Armless):
    """A virtual disc without an arm: *per_request* seconds of overhead, and *per_byte* seconds of transfer a byte.

    *write* is the pair for writes, if it differs. A write is done when it is safe.
    """

    sector_bytes = 1

    def __init__(
        self,
        per_request: float,
        per_byte: float = 0.0,
        capacity: int = BOUNDLESS,
        write: tuple[float, float] | None = None,
    ) -> None:
        self._read = per_request, per_byte
        self._write = self._read if write is None else write
        for seconds in (self._read, self._write):
            for name, each in zip(("per_request", "per_byte"), seconds, strict=True):
                if not 0.0 <= each < inf:
                    raise UserError(f"fixed service: {name} {each} s must be finite and not negative")
        self.capacity = capacity

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        request, byte = self._write if op is WRITE else self._read
        return AccessTiming(queue, request, 0.0, 0.0, byte * span.length, 0.0), HOME

    def settled_at(self) -> float:
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}
