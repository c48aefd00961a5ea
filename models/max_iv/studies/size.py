"""Studies the size of Jacobson's cache of sectors: hit ratios, kinds of misses, and responses.

Jacobson expects an S of responses by size, on which a tiny cache makes the machine slower.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.machine import SECTORS
from spindle.models.max_iv.run import run
from spindle.models.max_iv.shot import shots
from spindle.models.max_iv.studies.shots import SHOTS
from spindle.models.max_iv.studies.trials import LRU_SIZES, MAIN, USERS, minutes, tools, with_paper
from spindle.sim.units import US
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import label_anew
from spindle.studies.plots.style import BLUE, GREEN, ORANGE, SKY
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, summarise_hits
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study


def printed_hits(paper: Numbers) -> list[Point]:
    """Return the paper's hit ratios with 256, 512 and 768 sectors."""
    return [(256, paper["J35"]), (512, paper["J36"]), (768, paper["J36"] + paper["J36b"])]


HALF_SIZE, LARGER_SIZE = 256, 768
"""Sizes that Jacobson tried besides 512."""
TRIED_SIZES = (64, 128, HALF_SIZE, 384, SECTORS, LARGER_SIZE, 1024)
FHL_RULES = "end-of-file marks remove sectors from the cache, and a read of one on its way is a late hit"
MISS_KINDS = {"absent": "reads of a sector", "large": "large reads", "writes": "writes", "weofs": "end-of-file marks"}
ACCESS_SECONDS = 36e-3
"""Seconds of an access to the disc: the paper's own."""
LEAST_GAIN = 0.03
"""Smallest growth of the hit ratio by a half larger cache that is noticed."""
SIZE_STEP = 16
COPY_TIMES = (320 * US, 900 * US)
"""Seconds of the CPU to copy a sector: mapped, as built, and by a loop."""
TINY = 4
"""Sectors of a cache so small that searching it costs more than it saves."""
SATURATED = "a shot, CPU saturated"
S_OF_TOOLS = replace(minutes(24.0, warm_up=8.0), coarse={"sectors": [0, 32, HALF_SIZE]})
S_OF_SHOTS = replace(SHOTS, coarse={"sectors": [0, TINY, 32, SECTORS]})
"""Windows of both loads; a quick look has fewer sizes."""

hit_ratio_vs_sectors = partial(
    summarise_hits, by=["sectors"],
    values=["hit_ratio", "read_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "oversize_share",
            "management_share", "response_mean", "response_p95"])

draw_hit_ratio_vs_sectors = with_paper(printed_hits)(
    partial(hit_curve, x="sectors", x_label="sectors in the cache", y_label="hits, of all requests",
            title="No step between 256 and 512 sectors"))

caption_hit_ratio_vs_sectors = partial(hit_remark, x="sectors", at="sectors", rules=FHL_RULES)


