"""A trace as a system: the settings of its replay are arguments of its run, so that sweep and find take a trace."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import fsum, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simpy import Environment

from spindle.measures import within_bounds
from spindle.sim import forms
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.forms import DriveForm, PolicyForm, SchedulerForm
from spindle.sim.units import Bytes
from spindle.studies.arrays import ARRAY_SAYS, NO_BITMAP, NO_REBUILD, USUAL_CHUNK, array_type
from spindle.studies.system import System
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Open
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, replay_trace
from spindle.traces.replay.storage import CachePlan, Storage, write_back
from spindle.workloads.traces.reader import Trace

if TYPE_CHECKING:
    from pandas import DataFrame

DRIVE = "hitachi7k1000.c"
BLOCK, NO_CACHE = Bytes(4096), Bytes(0)
PERCENTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
FINE_PERCENTILES = {**PERCENTILES, "p9999": 0.9999}
ANSWERS = ("response_mean", "response_p95", "response_p99", "response_p999", "hit_ratio", "disc_busy")
SAYS = {
    "cache": "bytes of a cache above the drives; 0 is none", "block": "bytes of a block of the cache",
    "closed": "number of requests always under way, whatever their times; 0 submits each at its time",
    "limit": "number of requests from the first on; 0 is all",
    **ARRAY_SAYS, "drives": "number of drives, or of those of each array; 0 is one for each device of the trace",
}  # fmt: skip


@dataclass(frozen=True)
class TraceParameters:
    """The parameters of a trace, which has none: all settings are arguments of its run."""


def run(
    trace: Path, drive: DriveForm = DRIVE, scheduler: SchedulerForm = Fcfs, cache: Bytes = NO_CACHE,
    policy: PolicyForm = Lru, block: Bytes = BLOCK, closed: int = 0, limit: int = 0, drives: int = 0,
    raid: str = "", chunk: Bytes = USUAL_CHUNK, bitmap: Bytes = NO_BITMAP, delayed: bool = False, failed: int = 0,
    rebuild: Bytes = NO_REBUILD, ure: float = 0.0, seed: object = 1,
) -> "ReplayNumbers":  # fmt: skip
    """Replay the trace once, and return the numbers. The seed is of unrecoverable errors, and of nothing else."""
    sheet = forms.drive_type(drive)
    if not isinstance(sheet, DriveType):
        raise UserError("a trace is replayed on the sheet of a drive")
    for name, count in (("closed", closed), ("limit", limit), ("drives", drives)):
        if count < 0:
            raise UserError(f"{name} must be at least 0, not {count}")
    array = array_type(str(raid), drives if raid else 0, chunk, bitmap, delayed, failed, rebuild, ure, seed)
    kind = forms.policy(policy)
    plan = StoragePlan(DriveSheet(sheet, None), lambda: _scheduler(scheduler),
                       CachePlan(cache, block, kind, write_back) if cache else None, None if array else drives or None,
                       raid=array)  # fmt: skip
    requests = Trace(trace)
    first = next(iter(requests))
    if first.keys:
        raise UserError(f"{trace}: it asks for objects by key, which have no place on a drive; curve takes them")
    timed = first.time is not None and not closed
    host = Open if timed else partial(Closed, depth=max(1, closed))
    records = iter(requests) if not limit else islice(iter(requests), limit)
    devices = DeviceTimes()
    return ReplayNumbers(numbers(replay_trace(records, Storage(Environment(), plan), host, devices)), devices)


def _scheduler(given: SchedulerForm) -> Scheduler:
    """Make the scheduler of one drive. A scheduler has a length, and an empty one is false."""
    made = forms.scheduler(given)
    return Fcfs() if made is None else made


class ReplayNumbers(dict[str, float]):
    """Numbers of a replay by name; ``frame`` has those of each device."""

    def __init__(self, numbers: Mapping[str, float], devices: DeviceTimes) -> None:
        super().__init__(numbers)
        self._devices = devices

    def frame(self) -> "DataFrame":
        """A row for all requests of each device, for its reads and for its writes: their number, and seconds."""
        import pandas as pd  # takes a second

        rows = [{"device": device, "requests": kind, "count": times.count, "mean": times.sum / times.count,
                 **{name: min(times.quantiles.quantile(share), times.longest)
                    for name, share in FINE_PERCENTILES.items()},
                 "max": times.longest}
                for device, kinds in self._devices.groups().items() for kind, times in kinds.items() if times.count]
        return pd.DataFrame(rows)


def numbers(replayed: TraceReplayed) -> dict[str, float]:
    """Return seconds and shares by the names of the measures of runs."""
    times, totals, caches = replayed.tally.times_of(None), replayed.drive_totals(), replayed.cache_totals()
    hits, late, misses = (caches.get(name, 0.0) for name in ("hits", "late_hits", "misses"))
    reads, busy = hits + late + misses, [drive.busy() for drive in replayed.storage.drives.values()]
    parts = replayed.breakdown()
    return within_bounds({
        **_responses(times, replayed.end),
        **{f"part_{name.replace(' ', '_')}": seconds / times.count for name, seconds in parts.items() if seconds},
        "hit_ratio": hits / reads if reads else nan, "late_hit_ratio": late / reads if reads else nan,
        "disc_busy": fsum(busy) / len(busy) / replayed.end if busy and replayed.end else nan,
        "disc_accesses": totals["completed"], "makespan": replayed.end,
    })  # fmt: skip


def _responses(times: Times, end: float) -> dict[str, float]:
    count = times.count
    spread = {f"response_{name}": min(times.quantiles.quantile(share), times.longest) if count else nan
              for name, share in PERCENTILES.items()}  # fmt: skip
    return {
        "responses": float(count), "response_mean": times.sum / count if count else nan, **spread,
        "response_max": times.longest if count else nan, "throughput": count / end if end else nan,
    }  # fmt: skip


def trace_system(name: str) -> System:
    """Build the system of replays of the trace in the file *name*."""

    def replay(**given: Any) -> Mapping[str, float]:
        return run(Path(name), **given)

    replay.__signature__ = _signature()  # type: ignore[attr-defined]
    return System(name, f"Replays of {name}", replay, TraceParameters(), says=SAYS, answers=ANSWERS)


def _signature() -> Any:
    from inspect import signature

    whole = signature(run)
    return whole.replace(parameters=[each for each in whole.parameters.values() if each.name != "trace"])
