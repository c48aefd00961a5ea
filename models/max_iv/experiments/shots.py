"""The shot sequence of NBS at other hit rates: what the CPU leaves of what the disc gives back."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.eligibility import AS_BUILT, FpiFilter
from models.max_iv.experiments.common import row_of
from models.max_iv.machine import Choices
from models.max_iv.parameters import Parameters
from models.max_iv.shot.sequence import shots
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment

NBS = Parameters().shot_tables
SHARES = (0.0, 0.15, 0.3, 0.45, NBS, 0.75, 0.88)
"""Of the requests that read tables, from which the hit rate follows."""
FILTER = 64
"""Sectors from the beginning of a file that the FPI filter lets in; the paper names no number."""


def shot(tables: float, sectors: int, seed: object, filtered: bool = False, **_: object) -> dict[str, float]:
    rules = FpiFilter(FILTER) if filtered else AS_BUILT
    return dict(shots(sectors, seed, 4, Choices(rules=rules), shot_tables=tables)._asdict())


def shot_vs_hits(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(shot, tables=list(SHARES), sectors=[0, 512])
    table = summarise(frame, ["tables", "sectors"], ["seconds", "cpu_busy", "disc_busy", "hit_ratio"])
    filtered = summarise(
        effort.sweep(shot, tables=[NBS], sectors=[512], filtered=[True]), ["tables", "sectors"],
        ["seconds", "cpu_busy", "disc_busy", "hit_ratio"],
    )
    return pd.concat([table.assign(rules="as built"), filtered.assign(rules="FPI filter")], ignore_index=True)


def draw_shot_vs_hits(frame: pd.DataFrame) -> Axes:
    shown = frame[frame["rules"] == "as built"]
    hits = shown[shown["sectors"] == 512].set_index("tables")["hit_ratio"]
    shown = shown.assign(hits=shown["tables"].map(hits))
    return curve(
        shown, "hits", "seconds", "sectors", names={0: "no cache", 512: "512 sectors"},
        x_label="hits that 512 sectors would make, of all requests", y_label="a shot, s",
        title="Once the CPU is saturated, more hits gain nothing",
    )


def remark_shot_vs_hits(frame: pd.DataFrame) -> str:
    at = frame[frame["tables"] == NBS]
    plain, cached = row_of(at, rules="as built", sectors=0), row_of(at, rules="as built", sectors=512)
    filtered = row_of(at, rules="FPI filter")
    return (
        f"NBS: {plain['seconds']:.1f} s without cache, {cached['seconds']:.1f} s with {cached['hit_ratio']:.0%} hits; "
        f"then the CPU is busy {cached['cpu_busy']:.0%} of the time. With the FPI filter, which lets in the first "
        f"{FILTER} sectors of a file, {filtered['hit_ratio']:.0%} hit, and a shot takes {filtered['seconds']:.1f} s: "
        "to Max-IV the partition is one file, and every table lies far behind its beginning."
    )


EXPERIMENTS = (
    Experiment(
        "shot_vs_hits", "What a shot at NBS takes at other hit rates, with and without the cache.",
        shot_vs_hits, draw_shot_vs_hits, remark_shot_vs_hits, slow=True,
    ),
)  # fmt: skip
