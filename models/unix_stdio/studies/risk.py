"""The cost of buffered writes: bytes at risk over time, and bytes lost when power fails at a random moment."""

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.unix_stdio.studies.trials import PROGRAM, at_risk
from spindle.sim.units import GIB, KIB, MIB
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import BLUE, row_axes
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study

RUNS = [
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


def draw_at_risk(table: pd.DataFrame) -> Axes:
    return curve(
        table, "second", "megabytes", "how", x_label="seconds", y_label="megabytes at risk",
        title="Most is at risk until the kernel writes it back", names={each: each for each in table["how"]},
    )  # fmt: skip


def losses(rows: pd.DataFrame) -> pd.DataFrame:
    return summarise(rows, ["how"], ["lost", "with_loss", "whole", "in_library"])


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
    Study(
        "at_risk", "Bytes that the program believes written and that a failure of the power would lose: nothing while "
        "it waits for the disc, everything while the kernel waits for better times.",
        RUNS, Figure(over_time, draw_at_risk), replications=1,
    ),
    Study(
        "power_failure", "The power fails at a random moment of the first minute: the mean share that is lost of what "
        "the program had written.",
        RUNS, Figure(losses, draw_losses, caption_losses),
    ),
)  # fmt: skip
