"""One replay of a trace: its requests submitted to storage while it is read, the laws checked, and the result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

import simpy

from sim.account import Phase
from sim.disc.drive import Drive
from sim.machine import Machine
from sim.measure import engine
from sim.measure.laws import agree
from sim.measure.window import Window
from workloads.traces.record import Record
from workloads.traces.replay.hosts import Host, TraceLoad
from workloads.traces.replay.storage import Places
from workloads.traces.replay.tally import NAMES, Also, TraceTally

DISC_PARTS = {
    Phase.QUEUE: "queue", Phase.OVERHEAD: "overhead", Phase.SEEK: "seek", Phase.ROTATION: "rotation",
    Phase.TRANSFER: "transfer", Phase.CHANNEL: "channel",
}  # fmt: skip
"""By what a drive counts of each."""


class Counting(Protocol):
    def reading(self) -> dict[str, float]:
        """What it has counted, by name."""


class ReplayedStorage(Protocol):
    """Drives, the places of devices on them, and the caches above them, one for each drive, or none at all."""

    @property
    def env(self) -> simpy.Environment: ...

    @property
    def places(self) -> Places: ...

    @property
    def drives(self) -> Mapping[str, Drive]: ...

    @property
    def caches(self) -> Sequence[Counting]: ...

    def each(self) -> list[Drive]: ...


@dataclass(frozen=True)
class TraceReplayed:
    """The times of all requests, and the storage as they left it at the instant *end*."""

    tally: TraceTally
    storage: ReplayedStorage
    end: float

    def drive_totals(self) -> dict[str, float]:
        """The counters of all drives together."""
        return _sums([drive.reading() for drive in self.storage.each()])

    def cache_totals(self) -> dict[str, float]:
        """The counters of all caches together; none without a cache."""
        return _sums([cache.reading() for cache in self.storage.caches])

    def breakdown(self) -> dict[str, float]:
        """Where the seconds of all responses went. They add up to the responses, exactly."""
        if self.storage.caches:
            return {NAMES[part]: self.tally.charged[part] for part in Phase}
        totals = self.drive_totals()
        return {NAMES[part]: totals[name] for part, name in DISC_PARTS.items()}


def replay_trace(
    records: Iterable[Record], storage: ReplayedStorage, host: Callable[..., Host], also: Also | None = None
) -> TraceReplayed:
    """Submit all *records* to new *storage* by a *host*; *also* is called for each, in the order of completion.

    The replay ends with the last completion: dirty blocks and read-ahead are not waited for.
    """
    tally = TraceTally(also)
    load = TraceLoad(iter(records), storage.places, host, lambda _: tally.add)
    result = engine.run(Machine(storage.env, {}), load, Window(), keep_rows=False)
    replayed = TraceReplayed(tally, storage, result.end)
    check_breakdown(replayed)
    return replayed


def check_breakdown(replayed: TraceReplayed) -> None:
    """Responses, taken by the clock, are what their phases add up to: all at once, for each by itself takes long."""
    times = replayed.tally.all
    terms = 16 * (times.count + replayed.drive_totals().get("issued", 0.0) + 1)
    phases = fsum(replayed.breakdown().values())
    agree("breakdown: responses against their phases", times.sum, phases, terms, replayed.end)


def _sums(readings: list[dict[str, float]]) -> dict[str, float]:
    return {name: fsum(each[name] for each in readings) for name in readings[0]} if readings else {}
