"""Shared by studies of Kim's paper: access times without a cache (figure 1), the partitions of policy FAC into which
they fall, and LRU, LFU, ATCA and FAC on one load or one real trace."""

import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import fsum, log2, nan
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import simpy
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from spindle.models.sata_ncq.machine import (
    READINGS,
    TAGS,
    AccessTime,
    NcqOptions,
    build,
    maxima,
    places,
    response,
    service,
)
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import run
from spindle.sim.eviction.fac import (
    Atca,
    DynamicMaximum,
    Fac,
    Maximum,
    Partitions,
    Reading,
    identity,
)
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.request import Request, Service
from spindle.sim.units import MS, Bytes
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import curve, with_points
from spindle.traces.blocks import references
from spindle.traces.replay.hosts import Closed, Open, TraceLoad
from spindle.workloads.pc import pc_trace
from spindle.workloads.pc import places as load_places
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

# How long accesses of a load take without a cache, block by block: what Kim's figure 1 shows.

EDGES = (0.0, 10 * MS, 20 * MS, 30 * MS)
"""Starts of the figure's intervals, in seconds; the last has no end."""
GROUPS = ("below 20", "20 to 40", "40 to 60", "60 to 80", "above 80")
"""Groups of blocks (LBAs) by number of uses (claim S4-08)."""
GROUP_USES = 20
RECENT = 10
"""A block counts as used lately if it is among as many accesses before."""
INTERVALS = ("up_to_10_ms", "up_to_20_ms", "up_to_30_ms", "longer")
BARS = ("all", "used lately", *GROUPS)


class BlockAccess(NamedTuple):
    """An access to *block*: seconds of its response, and those in which it was served."""

    block: int
    response: float
    service: float


