"""How much a load reads for each write: what caching gains, and what it gains where writers wait for the medium."""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.caching.control import BEHIND, WriteMode
from models.hp3000.experiments.clerks import clerks, with_orders
from models.hp3000.experiments.gain_bars import GAIN, gain_axis
from models.hp3000.experiments.gains import few, gains, percent
from models.hp3000.machine import Choices
from models.hp3000.run import run
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment

ORDERS = (100.0, 20.0, 9.0)
"""Percent of a clerk's answers that are new orders; 20 are the shipped script's."""

WRITES = {"behind": BEHIND, "block": WriteMode(block=True)}
NAMES = {"behind": "posted behind", "block": "BLOCKONWRITE"}
GOOD = (3.0, 4.0)
"""Reads a write of the good fit (McBride & Boles 1983)."""


def mixed(orders: float, writes: str, **others: object) -> dict[str, float]:
    """63 clerks, *orders* percent of whose answers are new orders; uncached where *writes* is ``none``."""
    choices = Choices(write=WRITES.get(writes, BEHIND))
    result = run(scripts=clerks(63, with_orders(orders)), choices=choices, caching=writes in WRITES, **others)  # type: ignore[arg-type]
    written = result.counters["data_base.block_writes"]
    return {**result.summary(), "read_write": result.counters["data_base.block_reads"] / max(1.0, written)}


@cache
def gain_vs_read_write(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(mixed, orders=list(ORDERS), writes=["none", *WRITES])
    values = ["read_write", "hit_ratio", "cpu_busy", "lock_busy", "disc_rate"]
    return gains(frame, "writes", "none", ["orders"], values)


def draw_gain_vs_read_write(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "read_write", "gain", "writes", names=NAMES, x_label="blocks read for one written, measured",
        y_label=GAIN, title="Writes posted behind gain as well",
    )  # fmt: skip
    ax.axvspan(*GOOD, color="#000000", alpha=0.06, linewidth=0)
    return gain_axis(ax, frame)


def remark_gain_vs_read_write(frame: pd.DataFrame) -> str:
    sentences = [f"The paper's average of {GOOD[0]:.0f} to {GOOD[1]:.0f} reads a write is shaded."]
    for writes, rows in frame.groupby("writes", sort=False):
        ordered = rows.sort_values("read_write").to_dict("records")
        said = [f"{percent(row)} at {row['read_write']:.1f}:1" for row in ordered]
        sentences.append(f"With writes {NAMES[str(writes)]} caching gains {', '.join(said)}.")
    return " ".join(sentences)


EXPERIMENTS = (
    Experiment(
        "gain_vs_read_write",
        "What disc caching gains as programs write more for what they read, posting behind or blocking on writes.",
        gain_vs_read_write, draw_gain_vs_read_write, remark_gain_vs_read_write, slow=True,
    ),
)  # fmt: skip
