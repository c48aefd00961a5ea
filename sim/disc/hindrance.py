"""Delays beside the service of a drive: sleep after an idle time, from which it wakes, and stalls of its firmware."""

from dataclasses import dataclass
from math import inf

from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.request import Op, Service, Span


@dataclass(frozen=True)
class Hindrance:
    """Seconds: a drive that was idle for *sleep_after* wakes in *wake*, and stands still for *stall* at every
    *stall_every*-th request. 0 is never.
    """

    sleep_after: float = 0.0
    wake: float = 0.0
    stall_every: int = 0
    stall: float = 0.0


class HinderedMechanism:
    """A *mechanism* with delays of a *kind*: what waits for them has it among its overhead."""

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
    ) -> tuple[Service, ArmPosition]:
        self._hinder(now)
        late = max(0.0, self._ready - now)
        service, arm = self._mechanism.serve(arm, now + late, op, span, queue)
        end = now + late + service.total
        self._idle_from = end if self._requests == 1 else max(self._idle_from, end)
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
