"""HinderedMechanism adds delays to a drive's services: it sleeps when idle, and stalls."""

from math import inf

from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.request import AccessTiming, Op, Span


class HinderedMechanism:
    """A *mechanism* with the delays of *kind*, which count as overhead of a request."""

    def __init__(self, mechanism: Mechanism, kind: Hindrance) -> None:
        self.capacity, self.sector_bytes = mechanism.capacity, mechanism.sector_bytes
        self.lower_bound = mechanism.lower_bound
        self.locate, self.travel, self.positioning = mechanism.locate, mechanism.travel, mechanism.positioning
        self.settled_at = mechanism.settled_at
        self.wakes = self.stalls = 0
        self._mechanism, self._kind = mechanism, kind
        self._idle_from = inf
        self._ready = 0.0
        self._requests = 0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        self._hinder(now)
        late = max(0.0, self._ready - now)
        service, arm = self._mechanism.serve(arm, now + late, op, span, queue)
        done = now + late + service.total
        self._idle_from = done if self._requests == 1 else max(self._idle_from, done)
        return service._replace(overhead=service.overhead + late), arm

    def _hinder(self, now: float) -> None:
        """Put off the instant from which the drive serves, for a request that comes *now*."""
        kind = self._kind
        self._requests += 1
        if kind.sleep_after and now - self._idle_from >= kind.sleep_after:
            self.wakes += 1
            self._ready = now + kind.wake
        if kind.stall_every and self._requests % kind.stall_every == 0:
            self.stalls += 1
            self._ready = max(self._ready, now) + kind.stall

    def reading(self) -> dict[str, float]:
        return {**self._mechanism.reading(), "wakes": float(self.wakes), "stalls": float(self.stalls)}
