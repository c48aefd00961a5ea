"""The host's view of its requests: a row for each, and the times of reads and of writes."""

from math import nan

from sim.account import PARTS
from sim.request import READ, Request
from sim.terminal import ResponseLog, Transaction
from workloads.traces.record import Record
from workloads.traces.replay.hosts import Done
from workloads.traces.replay.tally import Times

SHARES = {"median": 0.5, "p95": 0.95}


class HostResponses:
    """Logs requests with their phases as they are answered; from *start* on it also keeps their times by kind."""

    def __init__(self, start: float) -> None:
        self.count = 0
        self._start = start
        self._kinds = {"read": Times(), "write": Times()}
        self._log: ResponseLog

    def into(self, log: ResponseLog) -> Done:
        """A callback for each completed request, which puts it into *log*."""
        self._log = log
        return self._done

    def _done(self, record: Record, request: Request) -> None:
        now: float = request.env._now
        parts, charges = [0.0] * PARTS, 0
        for part, begin, end in request.pieces():
            parts[part] += end - begin
            charges += 1
        kind = "read" if record.op is READ else "write"
        self._log.record(Transaction("host", kind, request.submitted, now, now, tuple(parts)), charges)
        if now >= self._start:
            self._kinds[kind].add(now - request.submitted)
        self.count += 1

    def by_kind(self) -> dict[str, float]:
        """Counts, means and percentiles of reads and of writes; NaN where there are none."""
        numbers = {}
        for kind, times in self._kinds.items():
            numbers[f"{kind}s"] = float(times.count)
            numbers[f"{kind}_mean"] = times.sum / times.count if times.count else nan
            numbers |= {f"{kind}_{name}": times.quantiles.quantile(share) for name, share in SHARES.items()}
        return numbers
