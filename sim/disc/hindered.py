"""HinderedMechanism adds delays to a drive's services: it sleeps when idle, stalls, or is across a network."""

from bisect import insort
from math import inf

from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.request import READ, AccessTiming, Op, Span


class NetworkLane:
    """One direction of a network of *rate* bytes a second, over which data go one after another; 0 is no limit."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._taken: list[tuple[float, float]] = []
        """Begin and end of each time in which data are sent, in order."""

    def send(self, now: float, ready: float, size: int) -> float:
        """Send *size* bytes in the first gap from *ready* on, as known *now*; return the instant of their end."""
        if not self._rate:
            return ready
        self._taken = [taken for taken in self._taken if taken[1] > now]
        seconds = size / self._rate
        for begin, end in self._taken:
            if ready + seconds <= begin:
                break
            ready = max(ready, end)
        insort(self._taken, (ready, ready + seconds))
        return ready + seconds


class HinderedMechanism:
    """A *mechanism* with the delays of *kind*.

    Waking and stalls count as overhead of a request, the network as its channel: one lane leads *to_host*, one comes
    *from_host*. The drive is busy until the data are across.
    """

    def __init__(self, mechanism: Mechanism, kind: Hindrance, to_host: NetworkLane, from_host: NetworkLane) -> None:
        self.capacity, self.sector_bytes = mechanism.capacity, mechanism.sector_bytes
        self.lower_bound = mechanism.lower_bound
        self.locate, self.travel, self.positioning = mechanism.locate, mechanism.travel, mechanism.positioning
        self.settled_at = mechanism.settled_at
        self.wakes = self.stalls = 0
        self._mechanism, self._kind = mechanism, kind
        self._to_host, self._from_host = to_host, from_host
        self._idle_from = inf
        self._ready = 0.0
        self._requests = 0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        asked = now if op is READ else self._from_host.send(now, now, span.length)
        asked += self._kind.latency
        self._hinder(asked)
        late = max(0.0, self._ready - asked)
        service, arm = self._mechanism.serve(arm, asked + late, op, span, queue)
        done = asked + late + service.total
        self._idle_from = done if self._requests == 1 else max(self._idle_from, done)
        over = self._to_host.send(now, done, span.length) if op is READ else done
        return service._replace(overhead=service.overhead + late,
                                channel=service.channel + (asked - now) + (over - done)), arm  # fmt: skip

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
