"""Studies of Kim's access times without a cache: figure 1, their spread over FAC's partitions by the rule for the
maximum, the two examples of his algorithm (figure 2), and the share of random requests.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import fsum, log2, nan
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.sata_ncq.fac_readings import maxima
from spindle.models.sata_ncq.machine import TAGS, NcqOptions, build, places
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.studies.trials import gain, with_paper
from spindle.sim.eviction.fac import DynamicMaximum, Maximum, Partitions, Reading, identity
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.sim.request import Request, Service
from spindle.sim.units import MS
from spindle.studies.plots.curves import Numbers, Point, curve, stacked_bars
from spindle.studies.plots.style import BLUE, ORANGE, SKY, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Row, Runs, SeedRows, Study, requests
from spindle.traces.replay.hosts import Closed, Open, TraceLoad
from spindle.workloads.pc import LOADS, pc_trace
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
    """An access to *block*: seconds of its response, and those in which it was served; *random* if it did not begin
    where the one before ended.
    """

    block: int
    response: float
    service: float
    random: bool = True


def access_times(
    parameters: NcqParameters, load: str, seed: object, requests: int, depth: int, under_way: int | None = None
) -> list[BlockAccess]:
    """Return the access time of each of *requests*, submitted at its time, or with *under_way* outstanding at any time.
    """
    env = simpy.Environment()
    built = build(env, parameters, NcqOptions(), 0, depth)
    found: list[BlockAccess] = []
    asked = list(pc_trace(parameters.load(load), seed, requests))
    jumps = {id(record) for record, before in zip(asked, [None, *asked[:-1]], strict=True) if is_random(record, before)}

    def note(record: Record, request: Request) -> None:
        service = request.value
        assert isinstance(service, Service)
        block, response = record.first // parameters.block, env.now - request.submitted
        found.append(BlockAccess(block, response, service.total, id(record) in jumps))

    host = Open if under_way is None else partial(Closed, depth=under_way)
    asking = TraceLoad(iter(asked), places(built, parameters.block), host, lambda _: note)
    engine.run(built.machine(env), asking, Window(), seed)
    return found


def by_block(found: Iterable[BlockAccess]) -> dict[int, list[float]]:
    """Return the responses of each block."""
    times: dict[int, list[float]] = defaultdict(list)
    for each in found:
        times[each.block].append(each.response)
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
    for each in found:
        if each.block in last:
            times.append(each.response)
        last.append(each.block)
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


# Inputs of the model, computed again: the algorithm by its two examples, the share of random requests.

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
    before, jumps = None, 0
    for record in pc_trace(change(NcqParameters(), **parameters).load(load), seed, requests):
        jumps, before = jumps + is_random(record, before), record
    return {"random": jumps / requests}


def is_random(record: Record, before: Record | None) -> bool:
    """Tell if *record* does not begin where the one *before* ended."""
    return before is None or record.first != before.first + before.length


# How access times vary, and how evenly they fall into the partitions of Kim's algorithm, by the rule for the maximum.

PARTITIONS = 10
LOW = 3
"""Partitions up to this number count as low."""
MANY_USES = 5
"""Fewest uses of a block whose services are compared with their own mean."""


KINDS = {"random": True, "going_on": False}
"""Requests that do not begin where the one before ended, and those that do."""


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


def spread_of_services(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, object]:
    """Measure the spread of a block's services, without a cache and with 32 under way, and their partitions.

    For each maximum there is a list of the partitions' shares of the services, with ``_entropy`` and ``_low`` share.
    """
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, depth, TAGS)
    row: dict[str, object] = {"service_variation": variation(taken)}
    for name, maximum in maxima(NcqOptions().drive).items():
        counts = numbers((each.service for each in taken), maximum())
        row[name] = [counts[number] / len(taken) for number in range(1, PARTITIONS + 1)]
        row |= {f"{name}_entropy": entropy(counts), f"{name}_low": low_share(counts)}
    return row


def averaging(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return entropies of the partitions of services where the maximum is an average, and where it is the latest."""
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, TAGS, TAGS)
    maxima = {"average": DynamicMaximum(), "latest": DynamicMaximum(old_weight=0.0)}
    return {f"{name}_entropy": entropy(numbers((each.service for each in taken), maximum))
            for name, maximum in maxima.items()}