def sizes(rows: SeedRows) -> Mapping[str, float]:
    """Measure the hits of 256 and 768 sectors, the smallest size that pays for itself, and the largest worth having.

    A request costs a search and two copies at most, and a hit saves an access to the disc.
    """
    ratios = {sectors: rows.one(sectors=sectors)["hit_ratio"] for sectors in (HALF_SIZE, SECTORS, LARGER_SIZE)}
    main = rows.one(sectors=SECTORS)
    hits = dict(zip(LRU_SIZES, main["lru"], strict=True))
    least = next(size for size in LRU_SIZES if hits[size] * ACCESS_SECONDS > main["hit_service"])
    largest = max(size for size in range(SIZE_STEP, 1025, SIZE_STEP) if hits[size * 3 // 2] - hits[size] >= LEAST_GAIN)
    return {
        "hit_ratio_256": ratios[HALF_SIZE], "gain_768": ratios[LARGER_SIZE] - ratios[SECTORS],
        "least": float(least), "largest": float(largest),
    }


def miss_breakdown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return misses by kind, as shares of all requests, at some sizes of the cache."""
    rows = frame.groupby("sectors", sort=False)[
        ["hit_ratio", "late_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "oversize_share"]
    ].mean().reset_index()  # fmt: skip
    missed = 1.0 - rows["hit_ratio"] - rows["late_hit_ratio"]
    return rows.assign(
        absent=missed * rows["miss_reads"] * (1.0 - rows["oversize_share"]),
        large=missed * rows["miss_reads"] * rows["oversize_share"],
        writes=missed * rows["miss_writes"], weofs=missed * rows["miss_weofs"],
    )  # fmt: skip


def printed_misses(paper: Numbers) -> list[Point]:
    """Return the paper's ends of reads, writes and end-of-file marks among the misses with 512 sectors."""
    missed, bar = 1.0 - paper["J36"], f"{SECTORS} sectors"
    ends = accumulate(paper[kind] for kind in ("J37", "J37b", "J37c"))
    return [(missed * share, bar) for share in ends]


@with_paper(printed_misses)
def draw_miss_breakdown(table: pd.DataFrame) -> Axes:
    colours = {"absent": BLUE, "large": SKY, "writes": ORANGE, "weofs": GREEN}
    return stacked_bars(
        table, "sectors", MISS_KINDS, colours=colours, x_label="misses, of all requests",
        title="What still misses is mostly read for the first time", least=0.0,
        names={sectors: f"{sectors} sectors" for sectors in table["sectors"]},
    )  # fmt: skip


def caption_miss_breakdown(table: pd.DataFrame) -> str:
    row = table[table["sectors"] == SECTORS].iloc[0]
    return (
        f"With 512 sectors {row['miss_reads']:.0%} of the misses are reads; {row['oversize_share']:.0%} of these are "
        "larger than a sector, so that most of them are not from loading programs, as Jacobson thought they might be."
    )


def response_vs_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise times, also relative to no cache, seed by seed."""
    by = ["load", "copy_us", "seed"]
    frame = frame.assign(
        seconds=frame["seconds"].fillna(frame["response_mean"]), copy_us=(frame["copy"] / US).round().astype(int)
    )
    plain = frame[frame["sectors"] == 0][[*by, "seconds"]]
    frame = frame.merge(plain, on=by, suffixes=("", "_plain"))
    frame["relative"] = frame["seconds"] / frame["seconds_plain"]
    table = summarise(frame, ["load", "copy_us", "sectors"], ["seconds", "cpu_busy", "relative"])
    return table.assign(which=[f"{row['load']}, {row['copy_us']} us" for row in table.to_dict("records")])


def draw_response_vs_size(table: pd.DataFrame) -> Axes:
    shown = table.assign(place=table["sectors"].clip(lower=1))
    ax = curve(shown, "place", "relative", "which", x_label="sectors in the cache (1: none)",
               y_label="time, of that without a cache", title="Hardly a dip, and only for tiny caches")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.axhline(1.0, color="#999999", linewidth=0.8)
    label_anew(ax)
    return ax


def caption_response_vs_size(table: pd.DataFrame) -> str:
    worst_of = []
    for which, rows in table[table["sectors"] > 0].groupby("which", sort=False):
        worst = rows.sort_values("relative").iloc[-1]
        worst_of.append(f"{which}: at worst {worst['relative']:.2f}, with {worst['sectors']:.0f} sectors")
    return "The left end is no cache at all. " + "; ".join(worst_of) + "."


def dip(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether 4 sectors and the older copy of 900 us make a shot that saturates the CPU longer."""
    shot = {sectors: rows.one(load=SATURATED, copy=COPY_TIMES[1], sectors=sectors)["seconds"] for sectors in (0, TINY)}
    return {"dips": float(shot[TINY] > shot[0])}


STUDIES = (
    Study(
        "hit_ratio_vs_sectors", [Runs(tools, MAIN, users=USERS, sectors=list(TRIED_SIZES))],
        Figure(hit_ratio_vs_sectors, draw_hit_ratio_vs_sectors, caption_hit_ratio_vs_sectors), sizes,
    ),
    Study(
        "miss_breakdown", [Runs(tools, MAIN, users=USERS, sectors=[128, HALF_SIZE, SECTORS, 1024])],
        Figure(miss_breakdown, draw_miss_breakdown, caption_miss_breakdown),
    ),
    Study(
        "response_vs_size",
        [Runs(run, S_OF_TOOLS, {"load": f"{USERS} users of the Tools"}, users=USERS,
              sectors=[0, 2, 8, 32, HALF_SIZE, 1024], copy=list(COPY_TIMES)),
         Runs(shots, S_OF_SHOTS, {"load": SATURATED}, sectors=[0, 2, TINY, 8, 32, 128, SECTORS],
              shot_tasks=16, shot_cpu=20.0, copy=list(COPY_TIMES))],
        Figure(response_vs_size, draw_response_vs_size, caption_response_vs_size), dip,
    ),
)  # fmt: skip
