"""Blocks about as large as a fetch: what is read in order and not again then never hits, by arithmetic."""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.clerks import clerks
from models.hp3000.experiments.gains import few, gains, percent
from models.hp3000.experiments.hybrid import SECTOR, hybrid
from models.hp3000.run import run
from sim.measure.result import Result
from sim.plots.curves import curve
from sim.plots.pictures import new_axes
from sim.plots.style import INK
from sim.study.system import Effort, Experiment
from sim.units import KIB, MIB

FETCH = 16 * SECTOR
BLOCKS = (1 * KIB, 2 * KIB, 4 * KIB)
SECTORS = (0, 4, 8, 16)
"""Of a random fetch; 0 stands for no caching."""

ONCE = {"chain_step": 1.0, "hot_share": 0.0, "set_bytes": 16 * MIB, "fetch_random": FETCH}
"""A block with every call, and none of them again."""

LOADS = {"lists": "lists read in order, nothing again", "hybrid": "hybrid load"}


def lists(block: int, **others: object) -> Result:
    """21 clerks who do nothing but list, each in another part of large data sets, and a block with every call."""
    return run(scripts=clerks(21, {"LIST": 100.0}), block=block, **ONCE, **others)  # type: ignore[arg-type]


def fetching(sectors: int, **others: object) -> Result:
    """The hybrid load with a random fetch of so many *sectors*."""
    caching = {"fetch_random": sectors * SECTOR} if sectors else {"caching": False}
    return hybrid(101, **caching, **others)


def arithmetic(share: float) -> float:
    """The hit ratio of blocks that are *share* of a fetch, read in order and never again."""
    return 1.0 - share


@cache
def gain_vs_block(effort: Effort) -> pd.DataFrame:
    """``share`` is the block as a share of the fetch."""
    short = few(effort)
    in_order = short.sweep(lists, block=list(BLOCKS), caching=[False, True])
    hybrids = short.sweep(fetching, sectors=list(SECTORS))
    one = gains(in_order, "caching", False, ["block"], ["hit_ratio"])
    two = gains(hybrids, "sectors", 0, values=["hit_ratio"])
    one = one.assign(load="lists", share=one["block"] / FETCH)
    two = two.assign(load="hybrid", share=KIB / (two["sectors"] * SECTOR))
    return pd.concat([one, two], ignore_index=True).drop(columns=["block", "caching", "sectors"])


def draw_gain_vs_block(frame: pd.DataFrame) -> Axes:
    ax = new_axes()
    shares = sorted(frame["share"].unique())
    theory = pd.DataFrame({"share": shares, "hits": [100.0 * arithmetic(share) for share in shares]})
    shown = frame.assign(hits=100.0 * frame["hit_ratio"])
    curve(shown, "share", "hits", "load", names=LOADS, ax=ax)
    ax.plot(theory["share"], theory["hits"], color=INK, linestyle=":", zorder=5)
    curve(
        shown, "share", "gain", "load", names=dict.fromkeys(LOADS, "what it gains"), dashed=True, ax=ax,
        x_label="block as a share of the random fetch", y_label="hits, % of reads; gain, %",
        title="A block as large as the fetch needs re-use",
    )  # fmt: skip
    ax.set_ylim(min(-5.0, frame["gain"].min() - 5.0), 105)
    return ax


def remark_gain_vs_block(frame: pd.DataFrame) -> str:
    sentences = ["Dotted is the arithmetic of what is read once, 1 - block / fetch; dashed is the gain."]
    for load, rows in frame.groupby("load", sort=False):
        row = max(rows.to_dict("records"), key=lambda row: row["share"])
        sentences.append(
            f"{LOADS[str(load)].capitalize()}: where a block is {row['share']:.0%} of the fetch "
            f"{row['hit_ratio']:.0%} hit, and caching gains {percent(row)}."
        )
    return " ".join(sentences)


EXPERIMENTS = (
    Experiment(
        "gain_vs_block",
        "What is left of disc caching where a block is about as large as a fetch.",
        gain_vs_block, draw_gain_vs_block, remark_gain_vs_block, slow=True,
    ),
)  # fmt: skip
