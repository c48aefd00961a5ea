"""Studies the access times of blocks on Kim's drive without a cache (his figure 1), by how often a block is used."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import fsum, log2, nan
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd
import simpy

from spindle.models.sata_ncq.machine import TAGS, NcqOptions, build, places
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.studies.trials import with_paper
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.sim.request import AccessTiming, Request
from spindle.sim.units import MS
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.style import BLUE, ORANGE, SKY, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Row, Runs, SeedRows, Study, requests
from spindle.traces.replay.hosts import Closed, Open, TraceLoad
from spindle.workloads.pc import pc_trace
from spindle.workloads.traces.record import Record

EDGES = (0.0, 10 * MS, 20 * MS, 30 * MS)
"""Starts of the figure's intervals, in seconds; the last has no end."""
USE_GROUPS = ("below 20", "20 to 40", "40 to 60", "60 to 80", "above 80")
"""Groups of blocks (LBAs) by number of uses (claim S4-08)."""
GROUP_USES = 20
RECENT_ACCESSES = 10
"""A block counts as used lately if it is among as many accesses before."""
INTERVALS = ("up_to_10_ms", "up_to_20_ms", "up_to_30_ms", "longer")
BAR_NAMES = ("all", "used lately", *USE_GROUPS)


class BlockAccess(NamedTuple):
    """An access to *block*: seconds of its response and of its service.

    *random* if it did not begin where the one before ended.
    """

    block: int
    response: float
    service: float
    random: bool = True


def access_times(
    parameters: NcqParameters, load: str, seed: object, requests: int, depth: int, under_way: int | None = None
) -> list[BlockAccess]:
    """Return the access time of each of *requests*, submitted at its time, or with *under_way* always outstanding."""
    env = simpy.Environment()
    built = build(env, parameters, NcqOptions(), 0, depth)
    found: list[BlockAccess] = []
    asked = list(pc_trace(parameters.load(load), seed, requests))
    jumps = {id(record) for record, before in zip(asked, [None, *asked[:-1]], strict=True) if is_random(record, before)}

    def note(record: Record, request: Request) -> None:
        service = request.value
        assert isinstance(service, AccessTiming)
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
    """Return the lists of responses of blocks, by group in USE_GROUPS."""
    groups: dict[str, list[list[float]]] = {name: [] for name in USE_GROUPS}
    for each in times.values():
        groups[USE_GROUPS[min(len(USE_GROUPS) - 1, len(each) // GROUP_USES)]].append(each)
    return groups


def recent(found: Iterable[BlockAccess]) -> list[float]:
    """Return the responses of accesses to a block that was used lately."""
    last: deque[int] = deque(maxlen=RECENT_ACCESSES)
    times = []
    for access in found:
        if access.block in last:
            times.append(access.response)
        last.append(access.block)
    return times


def shares(blocks: Iterable[Sequence[float]]) -> list[float]:
    """Return the share of accesses in each interval of EDGES. Each block counts once, however often it is used."""
    shares = [[sum(low < time <= high for time in times) / len(times)
              for low, high in zip(EDGES, (*EDGES[1:], float("inf")), strict=True)] for times in blocks]
    return [fmean(column) for column in zip(*shares, strict=True)]


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


def is_random(record: Record, before: Record | None) -> bool:
    """Return whether *record* does not begin where the one *before* ended."""
    return before is None or record.first != before.first + before.length


def entropy(counts: Mapping[int, float]) -> float:
    """Return the entropy of *counts* in bits; ten equal ones have log2(10) = 3.32."""
    total = sum(counts.values())
    return -fsum(count / total * log2(count / total) for count in counts.values() if count)


FULL_WINDOW = requests(40_000)
PART_NAMES = dict(zip(INTERVALS, ("up to 10 ms", "10 to 20", "20 to 30", "more"), strict=True))
INTERVAL_COLOURS = dict(zip(INTERVALS, (SKY, BLUE, ORANGE, VERMILION), strict=True))
MIN_ACCESSES = 100
"""A group of blocks with fewer accesses gets no bar."""
PRINTED_CLAIMS = {"all": "S4-01", "used lately": "S4-02", "40 to 60": "S4-05", "60 to 80": "S4-06", "above 80": "S4-07"}
"""Claims on the shares below 30 ms."""
FIGURE_1 = Runs(figure_1, FULL_WINDOW, load="pcfat32")


def measure_figure_1(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    below = {name: fsum(row[f"{name}/{interval}"] for interval in INTERVALS[:3]) for name in BAR_NAMES}
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
    for name in BAR_NAMES:
        if frame[f"{name}/accesses"].min() >= MIN_ACCESSES:
            part = frame[[f"{name}/{interval}" for interval in INTERVALS]].set_axis(list(INTERVALS), axis="columns")
            rows.append(summarise(part.assign(blocks=name), ["blocks"], list(INTERVALS)))
    return pd.concat(rows, ignore_index=True)


def printed_shares(paper: Numbers) -> list[Point]:
    """Return the shares below 30 ms that the paper prints; of blocks with few accesses, those below 10 and below 20."""
    rarely_used = [(paper["S4-03"], "below 20"), (paper["S4-03"] + paper["S4-04"], "below 20")]
    return [*rarely_used, *((paper[claim], name) for name, claim in PRINTED_CLAIMS.items())]


draw_bars = with_paper(printed_shares)(partial(stacked_bars, bar="blocks", parts=PART_NAMES, colours=INTERVAL_COLOURS,
                                               x_label="share of the blocks' accesses", least=0.0,
                                               title="Blocks in frequent use wait longer"))


def caption_bars(table: pd.DataFrame) -> str:
    below = dict(zip(table["blocks"], 100.0 * (1.0 - table["longer"]), strict=True))
    return (
        f"Each block counts once. {below['all']:.1f} % of all take less than {EDGES[-1] * 1e3:g} ms (Kim: 78.3 %); "
        "the frequency of bursts was fitted to that, group by group. Blocks used lately were not fitted: Kim has "
        f"84.4 %, here it is {below['used lately']:.1f} %, because nothing is known of the order of uses, and without "
        "it blocks used lately are those used often. Kim prints shares below 30 ms, and for blocks of fewer than 20 "
        "uses those below 10 and 20 ms."
    )


STUDIES = (
    Study("access_times", [FIGURE_1], Figure(bars, draw_bars, caption_bars), measure_figure_1),
)  # fmt: skip