def variation(taken: Iterable[BlockAccess]) -> float:
    """Return the mean coefficient of variation of the services of blocks, each about its own mean."""
    blocks: dict[int, list[float]] = defaultdict(list)
    for each in taken:
        blocks[each.block].append(each.service)
    return fmean(pstdev(services) / fmean(services) for services in blocks.values() if len(services) >= MANY_USES)


def by_kind(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return the mean service of random requests and of those that go on, without a cache and with 32 under way."""
    services: dict[bool, list[float]] = {True: [], False: []}
    for each in access_times(change(NcqParameters(), **parameters), load, seed, requests, depth, TAGS):
        services[each.random].append(each.service)
    return {name: fmean(services[kind]) if services[kind] else nan for name, kind in KINDS.items()}


FULL = requests(40_000)
WORDS = dict(zip(INTERVALS, ("up to 10 ms", "10 to 20", "20 to 30", "more"), strict=True))
COLOURS = dict(zip(INTERVALS, (SKY, BLUE, ORANGE, VERMILION), strict=True))
MIN_ACCESSES = 100
"""A group of blocks with fewer accesses gets no bar."""
PRINTED = {"all": "S4-01", "used lately": "S4-02", "40 to 60": "S4-05", "60 to 80": "S4-06", "above 80": "S4-07"}
"""Claims on the shares below 30 ms."""
FIGURE_1 = Runs(figure_1, FULL, load="pcfat32")


def measure_figure_1(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    below = {name: fsum(row[f"{name}/{interval}"] for interval in INTERVALS[:3]) for name in BARS}
    return {"below_30": below["all"], "recent_below_30": below["used lately"],
            "mostly_below_10": float(row["all/up_to_10_ms"] > below["all"] / 2.0),
            "lately_more_even": float(evenness(row, "used lately") > evenness(row, "all")),
            "lately_smaller": float(below["used lately"] > below["all"]),
            "rare_10": row["below 20/up_to_10_ms"], "rare_20": row["below 20/up_to_20_ms"],
            "below_30_40_60": below["40 to 60"], "below_30_60_80": below["60 to 80"],
            "below_30_above_80": below["above 80"]}


def evenness(row: Row, name: str) -> float:
    """Return the entropy of the intervals of one bar, in bits."""
    return entropy({number: row[f"{name}/{interval}"] for number, interval in enumerate(INTERVALS)})


def bars(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each group of blocks that has enough accesses in every run."""
    rows = []
    for name in BARS:
        if frame[f"{name}/accesses"].min() >= MIN_ACCESSES:
            part = frame[[f"{name}/{interval}" for interval in INTERVALS]].set_axis(list(INTERVALS), axis="columns")
            rows.append(summarise(part.assign(blocks=name), ["blocks"], list(INTERVALS)))
    return pd.concat(rows, ignore_index=True)


def printed_shares(paper: Numbers) -> list[Point]:
    """Return the shares below 30 ms that the paper prints; of blocks with few accesses, those below 10 and below 20."""
    rarely_used = [(paper["S4-03"], "below 20"), (paper["S4-03"] + paper["S4-04"], "below 20")]
    return [*rarely_used, *((paper[claim], name) for name, claim in PRINTED.items())]


@with_paper(printed_shares)
def draw_bars(table: pd.DataFrame) -> Axes:
    return stacked_bars(table, "blocks", WORDS, colours=COLOURS, x_label="share of the blocks' accesses", least=0.0,
                        title="Blocks in frequent use wait longer")


def caption_bars(table: pd.DataFrame) -> str:
    below = dict(zip(table["blocks"], 100.0 * (1.0 - table["longer"]), strict=True))
    return (
        f"Each block counts once. {below['all']:.1f} % of all take less than {EDGES[-1] * 1e3:g} ms (Kim: 78.3 %); "
        "the frequency of bursts was fitted to that, group by group. Blocks used lately were not fitted: Kim has "
        f"84.4 %, here it is {below['used lately']:.1f} %, because nothing is known of the order of uses, and without "
        "it blocks used lately are those used often. Kim prints shares below 30 ms, and for blocks of fewer than 20 "
        "uses those below 10 and 20 ms."
    )


def measure_loads(rows: SeedRows) -> Mapping[str, float]:
    return {f"random_{load}": rows.one(load=load)["random"] for load in LOADS}


def measure_spread(rows: SeedRows) -> Mapping[str, float]:
    ncq, fcfs = rows.one(depth=TAGS), rows.one(depth=1)
    return {"static_is_low": float(ncq["static_low"] > 0.5),
            "dynamic_is_more_even": float(ncq["dynamic_entropy"] > ncq["static_entropy"]),
            "ncq_fluctuates": float(ncq["service_variation"] > fcfs["service_variation"])}


def measure_averaging(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    return {"average_over_latest": row["average_entropy"] - row["latest_entropy"]}


def measure_chances(rows: SeedRows) -> Mapping[str, float]:
    """Measure if tags shorten the services of random requests by a larger share than those of the others."""
    saved = {kind: gain(*(rows.one(depth=depth)[kind] for depth in (TAGS, 1))) for kind in KINDS}
    return {"more_for_random": float(saved["random"] > saved["going_on"])}


def partitions(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each maximum and partition, of services with as many requests under way as there are tags."""
    ncq, rows = frame[frame["depth"] == TAGS], []
    for name in maxima(NcqOptions().drive):
        shares = pd.DataFrame(ncq[name].tolist()).mean()
        rows += [(name, number, shares[number - 1], ncq[f"{name}_entropy"].mean())
                 for number in range(1, PARTITIONS + 1)]
    return pd.DataFrame(rows, columns=["maximum", "partition", "share", "entropy"])


def draw_partitions(table: pd.DataFrame) -> Axes:
    return curve(table, "partition", "share", "maximum", names={name: name for name in table["maximum"].unique()},
                 x_label="partition", y_label="share of the accesses",
                 title="A maximum that follows spreads access times")


def caption_partitions(table: pd.DataFrame) -> str:
    bits = table.groupby("maximum", sort=False)["entropy"].first()
    words = ", ".join(f"{name} {value:.2f}" for name, value in bits.items())
    return (f"Entropy in bits, of 3.32 that ten equal partitions have: {words}. The dynamic maximum is an average of "
            "the maxima of ten accesses each; the maximum of all accesses never comes down again.")


STUDIES = (
    Study("access_times", "How long accesses take without a cache, by how often a block is used.",
          [FIGURE_1], Figure(bars, draw_bars, caption_bars), measure_figure_1),
    Study("partitions", "How evenly access times fall into partitions, by the rule for the maximum.",
          [Runs(spread_of_services, requests(10_000), load="pcfat32", depth=[TAGS, 1])],
          Figure(partitions, draw_partitions, caption_partitions), measure_spread),
    Study("averaging", "How evenly access times fall into partitions by the average maximum, and by the latest.",
          [Runs(averaging, requests(10_000), load="pcfat32")], measures=measure_averaging),
    Study("chances", "By how much tags shorten the services of random requests, and of those that go on.",
          [Runs(by_kind, requests(10_000), load="pcfat32", depth=[TAGS, 1])], measures=measure_chances),
    Study("loads", "How many requests of the synthetic loads are random.",
          [Runs(random_requests, FULL, load=list(LOADS))], measures=measure_loads),
    Study("normalising", "The two examples of Kim's figure 2, and the constants of his algorithm.",
          [Runs(examples, UNTIMED)], measures=lambda rows: rows.one(), replications=1),
)  # fmt: skip
