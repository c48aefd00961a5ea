"""A drive of queueing theory: each request takes what is drawn for it."""

from random import Random

from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.virtual import HOME, Armless
from spindle.sim.request import BOUNDLESS, AccessTiming, Op, Span
from spindle.sim.streams import Distribution


class DrawnService(Armless):
    """A virtual disc without an arm, whose transfers take what *time* draws from *random*, whatever their length."""

    sector_bytes = 1

    def __init__(self, time: Distribution, random: Random, capacity: int = BOUNDLESS) -> None:
        self.capacity = capacity
        self._time = time
        self._random = random

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        return AccessTiming(queue, 0.0, 0.0, 0.0, self._time.draw(self._random), 0.0), HOME

    def settled_at(self) -> float:
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}
