"""Caching some LDEVs and not others: none, one, and so on to all, with virtual memory's disc first or last."""

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.loads import hybrid
from models.hp3000.studies.common import MIXED, PAPER, papers, published_gain
from sim.plots.curves import curve
from sim.plots.published import with_published
from sim.study.gains import GAIN, gain_axis, gains, percent
from sim.study.study import Figure, Runs, Study

Ldevs = tuple[int, ...]
ORDERS: dict[str, tuple[Ldevs, ...]] = {
    "first": ((), (1,), (1, 2, 3), (1, 2, 3, 4, 5, 6)),
    "last": ((), (6,), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
}
"""LDEV 1 holds virtual memory, beside its share of the files."""
SOME = [ldevs for ldevs in dict.fromkeys(each for order in ORDERS.values() for each in order) if 0 < len(ldevs) < 6]

NAMES = {"first": "LDEV 1 first", "last": "LDEV 1 last"}


def gain_vs_ldevs(frame: pd.DataFrame) -> pd.DataFrame:
    """``order`` is when LDEV 1 joins, ``count`` how many LDEVs are cached."""
    rows = gains(frame, "ldevs", repr(()), values=["hit_ratio", "disc_rate"]).set_index("ldevs")
    nothing = {"gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    return pd.DataFrame([
        {"order": name, "count": len(ldevs), **(rows.loc[repr(ldevs)].to_dict() if ldevs else nothing)}
        for name, order in ORDERS.items() for ldevs in order
    ])


@with_published(PAPER, lambda paper: [(6, published_gain(paper))])
def draw_gain_vs_ldevs(frame: pd.DataFrame) -> Axes:
    return gain_axis(curve(
        frame, "count", "gain", "order", names=NAMES, x_label="LDEVs cached, of six", y_label=GAIN,
        title="Only all discs together gain it all",
    ), frame)  # fmt: skip


def caption_gain_vs_ldevs(frame: pd.DataFrame) -> str:
    one = {row["order"]: percent(row) for row in frame[frame["count"] == 1].to_dict("records")}
    whole = frame[frame["count"] == 6].to_dict("records")[0]
    some = frame[frame["count"].between(1, 5)]["gain"].max()
    return (
        f"One LDEV gains {one['first']} if it is that with virtual memory and {one['last']} if it is another; "
        f"all gain {percent(whole)}, and a part of them at most {some:.0f} %."
    )


STUDIES = (
    Study(
        "gain_vs_ldevs",
        "What is gained by caching some LDEVs only, and whether that with virtual memory comes first.",
        [papers(False, ldevs=()), papers(True, ldevs=(1, 2, 3, 4, 5, 6)),
         *(Runs(hybrid, MIXED, {"ldevs": ldevs}, terminals=101, caching=True, cached_ldevs=[ldevs]) for ldevs in SOME)],
        Figure(gain_vs_ldevs, draw_gain_vs_ldevs, caption_gain_vs_ldevs),
    ),
)  # fmt: skip
