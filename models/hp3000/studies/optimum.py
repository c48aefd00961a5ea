"""The best fetch size at each load, with and without flush, and why: disc, memory, segments."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies.trials import MIXED, ORDERS, RESPONSE, SECTOR, hybrid, orders, with_paper
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study

SWEEP = (4, 8, 16, 48, 96)
"""Sectors of a random fetch."""
COARSE = (4, 16, 48, 96)
USUAL = 16
"""The default fetch."""

LOADS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "21": (21, {}), "63": (63, {}), "101": (101, {}), "101, kept": (101, {"flush": "never"}),
    "63, pages": (63, {"block": 4 * KIB}),
}  # fmt: skip
"""Terminals, and what else is so; 101 are the hybrid load."""
FINE = ("21", "63", "101")
NAMES = {
    "21": "21 terminals", "63": "63", "101": "63 + 38", "101, kept": "63 + 38, not flushed",
    "63, pages": "63, pages of 4 KB",
}  # fmt: skip
VALUES = ("response_mean", "hit_ratio", "disc_busy", "fault_rate", "domain_bytes")


def runs(load: str, sectors: tuple[int, ...]) -> Runs:
    terminals, changes = LOADS[load]
    run, window = (hybrid, MIXED) if terminals == 101 else (orders, ORDERS)
    fetches = [each * SECTOR for each in sectors]
    return Runs(run, window, {"load": load}, terminals=terminals, caching=True, fetch_random=fetches, **changes)


def summarise_loads(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise each load and random fetch in sectors."""
    table = summarise(frame.assign(sectors=frame["fetch_random"] // SECTOR), ["load", "sectors"], VALUES)
    return table.assign(load=table["load"].astype(str))


def index_by(rows: pd.DataFrame, column: str) -> dict[Any, dict[Any, Any]]:
    """Index *rows* by the values in *column*."""
    return {row[column]: row for row in rows.to_dict("records")}


@with_paper(lambda paper: [(USUAL, paper["B34"])])
def draw_by_fetch(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "sectors", "response_mean", "load", names=NAMES, x_label="random fetch, sectors of 256 bytes",
        y_label=RESPONSE, title="A fetch may be too small and too large",
    )  # fmt: skip
    ax.set_ylim(0, None)
    return ax


def caption_by_fetch(frame: pd.DataFrame) -> str:
    """Describe the shortest response of each load, and the responses at the two ends of its curve."""
    sentences = []
    for load, rows in frame.groupby("load", sort=False):
        sizes = index_by(rows, "sectors")
        best = min(sizes.values(), key=lambda row: float(row["response_mean"]))
        small, large = (sizes[end]["response_mean"] / best["response_mean"] for end in (4, 96))
        ends = f"{small:.1f} times that at 4, {large:.1f} at 96"
        sentences.append(f"{NAMES[str(load)]}: best at {best['sectors']:g} sectors; {ends}.")
    heavy = index_by(frame[frame["load"] == "101"], "sectors")
    least, most = heavy[USUAL], heavy[96]
    return (
        f"{' '.join(sentences)} A small fetch misses what comes next ({heavy[4]['hit_ratio']:.0%} of reads hit "
        f"with 63 + 38 terminals at 4 sectors, {least['hit_ratio']:.0%} at {USUAL}); a large one holds the disc longer "
        f"({least['disc_busy']:.0%} busy at {USUAL}, {most['disc_busy']:.0%} at 96), fills "
        f"{most['domain_bytes'] / MIB:.1f} MB for {least['domain_bytes'] / MIB:.1f}, and pushes segments out "
        f"({least['fault_rate']:.1f} faults a second, {most['fault_rate']:.1f})."
    )


STUDIES = (
    Study(
        "response_vs_fetch",
        "Response time against the random fetch, at each load, with and without flush, and with pages of 4 KB.",
        [runs(load, SWEEP if load in FINE else COARSE) for load in LOADS],
        Figure(summarise_loads, draw_by_fetch, caption_by_fetch), replications=3,
    ),
)  # fmt: skip
