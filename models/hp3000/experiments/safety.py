"""Response time against what is lost when the power fails at a random moment: three ways to end a write, and none."""

from functools import cache
from statistics import fmean

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.caching.at_risk import Loss
from models.hp3000.caching.control import BEHIND, WriteMode
from models.hp3000.experiments.gains import few
from models.hp3000.experiments.hybrid import RESPONSE, hybrid
from models.hp3000.machine import Choices
from models.hp3000.operator import CountLosses
from sim.error import unknown
from sim.plots.pictures import new_axes
from sim.plots.style import COLOURS, STYLE
from sim.statistics.summarise import summarise
from sim.streams import stream
from sim.study.system import Effort, Experiment
from sim.units import KIB

MODES = {"behind": BEHIND, "serial": WriteMode(serial=True), "block": WriteMode(block=True)}
NAMES = {
    "none": "no caching", "behind": "posted behind", "serial": "Serial Write Queue", "block": "BLOCKONWRITE",
}  # fmt: skip
FAILURES = 60
"""Moments of a run at which the power might fail; nobody notices that it did not."""


def failing(mode: str, seed: object, minutes: float, warm_up: float, **others: object) -> dict[str, float]:
    """The hybrid load in write *mode*, or uncached with ``none``, and what failures of the power would have lost."""
    if mode not in NAMES:
        raise unknown("mode", mode, NAMES)
    told: list[list[Loss]] = []
    random = stream(seed, "power failures")
    shift = [(warm_up + minutes * random.random(), CountLosses(told.append)) for _ in range(FAILURES)]
    setting = {"choices": Choices(write=MODES[mode]), "operator": shift} if mode in MODES else {"caching": False}
    result = hybrid(101, seed=seed, minutes=minutes, warm_up=warm_up, **setting, **others)
    return {**result.summary(), **lost(told)}


def lost(told: list[list[Loss]]) -> dict[str, float]:
    """Means over failures, the worst, and the share of them that lost nothing. Who is told nothing loses nothing."""
    sizes = [sum(loss.bytes for loss in losses) for losses in told] or [0]
    return {
        "lost_kib": fmean(sizes) / KIB,
        "lost_writes": fmean([len(losses) for losses in told] or [0]),
        "lost_most_kib": max(sizes) / KIB,
        "lost_nothing": sizes.count(0) / len(sizes),
    }


@cache
def response_vs_loss(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(failing, mode=list(NAMES))
    return summarise(frame, ["mode"], ["response_mean", "lost_kib", "lost_writes", "lost_most_kib", "lost_nothing"])


def draw_response_vs_loss(frame: pd.DataFrame) -> Axes:
    ax = new_axes()
    with matplotlib.rc_context(STYLE):
        for place, row in enumerate(frame.to_dict("records")):
            colour = COLOURS[place]
            x, y = row["lost_kib"], row["response_mean"]
            ax.errorbar(
                [x], [y], xerr=[[x - np.maximum(0.0, row["lost_kib_low"])], [row["lost_kib_high"] - x]],
                yerr=[[y - np.maximum(0.0, row["response_mean_low"])], [row["response_mean_high"] - y]],
                fmt="o", color=colour, elinewidth=1.0, capsize=2.0,
            )  # fmt: skip
            below = (7, 7 if place % 2 else -14)
            ax.annotate(NAMES[row["mode"]], (x, y), below, textcoords="offset points", color=colour, fontsize=9)
        ax.set_xlabel("lost when the power fails, KB, mean")
        ax.set_ylabel(RESPONSE)
        ax.set_title("What fast writes put at risk")
        ax.set_xlim(-0.05 * frame["lost_kib"].max() - 0.1, 1.35 * frame["lost_kib"].max() + 0.1)
        ax.set_ylim(0, 1.3 * frame["response_mean"].max())
    return ax


def remark_response_vs_loss(frame: pd.DataFrame) -> str:
    said = [
        f"{NAMES[row['mode']]}: {row['response_mean']:.2f} s, {row['lost_kib']:.1f} KB in "
        f"{row['lost_writes']:.1f} writes lost, {row['lost_most_kib']:.0f} KB at worst, "
        f"nothing in {row['lost_nothing']:.0%} of failures"
        for row in frame.to_dict("records")
    ]
    return f"{'; '.join(said)}."


EXPERIMENTS = (
    Experiment(
        "response_vs_loss",
        "What BLOCKONWRITE and the Serial Write Queue cost, and what they save when the power fails.",
        response_vs_loss, draw_response_vs_loss, remark_response_vs_loss, slow=True,
    ),
)  # fmt: skip
