"""Studies of Kim's access times without a cache: figure 1, their spread over FAC's partitions by the rule for the
maximum, the two examples of his algorithm (figure 2), and the share of random requests.
"""

from collections.abc import Mapping
from math import fsum

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.sata_ncq.machine import TAGS, NcqOptions, maxima
from spindle.models.sata_ncq.studies.trials import (
    BARS,
    EDGES,
    INTERVALS,
    PARTITIONS,
    averaging,
    entropy,
    examples,
    figure_1,
    random_requests,
    spread,
    with_paper,
)
from spindle.studies.plots.curves import Numbers, Point, curve, stacked_bars
from spindle.studies.plots.style import BLUE, ORANGE, SKY, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Row, Runs, SeedRows, Study, requests
from spindle.workloads.pc import LOADS

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
    """Return the paper's ends of bars below 30 ms; of blocks with few accesses, those below 10 and below 20."""
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
            "ncq_fluctuates": float(ncq["variance"] > fcfs["variance"])}


def measure_averaging(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    return {"average_is_more_even": float(row["average_entropy"] > row["latest_entropy"])}


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
    Study("partitions", "How evenly access times fall into partitions, by what the maximum is.",
          [Runs(spread, requests(10_000), load="pcfat32", depth=[TAGS, 1])],
          Figure(partitions, draw_partitions, caption_partitions), measure_spread),
    Study("averaging", "How evenly access times fall into partitions below an average of maxima, and below the latest.",
          [Runs(averaging, requests(10_000), load="pcfat32")], measures=measure_averaging),
    Study("loads", "How many requests of the synthetic loads are random.",
          [Runs(random_requests, FULL, load=list(LOADS))], measures=measure_loads),
    Study("normalising", "The two examples of Kim's figure 2, and the constants of his algorithm.",
          [Runs(examples, UNTIMED)], measures=lambda rows: rows.one(), replications=1),
)  # fmt: skip
