"""Blocks about as large as a fetch: what is read in order and not again then never hits, by arithmetic."""

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.loads import SECTOR, hybrid
from models.hp3000.runs.proportions import FETCH, lists
from models.hp3000.studies.common import MIXED, ORDERS, PAIR, PAPER, papers
from sim.plots.curves import curve
from sim.plots.pictures import new_panels
from sim.plots.published import with_published
from sim.plots.style import INK
from sim.study.gains import gain_axis, gains, percent
from sim.study.study import Figure, Runs, Study
from sim.units import KIB

BLOCKS = [1 * KIB, 2 * KIB, 4 * KIB]
SMALLER = [4, 8]
"""Sectors of a random fetch, beside the usual 16."""

LOADS = {"lists": "lists read in order, nothing again", "hybrid": "hybrid load"}


def arithmetic(share: float) -> float:
    """The hit ratio of blocks that are *share* of a fetch, read in order and never again."""
    return 1.0 - share


def gain_vs_block(frame: pd.DataFrame) -> pd.DataFrame:
    """``share`` is the block as a share of the fetch."""
    in_order = gains(frame[frame["load"] == "lists"], "caching", False, ["block"], ["hit_ratio"])
    hybrids = gains(frame[frame["load"] == "hybrid"], "sectors", 0, values=["hit_ratio"])
    in_order = in_order.assign(load="lists", share=in_order["block"] / FETCH)
    hybrids = hybrids.assign(load="hybrid", share=KIB / (hybrids["sectors"] * SECTOR))
    return pd.concat([in_order, hybrids], ignore_index=True).drop(columns=["block", "caching", "sectors"])


@with_published(PAPER, lambda paper: [(1.0, 100.0 * paper["B39l"], 1)])
def draw_gain_vs_block(frame: pd.DataFrame) -> Axes:
    hits, gain = new_panels(2)
    curve(
        frame.assign(hits=100.0 * frame["hit_ratio"]), "share", "hits", "load", names=LOADS, ax=hits, x_label=" ",
        y_label="hits, % of reads", title="A block as large as the fetch needs re-use",
    )  # fmt: skip
    shares = sorted(frame["share"].unique())
    hits.plot(shares, [100.0 * arithmetic(share) for share in shares], color=INK, linestyle=":", zorder=5)
    hits.set_ylim(-5, 105)
    curve(frame, "share", "gain", "load", ax=gain, names=dict.fromkeys(LOADS, ""),
          x_label="block as a share of the random fetch", y_label="shorter by, %")  # fmt: skip
    gain_axis(gain, frame)
    return hits


def caption_gain_vs_block(frame: pd.DataFrame) -> str:
    sentences = ["Dotted is the arithmetic of what is read once, 1 - block / fetch; below is the gain in time."]
    for load, rows in frame.groupby("load", sort=False):
        row = max(rows.to_dict("records"), key=lambda row: row["share"])
        sentences.append(
            f"{LOADS[str(load)].capitalize()}: where a block is {row['share']:.0%} of the fetch "
            f"{row['hit_ratio']:.0%} hit, and caching gains {percent(row)}."
        )
    return " ".join(sentences)


STUDIES = (
    Study(
        "gain_vs_block",
        "What is left of disc caching where a block is about as large as a fetch.",
        [Runs(lists, ORDERS, {"load": "lists"}, block=BLOCKS, caching=PAIR),
         papers(False, load="hybrid", sectors=0), papers(True, load="hybrid", sectors=FETCH // SECTOR),
         *(Runs(hybrid, MIXED, {"load": "hybrid", "sectors": sectors}, terminals=101, caching=True,
                fetch_random=sectors * SECTOR) for sectors in SMALLER)],
        Figure(gain_vs_block, draw_gain_vs_block, caption_gain_vs_block),
    ),
)  # fmt: skip
