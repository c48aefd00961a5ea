"""Replays a trace: submits its requests to storage while it is read, tallies response times, and checks the phases."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import fsum, inf
from operator import itemgetter
from typing import Protocol

import simpy

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.measure.result import Quantiles, percentile
from spindle.sim.parts import LawBroken, agree
from spindle.sim.request import READ, Op, Request
from spindle.traces.replay.hosts import ByDevice, Host, TraceLoad
from spindle.traces.replay.storage import Places
from spindle.workloads.traces.record import Record

# The tally of a replay: counts, sums and buckets, so that memory does not grow with the number of requests.

OnCompletion = Callable[[Record, float, Request], None]
"""Called for each completed request with its response time in seconds."""

MAX_EXACT = 1000
"""Times that are kept one by one, so that percentiles of so few are exact; more are counted in buckets."""


class Times:
    """Tallies response times in seconds: their sum, longest, number and percentiles; and the *bytes* asked for."""

    def __init__(self) -> None:
        self.sum = 0.0
        self.longest = 0.0
        self.bytes = 0
        self.quantiles = Quantiles()
        self._first: list[float] = []

    @property
    def count(self) -> int:
        return self.quantiles.count

    def add(self, seconds: float, length: int = 0) -> None:
        self.sum += seconds
        self.bytes += length
        if seconds > self.longest:
            self.longest = seconds
        self.quantiles.add(seconds)
        if len(self._first) < MAX_EXACT:
            self._first.append(seconds)

    def add_all(self, seconds: Sequence[float], counted: Quantiles) -> None:
        """Keep the first of *seconds*, all of which are *counted* already; the caller adds their sum."""
        self.quantiles.merge(counted)
        self._first.extend(seconds[: MAX_EXACT - len(self._first)])

    def quantile(self, share: float) -> float:
        """Return the smallest time that at least *share* do not exceed; of more than MAX_EXACT within 0.1 %."""
        if len(self._first) == self.count:
            return percentile(sorted(self._first), share)
        return min(self.quantiles.quantile(share), self.longest)

    def merge(self, other: "Times") -> "Times":
        """Merge two into one."""
        both = Times()
        both.sum = self.sum + other.sum
        both.longest = max(self.longest, other.longest)
        both.bytes = self.bytes + other.bytes
        both.quantiles.merge(self.quantiles)
        both.quantiles.merge(other.quantiles)
        both._first = [*self._first, *other._first][:MAX_EXACT]
        return both


class TraceTally:
    """Counts each completed request, and passes it to *also*."""

    def __init__(self, also: OnCompletion | None = None) -> None:
        self.reads, self.writes = Times(), Times()
        self.measured_reads, self.measured_writes = Times(), Times()
        """Responses that the trace says, of requests whose response it says."""
        self.charged = [0.0] * PHASE_COUNT
        """The seconds of requests to a cache by phase; those to a bare drive are in the drive's counts."""
        self.begin = inf
        """Time at which the first request was submitted."""
        self.last_due = -inf
        """Latest time that the trace gives to a request."""
        self._also = also

    def add(self, record: Record, request: Request) -> None:
        submitted = request.submitted
        response = request.env._now - submitted
        if submitted < self.begin:
            self.begin = submitted
        (self.reads if record.op is READ else self.writes).add(response, record.length)
        if record.time is not None and record.time > self.last_due:
            self.last_due = record.time
        if record.response is not None:
            (self.measured_reads if record.op is READ else self.measured_writes).add(record.response)
        ledger = request.ledger
        if ledger is not None:
            charged = self.charged
            for phase, begin, end in ledger.pieces:
                charged[phase] += end - begin
        if self._also is not None:
            self._also(record, response, request)

    @property
    def all_times(self) -> Times:
        return self.reads.merge(self.writes)

    def times_of(self, op: Op | None) -> Times:
        return self.all_times if op is None else self.reads if op is READ else self.writes

    def measured_of(self, op: Op | None) -> Times:
        """Return the measured times of the requests of *op*, or of all; they may be fewer than were simulated."""
        reads, writes = self.measured_reads, self.measured_writes
        return reads.merge(writes) if op is None else reads if op is READ else writes


class DeviceTimes:
    """Response times of the reads and the writes of each device or tenant; may be passed as *also* of a replay."""

    def __init__(self) -> None:
        self._by_device = defaultdict[str, tuple[Times, Times]](_reads_and_writes)
        self._measured = defaultdict[str, tuple[Times, Times]](_reads_and_writes)

    def __call__(self, record: Record, response: float, request: Request) -> None:
        self._by_device[record.device][record.op is not READ].add(response, record.length)
        if record.response is not None:
            self._measured[record.device][record.op is not READ].add(record.response)

    def pass_to(self, also: OnCompletion) -> OnCompletion:
        """Count each request, and pass it on to *also*."""

        def both(record: Record, response: float, request: Request) -> None:
            self(record, response, request)
            also(record, response, request)

        return both

    def groups(self) -> dict[str, dict[str, Times]]:
        """Return the times of all, reads and writes of each device, the device with the most requests first."""
        made = {name: _kinds(*times) for name, times in self._by_device.items()}
        return dict(sorted(made.items(), key=lambda item: -item[1]["all"].count))

    def measurements_of(self, name: str) -> dict[str, Times]:
        """Return the measured times of all, reads and writes of the device *name*."""
        return _kinds(*self._measured[name])


