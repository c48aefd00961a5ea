"""Runs a synthetic load, or a trace from a file, through the cache, tags and disc drive of Kim's paper (2014).

The tags are those of NCQ, native command queuing. Response times are measured in the host.
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import fsum, nan
from pathlib import Path

import simpy

from spindle.models.sata_ncq.machine import TAGS, NcqOptions, build, places
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.error import UserError, unknown
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.measure.result import Result, ratio
from spindle.sim.parameter import change
from spindle.sim.request import READ, Request
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.sim.units import MIB, MINUTE, Bytes
from spindle.traces.replay.hosts import Closed, Done, Open, TraceLoad
from spindle.traces.replay.replay import Times
from spindle.workloads.pc import LOADS, pc_trace
from spindle.workloads.traces.record import Record

# The host's view of its requests: a row for each, and the times of reads and of writes.

PERCENTILES = {"median": 0.5, "p95": 0.95}


class HostResponses:
    """Log of requests, with their phases, as the host receives answers; from *start* on it keeps times by kind."""

    def __init__(self, start: float) -> None:
        self.count = 0
        self._start = start
        self._kinds = {"read": Times(), "write": Times()}
        self._log: ResponseLog

    def callback(self, log: ResponseLog) -> Done:
        """Return a callback that records each completed request in *log*."""
        self._log = log
        return self._record

    def _record(self, record: Record, request: Request) -> None:
        now: float = request.env._now
        phases, charges = [0.0] * PHASE_COUNT, 0
        for phase, begin, end in request.pieces():
            phases[phase] += end - begin
            charges += 1
        kind = "read" if record.op is READ else "write"
        self._log.record(Transaction("host", kind, request.submitted, now, now, tuple(phases)), charges)
        if now >= self._start:
            self._kinds[kind].add(now - request.submitted)
        self.count += 1

    def by_kind(self) -> dict[str, float]:
        """Return counts, means and percentiles of reads and of writes; NaN where there are none."""
        numbers = {}
        for kind, times in self._kinds.items():
            numbers[f"{kind}s"] = float(times.count)
            numbers[f"{kind}_mean"] = times.sum / times.count if times.count else nan
            numbers |= {f"{kind}_{name}": times.quantiles.quantile(share) for name, share in PERCENTILES.items()}
        return numbers


MAX_REQUESTS = 10**9
MAX_MINUTES = 1e9
DEFAULT_CACHE = Bytes(2 * MIB)


@dataclass(frozen=True)
class RequestStream:
    """The requests of a run: *requests* of the file *trace*, or of the synthetic *load*.

    They are measured from *warm_up* minutes on. With *timed* each is submitted at its time, else *under_way* requests
    are kept under way.
    """

    trace: Path | None = ask(None, "a file of requests in the place of a load")
    load: str = ask("pcfat32", "a synthetic load")
    requests: int = ask(10_000, "requests", least=1, most=MAX_REQUESTS)
    under_way: int = ask(TAGS, "requests that are kept under way")
    timed: bool = ask(False, "each request at its time")
    warm_up: float = ask(0.0, "minutes that do not count", "min")


@flat
def run(
    asked: RequestStream = RequestStream(),
    cache: Bytes = DEFAULT_CACHE,
    depth: int = TAGS,
    seed: object = 1,
    choices: NcqOptions | None = None,
    recorded: Recorded = RECORDED,
    **parameters: object,
) -> Result:
    """Replay the requests that are *asked*.

    The *cache* is in bytes, 0 is none; *depth* are the drive's tags, 1 is no NCQ. Any field of NcqParameters may be
    given by name.
    """
    values = change(NcqParameters(), **parameters)
    if not 0.0 <= asked.warm_up < MAX_MINUTES:
        raise UserError(f"warm_up must be minutes, and not negative, not {asked.warm_up!r}")
    env = simpy.Environment()
    built = build(env, values, choices or NcqOptions(), cache, depth)
    window = Window(asked.warm_up * MINUTE, interval=recorded.interval)
    responses = HostResponses(window.start)
    host = Open if asked.timed else partial(Closed, depth=asked.under_way)
    with closing(_records(asked.trace, asked.load, values, seed, asked.requests)) as records:
        asking = TraceLoad(records, places(built, values.block), host, responses.callback,
                           lambda: responses.count / asked.requests)  # fmt: skip
        result = engine.run(built.machine(env), asking, window, seed, recorded.watch, recorded.keep_rows)
    settings = {"trace": asked.trace.name if asked.trace else asked.load, "requests": responses.count, "cache": cache,
                "depth": depth, **({"timed": True} if asked.timed else {"under_way": asked.under_way}),
                **parameters}  # fmt: skip
    return replace(result, system="sata_ncq", parameters=settings, extras=_extras(result, responses))


def _records(
    trace: Path | None, load: str, parameters: NcqParameters, seed: object, requests: int
) -> Generator[Record, None, None]:
    """Yield the requests; as a generator, so that the file is closed when the run ends."""
    if trace is None and load not in LOADS:
        raise unknown("load", load, LOADS)
    if trace is None:
        yield from pc_trace(parameters.load(load), seed, requests)
    else:
        from spindle.workloads.traces.reader import Trace  # it needs numpy, which runs of a load do without

        yield from islice(Trace(trace), requests)


def _extras(result: Result, responses: HostResponses) -> dict[str, float]:
    def count_of(counter: str) -> float:
        return result.counters.get(counter, 0.0)

    accesses = count_of("drive.completed")
    work = fsum(count_of(f"drive.{phase}") for phase in ("overhead", "seek", "rotation", "transfer"))
    read, written = ([count_of(f"cache.{kind}{name}") for name in ("hits", "late_hits", "misses")]
                     for kind in ("", "write_"))
    return {
        "total_service": result.recorder.total,
        "makespan": result.seconds,
        "hit_ratio": ratio(read[0] + written[0], sum(read) + sum(written)),
        "read_hit_ratio": ratio(read[0], sum(read)),
        "write_hit_ratio": ratio(written[0], sum(written)),
        "late_hit_ratio": ratio(read[1] + written[1], sum(read) + sum(written)),
        **responses.by_kind(),
        "disc_busy": ratio(count_of("drive.busy"), result.seconds),
        "disc_accesses": accesses,
        "service_mean": ratio(work, accesses),
        "disc_queue_mean": ratio(count_of("drive.queue"), accesses),
        "written_back": count_of("cache.written_back"),
    }  # fmt: skip
