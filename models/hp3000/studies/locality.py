"""Locality from strong to none: how often the cache hits, what that gains, and where it stops to pay."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.loads import SECTOR, orders
from models.hp3000.studies.common import ORDERS, PAIR
from sim.plots.curves import curve
from sim.study.gains import GAIN, gain_axis, gains
from sim.study.study import Figure, Runs, Study

KINDS: dict[str, dict[str, float]] = {
    "temporal": {"near": 0.0, "hot_share": 0.8},
    "mixed": {"near": 0.4, "hot_share": 0.8},
    "spatial": {},
    "none": {"near": 0.0, "chain_step": 1.0},
    "none, small fetch": {"near": 0.0, "chain_step": 1.0, "fetch_random": 4 * SECTOR},
}
"""Where references go; without locality only chains and lists lead to the neighbours of a block."""

MIPS = {1.0: "a Series 64", 0.4: "a CPU of 0.4 MIPS"}
SIDES = {
    "temporal": (1.0, (-8, -2), "right", "bottom"), "mixed": (1.0, (-2, 6), "right", "bottom"),
    "spatial": (1.0, (6, -6), "left", "top"), "none": (1.0, (0, 6), "center", "bottom"),
    "none, small fetch": (0.4, (8, 0), "left", "center"),
}  # fmt: skip
"""At which of its two points the name of each stands, and on which side."""


def gain_vs_locality(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(frame, "caching", False, ["mips", "kind"], ["hit_ratio", "cpu_busy", "memory_pressure", "disc_rate"])


def draw_gain_vs_locality(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "hit_ratio", "gain", "mips", names=MIPS, x_label="read hit ratio, measured", y_label=GAIN,
        title="On a slower CPU caching needs locality in order to pay",
    )  # fmt: skip
    gain_axis(ax, frame)
    for row in frame.to_dict("records"):
        mips, place, side, turn = SIDES[row["kind"]]
        if row["mips"] == mips:
            ax.annotate(row["kind"], (row["hit_ratio"], row["gain"]), place, textcoords="offset points", ha=side,
                        va=turn)  # fmt: skip
    return ax


def pays_from(hits: list[float], gain: list[float]) -> float:
    """The hit ratio from which on the gain is positive, between the points; NaN where it never changes its sign."""
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
        sentences.append(f"On {MIPS[float(str(mips))]} caching {paid}.")
    return " ".join(sentences)


STUDIES = (
    Study(
        "gain_vs_locality",
        "How much locality disc caching needs in order to pay, and how much more on a slower CPU.",
        [Runs(orders, ORDERS, {"kind": kind}, terminals=63, mips=list(MIPS), caching=PAIR, **changes)
         for kind, changes in KINDS.items()],
        Figure(gain_vs_locality, draw_gain_vs_locality, caption_gain_vs_locality),
    ),
)  # fmt: skip
