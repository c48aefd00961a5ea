"""What a drive counts that serves several requests at a time; numbers only grow, and are exact at any instant."""

from sim.disc.counts import DriveCounts
from sim.request import Access, Service

PHASES = ("overhead", "seek", "rotation", "transfer", "channel")


class ParallelCounts(DriveCounts):
    """As those of a drive that serves one; ``serving_seconds`` is the integral of the number being served.

    Busy is the time in which any is. Requests end in any order.
    """

    def __init__(self, now: float, sector_bytes: int) -> None:
        super().__init__(now, sector_bytes)
        self._under_way: dict[int, tuple[float, Service]] = {}
        self._serving_seconds = 0.0
        self._since = now

    def begin(self, now: float, service: Service) -> None:
        self._go_on(now)
        self._queue += service.queue
        self._waiting -= 1
        self._submitted = self._submitted - (now - service.queue) if self._waiting else 0.0
        self._under_way[id(service)] = now, service

    def leave(self, now: float, access: Access, service: Service) -> None:
        self._go_on(now)
        del self._under_way[id(service)]
        self._began = now
        super().leave(now, access, service)

    def _go_on(self, now: float) -> None:
        passed, number = now - self._since, len(self._under_way)
        self._serving_seconds += number * passed
        self._busy += passed if number else 0.0
        self._since = now

    def busy(self, now: float) -> float:
        return self._busy + (now - self._since if self._under_way else 0.0)

    def _phases(self, now: float) -> dict[str, float]:
        totals = {name: float(getattr(self, name)) for name in PHASES}
        for began, service in self._under_way.values():
            left = now - began
            for name, seconds in zip(PHASES, service[1:], strict=True):
                totals[name] += min(seconds, left)
                left -= min(seconds, left)
        return totals

    def reading(self, now: float) -> dict[str, float]:
        serving = self._serving_seconds + len(self._under_way) * (now - self._since)
        return {**super().reading(now), "serving_seconds": serving}
