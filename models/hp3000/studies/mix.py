"""How much a load reads for each write: what caching gains, and what it gains where writers wait for the medium."""

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.proportions import with_share
from models.hp3000.studies.common import ORDERS
from sim.plots.curves import curve
from sim.study.gains import GAIN, gain_axis, gains, percent
from sim.study.study import Figure, Runs, Study

SHARES = [100.0, 20.0, 9.0]
"""Percent of a clerk's answers that are new orders; 20 are the shipped script's."""

NAMES = {"behind": "posted behind", "block-on-write": "BLOCKONWRITE"}
GOOD = (3.0, 4.0)
"""Reads a write of the good fit (McBride & Boles 1983)."""

RUNS = (
    Runs(with_share, ORDERS, {"writes": "none"}, orders=SHARES, caching=False),
    *(Runs(with_share, ORDERS, {"writes": writes}, orders=SHARES, caching=True, write=writes) for writes in NAMES),
)


def gain_vs_read_write(frame: pd.DataFrame) -> pd.DataFrame:
    values = ["read_write", "hit_ratio", "cpu_busy", "lock_busy", "disc_rate"]
    return gains(frame, "writes", "none", ["orders"], values)


def draw_gain_vs_read_write(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "read_write", "gain", "writes", names=NAMES, x_label="blocks read for one written, measured",
        y_label=GAIN, title="Writes posted behind gain as well",
    )  # fmt: skip
    ax.axvspan(*GOOD, color="#000000", alpha=0.06, linewidth=0)
    return gain_axis(ax, frame)


def caption_gain_vs_read_write(frame: pd.DataFrame) -> str:
    sentences = [f"The paper's average of {GOOD[0]:.0f} to {GOOD[1]:.0f} reads a write is shaded."]
    for writes, rows in frame.groupby("writes", sort=False):
        ordered = rows.sort_values("read_write").to_dict("records")
        gained = [f"{percent(row)} at {row['read_write']:.1f}:1" for row in ordered]
        sentences.append(f"With writes {NAMES[str(writes)]} caching gains {', '.join(gained)}.")
    return " ".join(sentences)


STUDIES = (
    Study(
        "gain_vs_read_write",
        "What disc caching gains as programs write more for what they read, posting behind or blocking on writes.",
        RUNS, Figure(gain_vs_read_write, draw_gain_vs_read_write, caption_gain_vs_read_write),
    ),
)  # fmt: skip
