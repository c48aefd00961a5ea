"""Studies the risk of buffered writes: bytes at risk over time, and bytes lost when power fails at a random moment."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.run import run_stack
from spindle.models.unix_stdio.studies.trials import PROGRAM, Row
from spindle.sim.streams import stream
from spindle.sim.units import GIB, KIB, MB, MIB
from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import BLUE
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study
from spindle.workloads.stdio_files import programs

SAMPLED_SECONDS, SAMPLES = 60.0, 240
"""Seconds for which the bytes at risk are sampled, and the number of samples."""
POWER_FAILURES = 50
"""Moments at which the power fails, for each seed."""


def at_risk(
    how: str, program: str, changes: Mapping[str, Any], kernel: Mapping[str, Any], seed: object, seconds: float,
    **parameters: Any,
) -> Row:  # fmt: skip
    """Sample the bytes that *program* has written and that are not on the disc, through a minute with power failures.

    The moments of failure are drawn for each seed and each name *how*.
    """
    history = run_stack(programs()[program].change(**changes), seconds, **{**parameters, **kernel}).at_risk
    instants = [SAMPLED_SECONDS * point / SAMPLES for point in range(SAMPLES + 1)]
    curve = list(history.curve(instants))
    random = stream(seed, f"power {how}")
    moments = sorted(SAMPLED_SECONDS * random.random() for _ in range(POWER_FAILURES))
    return {
        "second": [instant for instant, _ in curve], "megabytes": [risk / MB for _, risk in curve],
        **_failures(history, moments),
    }  # fmt: skip


def _failures(history: WriteHistory, moments: Sequence[float]) -> dict[str, float]:
    left = [history.left_at(moment) for moment in moments]
    written = sum(each.handed_over for each in left)
    return {
        "failures": len(left),
        "lost": sum(each.lost_bytes for each in left) / written,
        "with_loss": sum(each.lost_bytes > 0 for each in left) / len(left),
        "whole": sum(each.whole == each.handed_over for each in left) / len(left),
        "in_library": sum(each.in_library for each in left) / len(left),
    }


RISK_RUNS = [
    Runs(at_risk, PROGRAM, how=how, program=program, changes=changes, kernel=kernel)
    for how, program, changes, kernel in (
        ("O_SYNC, 64 KiB", "w02", {"block": 64 * KIB}, {}),
        ("write of a byte", "w03", {}, {}),
        ("stdio", "w05", {}, {}),
        ("stdio, expiry 10 s", "w05", {}, {"expiry": 10.0}),
        ("stdio, background 4 MiB", "w05", {}, {"background": 4 * MIB / (2 * GIB)}),
    )
]  # fmt: skip


def over_time(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each point of the curve."""
    return rows[["how", "second", "megabytes"]].explode(["second", "megabytes"], ignore_index=True).astype(
        {"second": float, "megabytes": float})  # fmt: skip


draw_at_risk = partial(curve, x="second", y="megabytes", by="how", x_label="seconds", y_label="megabytes at risk",
                       title="Most is at risk until the kernel writes it back")

losses = partial(summarise, by=["how"], values=["lost", "with_loss", "whole", "in_library"])


def draw_losses(table: pd.DataFrame) -> Axes:
    label, title = "lost, % of what was written", "The power fails within a minute"
    with row_axes(table["how"].tolist(), 2.6, x_label=label, title=title) as ax:
        ax.barh(range(len(table)), 100 * table["lost"].to_numpy(float), 0.62, color=BLUE)
        ax.set_xlim(0, 100)
    return ax


def caption_losses(table: pd.DataFrame) -> str:
    worst = max(table.to_dict("records"), key=lambda row: row["lost"])
    share = f"{worst['with_loss']:.0%} of the failures lose something, {worst['lost']:.0%} on average"
    return f"Worst is {worst['how']}: {share}."


STUDIES = (
    Study("at_risk", RISK_RUNS, Figure(over_time, draw_at_risk), replications=1),
    Study("power_failure", RISK_RUNS, Figure(losses, draw_losses, caption_losses)),
)  # fmt: skip
