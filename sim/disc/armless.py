"""What a mechanism without an arm answers a scheduler: every place is as near as any other."""

from collections.abc import Sequence
from typing import Protocol

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition
from sim.request import Op, Span

HOME = ArmPosition(0, 0)
"""Where the arm would be, always."""
_NOWHERE = SectorPlace(0, 0, 0, 0.0, 1)


class Armless(Protocol):
    """The part of a Mechanism that schedulers ask, for those that have nothing to move."""

    least: "tuple[float, Sequence[float]] | None" = None

    def locate(self, address: int) -> SectorPlace:
        return _NOWHERE

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 0.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op, span: Span) -> float:
        return 0.0
