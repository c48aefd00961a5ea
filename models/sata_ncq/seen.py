"""What the host sees of its requests: a row for each, and the times of reads and of writes."""

from collections.abc import Callable
from math import nan

import simpy

from sim.account import PARTS
from sim.measure.recorder import Recorder
from sim.request import READ, Request
from sim.terminal import Transaction
from workloads.traces.record import Record
from workloads.traces.replay.tally import Times

SHARES = {"median": 0.5, "p95": 0.95}


class Seen:
    """Takes requests as they are done, and hands them to *recorder* with their parts; it counts from *start* on."""

    def __init__(self, env: simpy.Environment, recorder: Recorder, start: float) -> None:
        self._env = env
        self.recorder = recorder
        self.count = 0
        self._start = start
        self._kinds = {"read": Times(), "write": Times()}
        self._every = 0
        self._look: Callable[[], None] = lambda: None

    def tell(self, every: int, look: Callable[[], None]) -> None:
        """*look* after each so many requests."""
        self._every, self._look = every, look

    def done(self, record: Record, request: Request) -> None:
        now: float = self._env._now
        parts, charges = [0.0] * PARTS, 0
        for part, begin, end in request.pieces():
            parts[part] += end - begin
            charges += 1
        kind = "read" if record.op is READ else "write"
        self.recorder.record(Transaction("host", kind, request.submitted, now, now, tuple(parts)), charges)
        if now >= self._start:
            self._kinds[kind].add(now - request.submitted)
        self.count += 1
        if self._every and not self.count % self._every:
            self._look()

    def by_kind(self) -> dict[str, float]:
        """Counts, means and percentiles of reads and of writes; NaN where there are none."""
        found = {}
        for kind, times in self._kinds.items():
            found[f"{kind}s"] = float(times.count)
            found[f"{kind}_mean"] = times.sum / times.count if times.count else nan
            found |= {f"{kind}_{name}": times.quantiles.quantile(share) for name, share in SHARES.items()}
        return found
