"""How long accesses of a load take without a cache, block by block: what Kim's figure 1 shows."""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import partial
from math import nan
from statistics import fmean
from typing import Any, NamedTuple

import simpy

from models.sata_ncq.machine import TAGS, NcqOptions, build, places
from models.sata_ncq.parameters import NcqParameters
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed
from sim.request import Request, Service
from sim.units import MS
from workloads.traces.pc import pc_trace
from workloads.traces.record import Record
from workloads.traces.replay.hosts import Closed, Open, TraceLoad

EDGES = (0.0, 10 * MS, 20 * MS, 30 * MS)
"""Where the intervals of the figure begin; the last has no end."""
GROUPS = ("below 20", "20 to 40", "40 to 60", "60 to 80", "above 80")
"""Of LBAs, by how often they are used (S4-08)."""
WIDTH = 20
RECENT = 10
INTERVALS = ("up_to_10_ms", "up_to_20_ms", "up_to_30_ms", "longer")
BARS = ("all", "used lately", *GROUPS)


class Taken(NamedTuple):
    """An access to *block*: seconds until its answer, and of them those in which it was served."""

    block: int
    response: float
    service: float


def access_times(
    parameters: NcqParameters, load: str, seed: object, requests: int, depth: int, under_way: int | None = None
) -> list[Taken]:
    """Each of so many *requests*, submitted at its time, or always so many *under_way*."""
    env = simpy.Environment()
    built = build(env, parameters, NcqOptions(), 0, depth)
    found: list[Taken] = []

    def done(record: Record, request: Request) -> None:
        service = request.value
        assert isinstance(service, Service)
        found.append(Taken(record.first // parameters.block, env.now - request.submitted, service.total))

    host = Open if under_way is None else partial(Closed, depth=under_way)
    asked = pc_trace(parameters.load(load), seed, requests)
    asking = TraceLoad(asked, places(built, parameters.block), host, lambda _: done)
    engine.run(built.machine(env), asking, Window(), seed)
    return found


def by_block(found: Iterable[Taken]) -> dict[int, list[float]]:
    """The responses of each block."""
    times: dict[int, list[float]] = defaultdict(list)
    for block, response, _ in found:
        times[block].append(response)
    return times


def by_group(times: dict[int, list[float]]) -> dict[str, list[list[float]]]:
    """Those of the blocks of each of GROUPS."""
    groups: dict[str, list[list[float]]] = {name: [] for name in GROUPS}
    for each in times.values():
        groups[GROUPS[min(len(GROUPS) - 1, len(each) // WIDTH)]].append(each)
    return groups


def recent(found: Iterable[Taken]) -> list[float]:
    """Responses of accesses to a block that was one of the last ten."""
    last: deque[int] = deque(maxlen=RECENT)
    times = []
    for block, response, _ in found:
        if block in last:
            times.append(response)
        last.append(block)
    return times


def shares(blocks: Iterable[Sequence[float]]) -> list[float]:
    """How much of the accesses falls into each interval of EDGES. Each block counts once, however often it is used."""
    parts = [[sum(low < time <= high for time in times) / len(times)
              for low, high in zip(EDGES, (*EDGES[1:], float("inf")), strict=True)] for times in blocks]
    return [fmean(column) for column in zip(*parts, strict=True)]


def figure_1(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """What figure 1 shows of *load*, without a cache and with NCQ: ``all/up_to_10_ms`` and so on.

    The shares of accesses in each interval, of all blocks, of accesses to blocks used lately, and of each group; those
    of a group without blocks are NaN. ``/accesses`` is how many there are.
    """
    taken = access_times(changed(NcqParameters(), **parameters), load, seed, requests, TAGS)
    times = by_block(taken)
    bars = {"all": list(times.values()), "used lately": [[time] for time in recent(taken)], **by_group(times)}
    row = {}
    for name, blocks in bars.items():
        for interval, share in zip(INTERVALS, shares(blocks) if blocks else [nan] * len(INTERVALS), strict=True):
            row[f"{name}/{interval}"] = share
        row[f"{name}/accesses"] = float(sum(map(len, blocks)))
    return row
