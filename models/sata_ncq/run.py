"""One run: a trace, made up or from a file, through cache, tags and drive."""

from collections.abc import Generator
from contextlib import closing
from functools import partial
from itertools import islice
from math import inf, nan
from pathlib import Path

import simpy

from models.sata_ncq.machine import TAGS, Choices, build, places
from models.sata_ncq.parameters import Parameters
from models.sata_ncq.placement import Built
from models.sata_ncq.seen import Seen
from sim.cpu import FcfsCpu
from sim.error import UserError, unknown
from sim.machine import Machine
from sim.measure.laws import check_drive
from sim.measure.recorder import Recorder
from sim.measure.result import Result, difference
from sim.measure.simulate import Onlooker, Watch
from sim.parameter import changed
from sim.units import MIB, MINUTE, Bytes
from workloads.traces.pc import LOADS, pc_trace
from workloads.traces.reader import Trace
from workloads.traces.record import Record
from workloads.traces.replay.hosts import Closed, Open

MOST = 10**9
CACHE = Bytes(2 * MIB)
LOOKS = 50
"""How often a watch is told of the time."""


def run(
    trace: Path | None = None,
    load: str = "pcfat32",
    requests: int = 10_000,
    cache: Bytes = CACHE,
    depth: int = TAGS,
    under_way: int = TAGS,
    timed: bool = False,
    seed: object = 1,
    warm_up: float = 0.0,
    choices: Choices | None = None,
    keep_rows: bool = True,
    watch: Watch | None = None,
    **parameters: object,
) -> Result:
    """Ask for so many *requests* of the file *trace*, or of the synthetic *load*, and count from *warm_up* minutes on.

    With *timed* each is asked when its time comes, else there are always so many *under_way*. The *cache* has so many
    bytes, 0 is none; *depth* are the drive's tags, 1 is no NCQ. Any field of Parameters may be given by name.
    """
    chosen = changed(Parameters(), **parameters)
    if not 1 <= requests <= MOST:
        raise UserError(f"requests must be a whole number from 1 to {MOST}, not {requests!r}")
    if not 0.0 <= warm_up < MOST:
        raise UserError(f"warm_up must be minutes, and not negative, not {warm_up!r}")
    env = simpy.Environment()
    built = build(env, chosen, choices or Choices(), cache, depth)
    if isinstance(watch, Onlooker):
        # There is no CPU in this; whoever looks on expects one, which does nothing.
        watch.attend(Machine(env, FcfsCpu(env), {"drive": built.drive}), None, warm_up * MINUTE, inf)
    seen = Seen(env, Recorder(warm_up * MINUTE, keep_rows), warm_up * MINUTE)
    with closing(_records(trace, load, chosen, seed, requests)) as records:
        host = (Open if timed else partial(Closed, depth=under_way))(
            env, records, places(built, chosen.block), seen.done)
        first = _warmed_up(env, built, host.finished, warm_up * MINUTE)
        _to_the_end(env, host.finished, seen, requests, watch)
    check_drive("drive", built.drive.reading(), env.now)
    counters = difference(_reading(built), first)
    said = {"trace": trace.name if trace else load, "requests": seen.count, "cache": cache, "depth": depth,
            **({"timed": True} if timed else {"under_way": under_way}), **parameters}
    return Result("sata_ncq", said, seed, warm_up * MINUTE, env.now, counters, seen.recorder, (), 0,
                  _extras(seen, counters, env.now - warm_up * MINUTE))


def _records(
    trace: Path | None, load: str, parameters: Parameters, seed: object, requests: int
) -> Generator[Record, None, None]:
    """A generator, so that the file is closed when the run ends."""
    if trace is None and load not in LOADS:
        raise unknown("load", load, LOADS)
    found = pc_trace(parameters.load(load), seed, requests) if trace is None else islice(Trace(trace), requests)
    yield from found


def _warmed_up(env: simpy.Environment, built: Built, finished: simpy.Event, warm_up: float) -> dict[str, float]:
    """What was counted when the warm-up ends; nothing where there is none."""
    if not warm_up:
        return {}
    env.run(until=simpy.AnyOf(env, [finished, env.timeout(warm_up)]))
    if finished.triggered:
        raise UserError(f"all requests were done after {env.now / MINUTE:.3g} minutes, within the warm-up")
    return _reading(built)


def _to_the_end(env: simpy.Environment, finished: simpy.Event, seen: Seen, requests: int, watch: Watch | None) -> None:
    if watch is not None:
        seen.tell(max(1, requests // LOOKS), lambda: watch(env.now, env.now * requests / max(1, seen.count)))
    env.run(until=finished)


def _reading(built: Built) -> dict[str, float]:
    parts = {"drive": built.drive.reading()} | ({"cache": built.cache.reading()} if built.cache else {})
    return {f"{part}.{name}": value for part, reading in parts.items() for name, value in reading.items()}


def _extras(seen: Seen, counters: dict[str, float], seconds: float) -> dict[str, float]:
    def of(counter: str) -> float:
        return counters.get(counter, 0.0)

    accesses = of("drive.completed")
    work = sum(of(f"drive.{part}") for part in ("overhead", "seek", "rotation", "transfer"))
    read, written = ([of(f"cache.{kind}{name}") for name in ("hits", "late_hits", "misses")]
                     for kind in ("", "write_"))
    return {
        "total_service": seen.recorder.total,
        "makespan": seconds,
        "hit_ratio": ratio(read[0] + written[0], sum(read) + sum(written)),
        "read_hit_ratio": ratio(read[0], sum(read)),
        "write_hit_ratio": ratio(written[0], sum(written)),
        "late_hit_ratio": ratio(read[1] + written[1], sum(read) + sum(written)),
        **seen.by_kind(),
        "disc_busy": of("drive.busy") / seconds if seconds else nan,
        "disc_accesses": accesses,
        "service_mean": ratio(work, accesses),
        "disc_queue_mean": ratio(of("drive.queue"), accesses),
        "written_back": of("cache.written_back"),
    }  # fmt: skip


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan
