"""Studies of what caching gains by kind of load: reads for each write, block size against fetch size, locality.

The shares of a clerk's answers may be other than in the shipped script.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.load import answer_of, clerks_by, read_shipped, spread
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies import trials
from spindle.sim.error import UserError, check_known
from spindle.sim.parameter import change
from spindle.sim.script import Choose, Loop, Script, Step
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.axes import new_panels
from spindle.studies.plots.bars import Named, interval_bars
from spindle.studies.plots.curves import curve
from spindle.studies.plots.gains import GAIN, gain_axis
from spindle.studies.plots.style import INK
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, SeedRows, Study

# Order-entry clerks whose answers come in other proportions than in the shipped script: more orders, or lists only.

SCRIPT = "orders_63.tepe"
SCRIPT_PERCENTS: Mapping[str, float] = {"FIND": 40.0, "STOCK": 30.0, "ORDER": 20.0, "LIST": 10.0}
"""Percent of each answer in the shipped script."""
UNSCALED_SHARES = {"order_scale": 1.0, "list_scale": 1.0}
"""Parameters that leave given shares of answers as they are."""

FETCH_BYTES = 16 * trials.SECTOR
"""Bytes of a random fetch, MPE's default."""
BATCH_BLOCK = 4 * KIB
"""Bytes of a block as large as a fetch."""

READ_ONCE = {"chain_step": 1.0, "set_bytes": 16 * MIB, "fetch_random": FETCH_BYTES}
"""Parameters with which every call reads another block, and none again."""


def with_share(orders: float, **others: Any) -> trials.Row:
    """Run 63 clerks, *orders* percent of whose answers are new orders."""
    used = parameters_of({**others, **UNSCALED_SHARES})
    return trials.row(trials.run_mixed(0, 0, scripts=clerks(63, with_orders(orders), used), **others))


def lists(block: int, **others: Any) -> trials.Row:
    """Run 21 clerks who only list: each in another part of large data sets, and every call reads a new block."""
    scripts = clerks(21, {"LIST": 100.0}, parameters_of(others))
    return trials.row(trials.run_mixed(0, 0, scripts=scripts, block=block, **{**others, **READ_ONCE}))


def with_orders(share: float) -> dict[str, float]:
    """Return the percent of each answer if *share* are new orders; the others keep their proportions."""
    if not 0.0 <= share <= 100.0:
        raise UserError(f"the share of orders must be between 0 and 100 percent, not {share!r}")
    rest = 100.0 - SCRIPT_PERCENTS["ORDER"]
    return {name: share if name == "ORDER" else each * (100.0 - share) / rest for name, each in SCRIPT_PERCENTS.items()}


def parameters_of(others: Mapping[str, Any]) -> MpeParameters:
    """Return the usual parameters with those of *others* that are parameters."""
    names = [each.name for each in fields(MpeParameters)]
    return change(MpeParameters(), **{name: value for name, value in others.items() if name in names})


def clerks(terminals: int, shares: Mapping[str, float], parameters: MpeParameters) -> list[Script]:
    """Return clerks' scripts for *terminals* terminals, with *shares* of answers; others are not given."""
    check_known("answer", SCRIPT_PERCENTS, *shares)
    if not any(share > 0.0 for share in shares.values()):
        raise UserError("clerks must give at least one answer")
    scripts = spread(read_shipped(SCRIPT), terminals)
    return clerks_by(parameters, [replace(each, steps=tuple(_reweigh(each.steps, shares))) for each in scripts])


def _reweigh(steps: tuple[Step, ...], shares: Mapping[str, float]) -> Iterator[Step]:
    for step in steps:
        match step:
            case Loop(inner):
                yield replace(step, steps=tuple(_reweigh(inner, shares)))
            case Choose(_, branches):
                weighed = [(shares.get(answer_of(branch), 0.0), branch) for branch in branches]
                weights, kept = zip(*(each for each in weighed if each[0] > 0.0), strict=True)
                yield Choose(weights, kept)
            case _:
                yield step


ORDER_PERCENTS = [100.0, 50.0, 9.0]
"""Percent of a clerk's answers that are new orders; 50 are those of the default load."""

WRITE_NAMES = {"behind": "posted behind", "block-on-write": "BLOCKONWRITE"}
GOOD_READS_A_WRITE = (3.0, 4.0)
"""Reads for each write of a load that caching fits (McBride & Boles 1983)."""

MIX_RUNS = (
    Runs(with_share, trials.ORDERS_TIMES, {"writes": "none"}, orders=ORDER_PERCENTS, caching=False),
    *(Runs(with_share, trials.ORDERS_TIMES, {"writes": writes}, orders=ORDER_PERCENTS, caching=True, write=writes)
      for writes in WRITE_NAMES),
)

gain_vs_read_write = partial(gains, axis="writes", against="none", by=["orders"],
                             values=["read_write", "hit_ratio", "cpu_busy", "lock_busy", "disc_rate"])


def draw_gain_vs_read_write(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "read_write", "gain", "writes", names=WRITE_NAMES, x_label="blocks read for one written, measured",
        y_label=GAIN, title="Writes posted behind gain as well",
    )  # fmt: skip
    ax.axvspan(*GOOD_READS_A_WRITE, color="#000000", alpha=0.06, linewidth=0)
    return gain_axis(ax, frame)


def caption_gain_vs_read_write(frame: pd.DataFrame) -> str:
    least, most = GOOD_READS_A_WRITE
    sentences = [f"The paper's average of {least:.0f} to {most:.0f} reads a write is shaded."]
    for writes, rows in frame.groupby("writes", sort=False):
        ordered = rows.sort_values("read_write").to_dict("records")
        gained = [f"{percent(row)} at {row['read_write']:.1f}:1" for row in ordered]
        sentences.append(f"With writes {WRITE_NAMES[str(writes)]} caching gains {', '.join(gained)}.")
    return " ".join(sentences)


BLOCK_SIZES = [1 * KIB, 2 * KIB, 4 * KIB]
"""Bytes of a block of the data base."""
SMALLER_SECTORS = [4, 8]
"""Sectors of random fetches that are smaller than the usual 16."""