def access_times(
    parameters: NcqParameters, load: str, seed: object, requests: int, depth: int, under_way: int | None = None
) -> list[BlockAccess]:
    """Return the access time of each of *requests*, submitted at its time, or with *under_way* outstanding at any time.
    """
    env = simpy.Environment()
    built = build(env, parameters, NcqOptions(), 0, depth)
    found: list[BlockAccess] = []

    def note(record: Record, request: Request) -> None:
        service = request.value
        assert isinstance(service, Service)
        found.append(BlockAccess(record.first // parameters.block, env.now - request.submitted, service.total))

    host = Open if under_way is None else partial(Closed, depth=under_way)
    asked = pc_trace(parameters.load(load), seed, requests)
    asking = TraceLoad(asked, places(built, parameters.block), host, lambda _: note)
    engine.run(built.machine(env), asking, Window(), seed)
    return found


def by_block(found: Iterable[BlockAccess]) -> dict[int, list[float]]:
    """Return the responses of each block."""
    times: dict[int, list[float]] = defaultdict(list)
    for block, taken, _ in found:
        times[block].append(taken)
    return times


def by_group(times: dict[int, list[float]]) -> dict[str, list[list[float]]]:
    """Return the responses of each block, in one of GROUPS by their number."""
    groups: dict[str, list[list[float]]] = {name: [] for name in GROUPS}
    for each in times.values():
        groups[GROUPS[min(len(GROUPS) - 1, len(each) // GROUP_USES)]].append(each)
    return groups


def recent(found: Iterable[BlockAccess]) -> list[float]:
    """Return the responses of accesses to a block that was used lately."""
    last: deque[int] = deque(maxlen=RECENT)
    times = []
    for block, taken, _ in found:
        if block in last:
            times.append(taken)
        last.append(block)
    return times


def shares(blocks: Iterable[Sequence[float]]) -> list[float]:
    """Return the share of accesses in each interval of EDGES. Each block counts once, however often it is used."""
    parts = [[sum(low < time <= high for time in times) / len(times)
              for low, high in zip(EDGES, (*EDGES[1:], float("inf")), strict=True)] for times in blocks]
    return [fmean(column) for column in zip(*parts, strict=True)]


def figure_1(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Compute figure 1 for *load*, without a cache and with NCQ: ``all/up_to_10_ms`` and so on.

    The shares of accesses in each interval, of all blocks, of accesses to blocks used lately, and of each group; those
    of a group without blocks are NaN. ``/accesses`` is their number.
    """
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, TAGS)
    times = by_block(taken)
    bars = {"all": list(times.values()), "used lately": [[time] for time in recent(taken)], **by_group(times)}
    row = {}
    for name, blocks in bars.items():
        for interval, share in zip(INTERVALS, shares(blocks) if blocks else [nan] * len(INTERVALS), strict=True):
            row[f"{name}/{interval}"] = share
        row[f"{name}/accesses"] = float(sum(map(len, blocks)))
    return row


# What was put into the model, read back from it: the algorithm by its two examples, the share of random requests.

def examples(seed: object, **parameters: Any) -> dict[str, float]:
    """Compute the two examples of Kim's figure 2 and the constants of FAC, whatever the *seed*."""
    change(NcqParameters(), **parameters)
    usual, maximum = Reading(), DynamicMaximum(average=1.0)
    one = DynamicMaximum(average=1000, maximum=2000, counter=5)
    two = DynamicMaximum(average=1500, maximum=2000, counter=10)
    first = Partitions(one, rounding=identity).number(200)
    second = Partitions(two, rounding=identity).number(2200)
    one.note(200)
    two.note(2200)
    counted = 0
    while maximum.average == 1.0:  # until the average is formed from a maximum of 2
        counted = maximum.counter
        maximum.note(2.0)
    return {"first_n": first, "second_n": second, "first_counter": one.counter, "second_average": two.average,
            "second_maximum": two.maximum, "second_counter": two.counter, "law_n": first, "groups": len(GROUPS),
            "partitions": usual.partitions, "counter_max": counted, "new_weight": maximum.average - 1.0}


def random_requests(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return the share of requests of *load* that do not begin where the one before ended."""
    end, jumps = None, 0
    for record in pc_trace(change(NcqParameters(), **parameters).load(load), seed, requests):
        jumps, end = jumps + (record.first != end), record.first + record.length
    return {"random": jumps / requests}


# How access times vary, and how evenly they fall into the partitions of Kim's algorithm, by what the maximum is.

PARTITIONS = 10
LOW = 3
"""Partitions up to this number count as low."""
MANY_USES = 5
"""Fewest uses of a block whose variance about its own mean is taken."""


def numbers(times: Iterable[float], maximum: Maximum) -> Counter[int]:
    """Count the access *times* in each partition."""
    partitions, found = Partitions(maximum), Counter[int]()
    for seconds in times:
        found[int(partitions.number(seconds))] += 1
        partitions.note(seconds)
    return found


def entropy(counts: Mapping[int, float]) -> float:
    """Return the entropy of *counts* in bits; ten equal ones have log2(10) = 3.32."""
    total = sum(counts.values())
    return -fsum(count / total * log2(count / total) for count in counts.values() if count)


def low_share(counts: Mapping[int, int]) -> float:
    return sum(counts.get(number, 0) for number in range(1, LOW + 1)) / sum(counts.values())


def spread(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, object]:
    """Measure the spread of a block's responses and services, without a cache and with 32 under way, and their
    partitions.

    For each maximum there is a list of the partitions' shares of the services, with ``_entropy`` and ``_low`` share.
    """
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, depth, TAGS)
    row: dict[str, object] = dict(zip(("variance", "service_variance"), variances(taken), strict=True))
    for name, maximum in maxima(NcqOptions().drive).items():
        counts = numbers((each.service for each in taken), maximum())
        row[name] = [counts[number] / len(taken) for number in range(1, PARTITIONS + 1)]
        row |= {f"{name}_entropy": entropy(counts), f"{name}_low": low_share(counts)}
    return row


def averaging(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return entropies of the partitions of services, below an average of maxima and below the latest alone."""
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, TAGS, TAGS)
    maxima = {"average": DynamicMaximum(), "latest": DynamicMaximum(old_weight=0.0)}
    return {f"{name}_entropy": entropy(numbers((each.service for each in taken), maximum))
            for name, maximum in maxima.items()}


def variances(taken: Iterable[BlockAccess]) -> tuple[float, float]:
    """Return the mean variance of responses, and of services, of blocks, each about its own mean."""
    blocks: dict[int, list[BlockAccess]] = defaultdict(list)
    for each in taken:
        blocks[each.block].append(each)
    often = [block for block in blocks.values() if len(block) >= MANY_USES]
    return (fmean(pvariance([each.response for each in block]) for block in often),
            fmean(pvariance([each.service for each in block]) for block in often))


# The policies that Kim compares, and FAC with one of its ingredients at a time.

class Contender(NamedTuple):
    """A *policy*, and the *cost* of an access that it weighs."""

    policy: Callable[..., EvictionPolicy]
    cost: AccessTime = service


COMPARED: Mapping[str, Contender] = {
    "LRU": Contender(Lru), "ATCA": Contender(Atca), "LFU": Contender(Lfu), "FAC": Contender(Fac),
}  # fmt: skip

INGREDIENTS: Mapping[str, Contender] = {
    "frequency": Contender(READINGS["fac-count"]),
    "access time": Contender(READINGS["fac-time"]),
    "both, static": Contender(READINGS["fac-static"]),
    "FAC": COMPARED["FAC"],
    "both, with the wait": Contender(Fac, response),
    "both, N on hits alone": Contender(READINGS["fac-hits"]),
}
"""FAC's worth from the number of uses alone; from access times alone; from both with a static maximum and with the
dynamic one; from both with access times that include the wait in the drive's queue; and from both where a first use is
worth 1 whatever it took."""

CONTENDERS = {**COMPARED, **INGREDIENTS}


# Contenders on one load or trace, with a cache of a share of the blocks in use; and savings of one over another.

Row = Mapping[str, float]
FOLDER = "SPINDLE_SHARED"
"""The environment variable that names the folder above ``data/traces``; default ``../shared``."""


def share_run(
    policy: str, share: float, load: str = "pcfat32", requests: int = 8000, depth: int = TAGS, seed: object = 1,
    **parameters: Any,
) -> Result:
    """Run a contender with a cache of this *share* of the blocks that *load* uses at all."""
    chosen = change(NcqParameters(), **parameters)
    used = sum(place.length for place in load_places(chosen.load(load), requests))
    return run(load=load, requests=requests, cache=_cache(share, used, chosen), depth=depth, seed=seed,
               choices=_choices(policy), keep_rows=False, **parameters)


def file_run(policy: str, share: float, trace: str, requests: int, seed: object = 1, **parameters: Any) -> Row:
    """Run a contender on the first *requests* of the file named *trace*; return nothing where the file is absent."""
    path = trace_file(trace)
    if not path.is_file():
        return {}
    chosen = change(NcqParameters(), **parameters)
    cache = _cache(share, blocks_used(path, requests, chosen.block), chosen)
    return run(path, requests=requests, cache=cache, choices=_choices(policy), keep_rows=False, **parameters).summary()


def trace_file(name: str) -> Path:
    return Path(os.environ.get(FOLDER) or "../shared") / "data" / "traces" / f"{name}.csv.gz"


@lru_cache
def blocks_used(trace: Path, requests: int, block: int) -> int:
    """Count the different blocks that the first *requests* of a file use."""
    records = (record for _, record in zip(range(requests), Trace(trace), strict=False))
    pieces = [np.unique(piece) for piece in references(records, block)]
    return len(np.unique(np.concatenate(pieces)))


def lru_run(cache: int, depth: int, requests: int, seed: object, **parameters: Any) -> Result:
    """Run LRU in a cache of *cache* bytes, or none at 0."""
    return run(requests=requests, cache=Bytes(cache), depth=depth, seed=seed, choices=_choices("LRU"), keep_rows=False,
               **parameters)


def _cache(share: float, used: int, parameters: NcqParameters) -> Bytes:
    return Bytes(max(1, round(share * used)) * parameters.block)


def _choices(policy: str) -> NcqOptions:
    contender = CONTENDERS[policy]
    return replace(NcqOptions(), policy=contender.policy, cost=contender.cost)


def gain(better: Any, worse: Any) -> Any:
    """Return the saving of *better* as a share of *worse*; numbers, or columns of them."""
    return 1.0 - better / worse


with_paper = partial(with_points, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Decorate a function that draws with the points that the paper prints."""
CACHE_AXIS = "cache, of the blocks that are used at all"


def by_share(
    table: pd.DataFrame, y: str, by: str, y_label: str, axes: Axes, title: str = "", x_label: str = CACHE_AXIS
) -> Axes:
    """*y* against the share of the cache, a line for each value of *by*, into *axes*."""
    axes.set_xscale("log")
    curve(table, "share", y, by, names={name: name for name in table[by].unique()}, x_label=x_label, y_label=y_label,
          title=title, ax=axes)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    axes.set_xticks(sorted(table["share"].unique()))
    axes.minorticks_off()
    return axes
