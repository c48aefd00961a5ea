"""Shows the requests of a replay one by one: the phases of each, hit or miss in a cache, and the blocks evicted."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from typing import Any, BinaryIO, NamedTuple

import simpy

from spindle.output.text import csv_cell, plural
from spindle.sim.clock import Phase
from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.memory import SharedMemory
from spindle.sim.request import READ, Op, Request
from spindle.sim.units import MS
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import ByDevice, DeviceAccess, RequestStarter, StartedPlaces
from spindle.traces.replay.replay import ReplayedStorage
from spindle.traces.replay.storage import CachePlan
from spindle.workloads.traces.record import Record

MAX_SHOWN = 1000
"""Most requests that are shown; a file has all."""
SHOWN_PHASES = {Phase.QUEUE: "queue", Phase.SEEK: "seek", Phase.ROTATION: "rotation", Phase.TRANSFER: "transfer"}
"""Phases with a column of their own."""
OTHER_PHASES = "other"
"""The column of the sum of all other phases."""
STEP_COLUMNS = (*SHOWN_PHASES.values(), OTHER_PHASES)
RESULTS = {"hits": "hit", "late_hits": "late hit", "misses": "miss"}
"""Words for the results of a request in a cache, by the name of the counter."""


class ReplayStep(NamedTuple):
    """One request, by its *number* in the trace, from 1 on: its *phases* in seconds, and its *result* in a cache.

    *evicted* are the blocks evicted since the request that was completed before it.
    """

    number: int
    device: str
    op: Op
    first: int
    length: int
    asked: float
    phases: dict[str, float]
    response: float
    result: str
    evicted: tuple[int, ...]

    def data(self) -> dict[str, Any]:
        """Return the step for JSON."""
        return {**self._asdict(), "op": self.op.value, "evicted": list(self.evicted)}


class ReplaySteps:
    """Sees the requests of one replay: its storage by ``plan``, its submissions by ``watch``, its ends when called.

    The first MAX_SHOWN are kept; *also* is called with each.
    """

    def __init__(self, also: Callable[[ReplayStep], None] = lambda step: None) -> None:
        self.steps: list[ReplayStep] = []
        self.count = 0
        self._also = also
        self._log: list[Hashable] = []
        self._asked: dict[Request, int] = {}
        self._results: dict[int, str] = {}

    def plan(self, plan: StoragePlan) -> StoragePlan:
        """Return *plan* with a cache that tells what is evicted."""
        cache = plan.cache
        if cache is None:
            return plan
        return replace(plan, cache=_LoggedCache(cache.size, cache.block, cache.kind, cache.writing, self._log))

    def watch(self, storage: ReplayedStorage, start: RequestStarter) -> ByDevice:
        """Return the places of *storage*, whose requests are seen; *start* has each come to its place."""
        return StartedPlaces(storage.places, partial(self._ask, storage, start))

    def _ask(
        self, storage: ReplayedStorage, start: RequestStarter, wanted: DeviceAccess, below: Callable[[], Request]
    ) -> Request:
        number = len(self._asked) + self.count + 1

        def look() -> Request:
            before = _counts(storage)
            asked = below()
            grown = [name for name, count in _counts(storage).items() if count > before.get(name, 0.0)]
            self._results[number] = RESULTS[grown[0].removeprefix("write_")] if grown else ""
            return asked

        request = start(wanted, look)
        self._asked[request] = number
        return request

    def __call__(self, record: Record, response: float, request: Request) -> None:
        assert record.number is not None, "records have their numbers in the trace"
        result = self._results.pop(self._asked.pop(request))
        phases = dict.fromkeys(STEP_COLUMNS, 0.0)
        for phase, begin, end in request.pieces():
            phases[SHOWN_PHASES.get(phase, OTHER_PHASES)] += end - begin
        evicted = tuple(_number(key) for key in self._log)
        self._log.clear()
        step = ReplayStep(record.number, record.device, record.op, record.first, record.length, request.submitted,
                          phases, response, result, evicted)  # fmt: skip
        self.count += 1
        if len(self.steps) < MAX_SHOWN:
            self.steps.append(step)
        self._also(step)


@dataclass(frozen=True)
class _LoggedCache(CachePlan):
    """A CachePlan whose policy writes the keys that it evicts into a *log*."""

    log: list[Hashable]

    def memory(self, env: simpy.Environment) -> SharedMemory:
        blocks = self.size // self.block
        return SharedMemory(env, blocks * self.block, _logging(make(self.kind, blocks), self.log),
                            uniform=self.block)  # fmt: skip


def _logging(policy: EvictionPolicy, log: list[Hashable]) -> EvictionPolicy:
    """Return *policy*, which from now on writes the keys that it evicts into *log*."""
    remove = policy.remove

    def note(key: Hashable, evicted: bool) -> None:
        remove(key, evicted)
        if evicted:
            log.append(key)

    vars(policy)["remove"] = note
    return policy


def _counts(storage: ReplayedStorage) -> dict[str, float]:
    """Return the hits, late hits and misses of all caches."""
    readings = [cache.reading() for cache in storage.caches]
    names = [f"{kind}{name}" for kind in ("write_", "") for name in RESULTS]
    return {name: fsum(reading.get(name, 0.0) for reading in readings) for name in names}


def _number(key: Hashable) -> int:
    """Return the number of the block with *key*, which has the name of its cache, too."""
    return int(key[1]) if isinstance(key, tuple) else int(str(key))


# Steps as lines of a page and as rows of CSV.

STEP_HEAD = "request,device,op,asked_s,response_ms,byte,length," + ",".join(f"{name}_ms" for name in STEP_COLUMNS) \
    + ",result,evicted"


def step_lines(seen: ReplaySteps) -> list[str]:
    """Return a line for each request, in the order in which they were done; without columns that are empty in all."""
    steps = seen.steps
    phases = [name for name in STEP_COLUMNS if any(step.phases[name] > 0.0 for step in steps)]
    cached, evicts = any(step.result for step in steps), any(step.evicted for step in steps)
    several = len({step.device for step in steps}) > 1
    head = f"{'':>5}{'op':>3}{'byte':>14}{'asked':>11}" + "".join(f"{name:>9}" for name in phases) + f"{'response':>10}"
    head += (f"  {'result':<8}" if cached else "") + ("  evicted" if evicts else "") + ("  device" if several else "")
    lines = [_line(step, phases, cached, evicts, several) for step in steps]
    more = seen.count - len(steps)
    return ["", "requests by number in the trace, in the order in which they were done; ms", head.rstrip(), *lines,
            *([f"and {plural(more, 'request')} more; --out FILE.csv has all"] if more else [])]  # fmt: skip


def _line(step: ReplayStep, phases: Iterable[str], cached: bool, evicts: bool, several: bool) -> str:
    op = "R" if step.op is READ else "W"
    line = f"{step.number:>5}{op:>3}{step.first:>14,}{step.asked / MS:>11.3f}"
    line += "".join(f"{step.phases[name] / MS:>9.3f}" for name in phases) + f"{step.response / MS:>10.3f}"
    line += (f"  {step.result:<8}" if cached else "")
    line += f"  {' '.join(map(str, step.evicted)):<7}" if evicts else ""
    return (line + (f"  {step.device}" if several else "")).rstrip()


def step_rows_into(file: BinaryIO) -> Callable[[ReplayStep], None]:
    """Return a function that writes a row for each step into *file*."""
    file.write(f"{STEP_HEAD}\n".encode())

    def write(step: ReplayStep) -> None:
        cells = [str(step.number), csv_cell(step.device), "R" if step.op is READ else "W", f"{step.asked:.9f}",
                 f"{step.response / MS:.6f}", str(step.first), str(step.length),
                 *(f"{step.phases[name] / MS:.6f}" for name in STEP_COLUMNS), step.result,
                 " ".join(map(str, step.evicted))]  # fmt: skip
        file.write((",".join(cells) + "\n").encode())

    return write
