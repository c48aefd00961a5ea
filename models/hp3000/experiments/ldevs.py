"""Caching some LDEVs and not others: none, one, and so on to all, with virtual memory's disc first or last."""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.gain_bars import GAIN, gain_axis
from models.hp3000.experiments.gains import few, gains, percent
from models.hp3000.experiments.hybrid import hybrid
from sim.measure.result import Result
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment

Ldevs = tuple[int, ...]
NOTHING: Ldevs = ()
ORDERS: dict[str, tuple[Ldevs, ...]] = {
    "first": (NOTHING, (1,), (1, 2, 3), (1, 2, 3, 4, 5, 6)),
    "last": (NOTHING, (6,), (4, 5, 6), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
}
"""LDEV 1 holds virtual memory, beside its share of the files."""

NAMES = {"first": "LDEV 1 first", "last": "LDEV 1 last"}


def partly(ldevs: Ldevs, **others: object) -> Result:
    """The hybrid load, only these *ldevs* cached."""
    return hybrid(101, cached_ldevs=ldevs, **others)


@cache
def gain_vs_ldevs(effort: Effort) -> pd.DataFrame:
    """``order`` says when LDEV 1 joins, ``count`` how many LDEVs are cached."""
    chosen = list(dict.fromkeys(ldevs for order in ORDERS.values() for ldevs in order))
    table = gains(few(effort).sweep(partly, ldevs=chosen), "ldevs", NOTHING, values=["hit_ratio", "disc_rate"])
    rows = table.set_index("ldevs")
    nothing = {"gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    return pd.DataFrame([
        {"order": name, "count": len(ldevs), **(rows.loc[repr(ldevs)].to_dict() if ldevs else nothing)}
        for name, order in ORDERS.items() for ldevs in order
    ])


def draw_gain_vs_ldevs(frame: pd.DataFrame) -> Axes:
    return gain_axis(curve(
        frame, "count", "gain", "order", names=NAMES, x_label="LDEVs cached, of six", y_label=GAIN,
        title="Cache all discs",
    ), frame)  # fmt: skip


def remark_gain_vs_ldevs(frame: pd.DataFrame) -> str:
    one = {row["order"]: percent(row) for row in frame[frame["count"] == 1].to_dict("records")}
    whole = frame[frame["count"] == 6].to_dict("records")[0]
    some = frame[frame["count"].between(1, 5)]["gain"].max()
    return (
        f"One LDEV gains {one['first']} if it is that with virtual memory and {one['last']} if it is another; "
        f"all gain {percent(whole)}, and a part of them at most {some:.0f} %."
    )


EXPERIMENTS = (
    Experiment(
        "gain_vs_ldevs",
        "What is gained by caching some LDEVs only, and whether that with virtual memory comes first.",
        gain_vs_ldevs, draw_gain_vs_ldevs, remark_gain_vs_ldevs, slow=True,
    ),
)  # fmt: skip
