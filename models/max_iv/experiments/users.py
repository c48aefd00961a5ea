"""More users, with the cache and without; where a response goes; and a CPU that is busy instead of the disc."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.experiments.common import CACHED, RESPONSE, stretched
from models.max_iv.machine import SECTORS
from sim.plots.curves import curve
from sim.plots.load_curve import load_curve, load_remark
from sim.statistics.analytic import summarise_beside
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment

WORK = (0.1, 0.4, 1.0, 2.0, 4.0, 8.0)
"""Seconds of CPU of a usual tool; 0.4 is the main load."""


def response_vs_users(effort: Effort) -> pd.DataFrame:
    """Response against the number of users, without a cache (0 sectors) and with Jacobson's."""
    frame = effort.sweep(stretched, users=[1, 2, 3, 4, 6], sectors=[0, SECTORS])
    values = ["response_mean", "response_p95", "op_rate", "cpu_busy", "disc_busy", "hit_ratio"]
    return summarise_beside(frame, "users", ["users", "sectors"], values)


def draw_response_vs_users(frame: pd.DataFrame) -> Axes:
    return load_curve(
        frame, "users", "sectors", CACHED, x_label="users", y_label=RESPONSE,
        title="The cache helps most where users share the disc",
    )


def remark_response_vs_users(frame: pd.DataFrame) -> str:
    return load_remark(frame, "users", "users", "sectors", CACHED)


def breakdown(effort: Effort) -> pd.DataFrame:
    """Where a response of 3 users goes, cached and not: means over the replications, one column a part."""
    frame = effort.sweep(stretched, users=3, sectors=[0, SECTORS])
    parts = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby("sectors", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["sectors"].map(CACHED)).drop(columns="sectors")


def saturated_cpu(effort: Effort) -> pd.DataFrame:
    """6 users whose tools compute ever more: what the cache gains where the CPU is what everybody waits for."""
    frame = effort.sweep(stretched, users=6, sectors=[0, SECTORS], tool_cpu=list(WORK))
    table = summarise(frame, ["tool_cpu", "sectors"], ["response_mean", "cpu_busy", "disc_busy"])
    plain, cached = (table[table["sectors"] == sectors].set_index("tool_cpu") for sectors in (0, SECTORS))
    gain = 1.0 - cached["response_mean"] / plain["response_mean"]
    return pd.DataFrame({
        "plain": plain["response_mean"], "cached": cached["response_mean"], "gain": gain,
        "cpu_plain": plain["cpu_busy"], "cpu_cached": cached["cpu_busy"],
        "disc_plain": plain["disc_busy"], "disc_cached": cached["disc_busy"],
    }).reset_index()  # fmt: skip


def draw_saturated_cpu(frame: pd.DataFrame) -> Axes:
    columns = {"gain": "gained", "cpu_cached": "CPU busy, cached", "disc_plain": "disc busy, no cache"}
    tall = pd.concat([
        pd.DataFrame({"work": frame["tool_cpu"], "value": 100.0 * frame[name], "what": label})
        for name, label in columns.items()
    ])  # fmt: skip
    return curve(
        tall, "work", "value", "what", names={label: label for label in columns.values()},
        x_label="CPU time of a tool, s", y_label="%", title="Where the CPU is saturated, the cache gains less",
    )


def remark_saturated_cpu(frame: pd.DataFrame) -> str:
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"With {first['tool_cpu']:g} s of computing a tool the cache makes responses {first['gain']:.0%} shorter, with "
        f"{last['tool_cpu']:g} s {last['gain']:.0%}, and the CPU is then busy {last['cpu_cached']:.0%} of the time."
    )


EXPERIMENTS = (
    Experiment(
        "response_vs_users",
        "How response time grows with the number of users, with the cache and without.",
        response_vs_users, draw_response_vs_users, remark_response_vs_users,
    ),
    Experiment(
        "saturated_cpu", "What the cache gains as tools compute more, until the CPU is what everybody waits for.",
        saturated_cpu, draw_saturated_cpu, remark_saturated_cpu, slow=True,
    ),
)  # fmt: skip
