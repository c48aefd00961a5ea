"""What batching costs: bytes at risk over time, and what a failure of the power takes."""

from collections.abc import Mapping
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.at_risk import AtRisk
from models.unix_stdio.run import performed
from sim.plots.curves import curve
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, STYLE, WIDTH
from sim.streams import stream
from sim.study.system import Effort
from sim.units import KIB, MB, MIB
from workloads.stdio import Program, programs

MINUTE = 60.0
POINTS = 240
FAILURES = 50
"""Moments at which the power fails, for each seed."""
SIZE = 10 * MIB
RUNS: tuple[tuple[str, str, Mapping[str, Any], Mapping[str, Any]], ...] = (
    ("O_SYNC, 64 KiB", "w02", {"block": 64 * KIB}, {}),
    ("write of a byte", "w03", {}, {}),
    ("stdio", "w05", {}, {}),
    ("stdio, expiry 10 s", "w05", {}, {"expiry": 10.0}),
    ("stdio, background 4 MiB", "w05", {}, {"background": 4 * MIB / (2 << 30)}),
)
"""What to call it, the program, its changes, the kernel's settings."""


def histories() -> Mapping[str, AtRisk]:
    """What was at risk in each of the RUNS."""
    return {called: performed(_program(name, changes), **given).at_risk for called, name, changes, given in RUNS}


def _program(name: str, changes: Mapping[str, Any]) -> Program:
    return programs()[name].changed(size=SIZE, **changes)


def at_risk(effort: Effort) -> pd.DataFrame:
    instants = [MINUTE * point / POINTS for point in range(POINTS + 1)]
    return pd.DataFrame([
        {"how": called, "second": instant, "megabytes": risk / MB}
        for called, history in histories().items() for instant, risk in history.curve(instants)
    ])  # fmt: skip


def draw_at_risk(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "second", "megabytes", "how", x_label="seconds", y_label="megabytes at risk",
        title="What the program believes written", names={each: each for each in frame["how"]},
    )


def power_failure(effort: Effort) -> pd.DataFrame:
    rows = []
    for called, history in histories().items():
        moments = [MINUTE * random.random() for seed in effort.seeds
                   for random in [stream(seed, f"power {called}")] for _ in range(FAILURES)]  # fmt: skip
        left = [history.at(moment) for moment in sorted(moments)]
        written = sum(each.handed_over for each in left)
        rows.append({
            "how": called, "failures": len(left),
            "lost": sum(each.lost for each in left) / written,
            "with_loss": sum(each.lost > 0 for each in left) / len(left),
            "whole": sum(each.whole == each.handed_over for each in left) / len(left),
            "in_library": sum(each.in_library for each in left) / len(left),
        })  # fmt: skip
    return pd.DataFrame(rows)


def draw_power_failure(frame: pd.DataFrame) -> Axes:
    ax = new_axes(WIDTH, 2.6)
    with matplotlib.rc_context(STYLE):
        places = range(len(frame))
        ax.barh(places, 100 * frame["lost"].to_numpy(float), 0.62, color=BLUE)
        ax.set_yticks(places, frame["how"].tolist())
        ax.set_ylim(len(frame) - 0.5, -0.5)
        ax.set_xlim(0, 100)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("per cent of what was written, lost")
        ax.set_title("The power fails within a minute")
    return ax


def remark_power_failure(frame: pd.DataFrame) -> str:
    worst = max(frame.to_dict("records"), key=lambda row: row["lost"])
    share = f"{worst['with_loss']:.0%} of the failures lose something, {worst['lost']:.0%} on average"
    return f"Worst is {worst['how']}: {share}."