def _reads_and_writes() -> tuple[Times, Times]:
    return Times(), Times()


def _kinds(reads: Times, writes: Times) -> dict[str, Times]:
    return {"all": reads.merge(writes), "reads": reads, "writes": writes}


PHASE_NAMES = {phase: phase.name.lower().replace("_", " ") for phase in Phase}
"""Names of phases on a page."""

DISC_PHASES = {
    Phase.QUEUE: "queue", Phase.OVERHEAD: "overhead", Phase.SEEK: "seek", Phase.ROTATION: "rotation",
    Phase.TRANSFER: "transfer", Phase.CHANNEL: "channel",
}  # fmt: skip
"""Names of a drive's counters of each phase."""


class Counting(Protocol):
    def reading(self) -> dict[str, float]:
        """Return its counters by name."""


class BusyCounting(Counting, Protocol):
    def busy(self) -> float:
        """Return the seconds until now in which it served a request."""


class ReplayedStorage(Protocol):
    """Drives, the places of devices on them, and the caches above them, one for each drive, or none at all."""

    @property
    def env(self) -> simpy.Environment: ...

    @property
    def places(self) -> Places: ...

    @property
    def drives(self) -> Mapping[str, BusyCounting]: ...

    @property
    def caches(self) -> Sequence[Counting]: ...

    @property
    def has_layers(self) -> bool: ...

    @property
    def arrays(self) -> Sequence[Counting]: ...

    @property
    def flash_drives(self) -> Sequence[BusyCounting]:
        """The drive of a flash tier; none without one."""

    @property
    def flash_tiers(self) -> Sequence[Counting]:
        """The tiers on it, one in front of each device."""


@dataclass(frozen=True)
class TraceReplayed:
    """The times of all requests, and the storage as they left it at the instant *end*."""

    tally: TraceTally
    storage: ReplayedStorage
    end: float

    @property
    def seconds(self) -> float:
        """Seconds from the first request to the end."""
        return self.end - min(self.end, self.tally.begin)

    @property
    def behind(self) -> float:
        """Seconds from the time of the last request to the end; 0 where requests have none."""
        return self.end - self.tally.last_due if self.tally.last_due > -inf else 0.0

    def breakdown(self) -> dict[str, float]:
        """Return the seconds of all responses by phase. They add up to the responses, exactly."""
        if self.storage.has_layers or any(self.tally.charged):
            return {PHASE_NAMES[phase]: self.tally.charged[phase] for phase in Phase}
        totals = totals_of(self.storage.drives.values())
        return {PHASE_NAMES[phase]: totals[name] for phase, name in DISC_PHASES.items()}


def replay_trace(
    records: Iterable[Record], storage: ReplayedStorage, host: Callable[..., Host], also: OnCompletion | None = None,
    places: ByDevice | None = None,
) -> TraceReplayed:  # fmt: skip
    """Submit all *records* to new *storage* by a *host*; *also* is called for each, in the order of completion.

    They are submitted to *places* instead of the storage's own where these are given.

    The replay ends with the last completion: dirty blocks and read-ahead are not waited for.
    """
    tally, numbers = TraceTally(also), count()
    numbered = map(itemgetter(0), zip(records, numbers))  # noqa: B905 - the records end first
    asked = storage.places if places is None else places
    load = TraceLoad(numbered, asked, host, lambda _: tally.add)
    result = engine.run(Machine(storage.env, {}), load, Window(), keep_rows=False)
    replayed = TraceReplayed(tally, storage, result.end)
    check_replayed(replayed, next(numbers))
    return replayed


def check_replayed(replayed: TraceReplayed, read: int) -> None:
    """Check that each of the *read* requests was done, and that responses are the sum of their phases."""
    if replayed.tally.all_times.count != read:
        raise LawBroken(f"{replayed.tally.all_times.count} requests were done of {read} that were read")
    check_breakdown(replayed)


def check_breakdown(replayed: TraceReplayed) -> None:
    """Check that responses, by the clock, equal the sum of their phases: in all, as one by one takes long."""
    times = replayed.tally.all_times
    terms = 16 * (times.count + totals_of(replayed.storage.drives.values()).get("issued", 0.0) + 1)
    phases = fsum(replayed.breakdown().values())
    agree("breakdown: responses against their phases", times.sum, phases, terms, replayed.end)


def totals_of(parts: Iterable[Counting]) -> dict[str, float]:
    """The counters of all *parts* together: drives, arrays, tiers or caches; none without one."""
    readings = [part.reading() for part in parts]
    return {name: fsum(each[name] for each in readings) for name in readings[0]} if readings else {}
