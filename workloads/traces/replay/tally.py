"""What a replay keeps of its requests: counts, sums and buckets, so that its memory does not grow with their number."""

from collections.abc import Callable

from sim.account import PARTS, Phase
from sim.measure.quantiles import Quantiles
from sim.request import READ, Op, Request
from workloads.traces.record import Record

Also = Callable[[Record, float, Request], None]
"""Called for each completed request with its response time in seconds."""


class Times:
    """Response times: their sum, the longest, and buckets for their number and percentiles."""

    def __init__(self) -> None:
        self.sum = 0.0
        self.longest = 0.0
        self.quantiles = Quantiles()

    @property
    def count(self) -> int:
        return self.quantiles.count

    def add(self, seconds: float) -> None:
        self.sum += seconds
        if seconds > self.longest:
            self.longest = seconds
        self.quantiles.add(seconds)

    def merged(self, other: "Times") -> "Times":
        """Those of both."""
        both = Times()
        both.sum = self.sum + other.sum
        both.longest = max(self.longest, other.longest)
        both.quantiles.merge(self.quantiles)
        both.quantiles.merge(other.quantiles)
        return both


class TraceTally:
    """Counts each completed request, and passes it to *also*."""

    def __init__(self, also: Also | None = None) -> None:
        self.reads, self.writes = Times(), Times()
        self.charged = [0.0] * PARTS
        """The seconds of requests to a cache by phase; those to a bare drive are in the drive's counts."""
        self._also = also

    def add(self, record: Record, request: Request) -> None:
        response = request.env._now - request.submitted
        times = self.reads if record.op is READ else self.writes
        times.sum += response
        if response > times.longest:
            times.longest = response
        times.quantiles.add(response)
        ledger = request.ledger
        if ledger is not None:
            charged = self.charged
            for part, begin, end in ledger.pieces:
                charged[part] += end - begin
        if self._also is not None:
            self._also(record, response, request)

    @property
    def all(self) -> Times:
        return self.reads.merged(self.writes)

    def of(self, op: Op | None) -> Times:
        return self.all if op is None else self.reads if op is READ else self.writes


NAMES = {part: part.name.lower().replace("_", " ") for part in Phase}
"""What parts are called on a page."""