BLOCK_RUNS = (
    Runs(lists, trials.ORDERS_TIMES, {"load": "lists"}, block=BLOCK_SIZES, caching=trials.PAIR),
    trials.paper_runs(False, load="hybrid", sectors=0),
    trials.paper_runs(True, load="hybrid", sectors=FETCH_BYTES // trials.SECTOR),
    *(Runs(trials.hybrid, trials.MIXED, {"load": "hybrid", "sectors": sectors}, terminals=101, caching=True,
           fetch_random=sectors * trials.SECTOR) for sectors in SMALLER_SECTORS),
)  # fmt: skip
BLOCK_LOADS = {"lists": "lists read in order, nothing again", "hybrid": "hybrid load"}


def arithmetic(share: float) -> float:
    """Compute the hit ratio of blocks that are *share* of a fetch, read in order and never again."""
    return 1.0 - share


def gain_vs_block(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate hits and gains by ``share``, the block as a share of the fetch."""
    in_order = gains(frame[frame["load"] == "lists"], "caching", False, ["block"], ["hit_ratio"])
    hybrids = gains(frame[frame["load"] == "hybrid"], "sectors", 0, values=["hit_ratio"])
    in_order = in_order.assign(load="lists", share=in_order["block"] / FETCH_BYTES)
    hybrids = hybrids.assign(load="hybrid", share=KIB / (hybrids["sectors"] * trials.SECTOR))
    return pd.concat([in_order, hybrids], ignore_index=True).drop(columns=["block", "caching", "sectors"])


@trials.with_paper(lambda paper: [(1.0, 100.0 * paper["B39l"], 1)])
def draw_gain_vs_block(frame: pd.DataFrame) -> Axes:
    hits, gain = new_panels(2)
    curve(
        frame.assign(hits=100.0 * frame["hit_ratio"]), "share", "hits", "load", names=BLOCK_LOADS, ax=hits, x_label=" ",
        y_label="hits, % of reads", title="A block as large as the fetch needs re-use",
    )  # fmt: skip
    shares = sorted(frame["share"].unique())
    hits.plot(shares, [100.0 * arithmetic(share) for share in shares], color=INK, linestyle=":", zorder=5)
    hits.set_ylim(-5, 105)
    curve(frame, "share", "gain", "load", ax=gain, names=dict.fromkeys(BLOCK_LOADS, ""),
          x_label="block as a share of the random fetch", y_label="shorter by, %")  # fmt: skip
    gain_axis(gain, frame)
    return hits


def caption_gain_vs_block(frame: pd.DataFrame) -> str:
    sentences = ["Dotted is the arithmetic of blocks read once, 1 - block / fetch; below is the gain in time."]
    for load, rows in frame.groupby("load", sort=False):
        row = max(rows.to_dict("records"), key=lambda row: row["share"])
        sentences.append(
            f"{BLOCK_LOADS[str(load)].capitalize()}: where a block is {row['share']:.0%} of the fetch "
            f"{row['hit_ratio']:.0%} hit, and caching gains {percent(row)}."
        )
    return " ".join(sentences)


HOT_SIZE = 0.01
"""The hot part of a data set, as a share of its blocks: twenty blocks."""
NO_LOCALITY: dict[str, Any] = {"near": 0.0, "hot_share": 0.0, "chain_step": 1.0}
"""Parameters with which references go anywhere in the data base."""
LOCALITIES: dict[str, dict[str, float]] = {
    "temporal": {"near": 0.0, "hot_share": 0.8, "hot_size": HOT_SIZE},
    "mixed": {"near": 0.4, "hot_share": 0.8, "hot_size": HOT_SIZE},
    "spatial": {"near": 0.8, "hot_share": 0.0},
    "none": NO_LOCALITY,
    "none, small fetch": {**NO_LOCALITY, "fetch_random": 4 * trials.SECTOR},
}
"""Parameters of reference localities, by name; with none, only chains and lists refer to neighbours of a block."""

MIPS_NAMES = {1.0: "a Series 64", 0.4: "a CPU of 0.4 MIPS"}
"""Names of machines by the speed of their CPU."""
LOCALITY_RUNS = [Runs(trials.orders, trials.ORDERS_TIMES, {"kind": kind}, terminals=63, mips=list(MIPS_NAMES),
                      caching=trials.PAIR, **changes)
                 for kind, changes in LOCALITIES.items()]  # fmt: skip

LARGE_FETCH = Runs(trials.orders, trials.ORDERS_TIMES, {"kind": "none, large fetch"}, terminals=63, mips=1.0,
                   caching=True, fetch_random=96 * trials.SECTOR, **NO_LOCALITY)  # fmt: skip


def fetch_without_locality(rows: SeedRows) -> Mapping[str, float]:
    """Measure what fetches of 1, 4 and 24 KB do where references have no locality.

    Does a larger one hit more often each time? Does the smallest, of one block, answer sooner than that of 4 KB?
    """
    small, usual, large = (rows.one(kind=kind, mips=1.0, caching=True)
                           for kind in ("none, small fetch", "none", "none, large fetch"))  # fmt: skip
    return {"hits_grow": float(small["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
            "smaller_is_sooner": float(small["response_mean"] < usual["response_mean"])}


gain_vs_locality = partial(gains, axis="caching", against=False, by=["mips", "kind"],
                           values=["hit_ratio", "cpu_busy", "memory_pressure", "disc_rate"])


def draw_gain_vs_locality(frame: pd.DataFrame) -> Axes:
    hits = frame.groupby("kind")["hit_ratio"].mean().sort_values(ascending=False)
    kinds = {kind: f"{kind}: {100.0 * share:.0f} % hits" for kind, share in hits.items()}
    return interval_bars(frame, "gain", Named("kind", kinds), Named("mips", MIPS_NAMES), x_label=GAIN,
                         title="On a slower CPU caching needs locality in order to pay")  # fmt: skip


def pays_from(hits: list[float], gain: list[float]) -> float:
    """Interpolate the hit ratio from which the gain is positive; NaN where the gain never changes its sign."""
    order = np.argsort(hits)
    xs, ys = np.asarray(hits, float)[order], np.asarray(gain, float)[order]
    for left in range(len(xs) - 1, 0, -1):
        below, above = ys[left - 1], ys[left]
        if below <= 0.0 < above:
            return float(xs[left - 1] + (xs[left] - xs[left - 1]) * -below / (above - below))
    return float("nan")


def caption_gain_vs_locality(frame: pd.DataFrame) -> str:
    sentences = []
    for mips, rows in frame.groupby("mips", sort=False):
        start = pays_from(rows["hit_ratio"].tolist(), rows["gain"].tolist())
        least = min(rows.to_dict("records"), key=lambda row: row["gain"])
        paid = f"pays from {start:.0%} hits on" if start == start else (
            f"{'pays' if least['gain'] > 0 else 'does not pay'} with every locality, "
            f"and gains least, {least['gain']:.0f} %, at {least['hit_ratio']:.0%} hits"
        )  # fmt: skip
        sentences.append(f"On {MIPS_NAMES[float(str(mips))]} caching {paid}.")
    return " ".join(sentences)


STUDIES = (
    Study(
        "gain_vs_read_write", MIX_RUNS, Figure(gain_vs_read_write, draw_gain_vs_read_write, caption_gain_vs_read_write),
    ),
    Study("gain_vs_block", BLOCK_RUNS, Figure(gain_vs_block, draw_gain_vs_block, caption_gain_vs_block)),
    Study("gain_vs_locality", LOCALITY_RUNS, Figure(gain_vs_locality, draw_gain_vs_locality, caption_gain_vs_locality)),
    Study("fetch_without_locality", [*LOCALITY_RUNS[-2:], LARGE_FETCH], measures=fetch_without_locality),
)  # fmt: skip
