"""Studies the main load of Max-IV: phases of a response, responses by number of users, and a saturated CPU."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.machine import SECTORS
from spindle.models.max_iv.run import BUSY_USERS, run
from spindle.models.max_iv.studies.trials import CACHED, MAIN, RESPONSE, USERS, minutes, tools
from spindle.studies.plots.curves import curve
from spindle.studies.plots.phases import breakdown as breakdown_bars
from spindle.studies.plots.theory_curves import load_curve, load_remark
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.studies.theory import summarise_beside

CROWD = 6
"""The most users that the paper mentions."""
TOOL_SECONDS = (0.4, 2.0, 9.0)
"""Seconds of CPU of a usual tool: the 0.4 of the main load, and enough to make the CPU the bottleneck."""


def main_load(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one(sectors=SECTORS)
    return {
        **{name: value for name, value in row.items() if isinstance(value, float)},
        "hit_service_us": 1e6 * row["hit_service"],
        "open_overhead": row["accesses_per_open"] / row["data_sectors_per_open"],
        "read_misses": (1.0 - row["hit_ratio"]) * row["miss_reads"],
        "mostly_programs": float(row["oversize_share"] > 0.5),
        "programs_pass": float(row["oversize_share"] > 0.0),
    }


def breakdown(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the phases of a response over the seeds, cached and not, one column a phase."""
    phases = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby("sectors", sort=False)[phases].mean().reset_index()
    return means.assign(run=means["sectors"].map(CACHED)).drop(columns="sectors")


draw_breakdown = partial(breakdown_bars, bar="run", title="Most requests never see the disc")

response_vs_users = partial(
    summarise_beside, users="users", by=["users", "sectors"],
    values=["response_mean", "response_p95", "op_rate", "cpu_busy", "disc_busy", "hit_ratio"])

draw_response_vs_users = partial(load_curve, x="users", by="sectors", names=CACHED, x_label="users", y_label=RESPONSE,
                                 title="The cache helps most where users share the disc")

caption_response_vs_users = partial(load_remark, x="users", at="users", by="sectors", names=CACHED)


def saturation(rows: SeedRows) -> Mapping[str, float]:
    """Measure the load of the CPU and of the busiest disc with CROWD users and no cache."""
    row = rows.one(users=CROWD, sectors=0)
    return {"cpu_busy": row["cpu_busy"], "disc_busy": row["busiest_disc"]}


def saturated_cpu(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the gain by the cache where the CPU is the bottleneck."""
    table = summarise(frame, ["tool_cpu", "sectors"], ["response_mean", "cpu_busy", "disc_busy"])
    plain, cached = (table[table["sectors"] == sectors].set_index("tool_cpu") for sectors in (0, SECTORS))
    return pd.DataFrame({
        "plain": plain["response_mean"], "cached": cached["response_mean"],
        "gain": 1.0 - cached["response_mean"] / plain["response_mean"],
        "cpu_plain": plain["cpu_busy"], "cpu_cached": cached["cpu_busy"],
        "disc_plain": plain["disc_busy"], "disc_cached": cached["disc_busy"],
    }).reset_index()  # fmt: skip


def draw_saturated_cpu(table: pd.DataFrame) -> Axes:
    columns = {"gain": "response shorter by", "cpu_cached": "CPU busy, cached", "disc_plain": "disc busy, no cache"}
    long_rows = pd.concat([
        pd.DataFrame({"work": table["tool_cpu"], "value": 100.0 * table[name], "what": label})
        for name, label in columns.items()
    ])  # fmt: skip
    return curve(
        long_rows, "work", "value", "what", x_label="CPU time of a tool, s", y_label="%, of the time or of a response",
        title="Where the CPU is saturated, the cache gains less",
    )


def caption_saturated_cpu(table: pd.DataFrame) -> str:
    first, last = table.iloc[0], table.iloc[-1]
    return (
        f"With {first['tool_cpu']:g} s of computing a tool the cache makes responses {first['gain']:.0%} shorter, with "
        f"{last['tool_cpu']:g} s {last['gain']:.0%}, and the CPU is then busy {last['cpu_cached']:.0%} of the time."
    )


STUDIES = (
    Study(
        "main_load", [Runs(tools, MAIN, users=USERS, sectors=[0, SECTORS])],
        Figure(breakdown, draw_breakdown), main_load,
    ),
    Study(
        "one_at_work",
        [Runs(run, MAIN, users=BUSY_USERS, sectors=SECTORS)], measures=lambda rows: {"op_rate": rows.one()["op_rate"]},
    ),
    Study(
        "response_vs_users", [Runs(run, minutes(60.0, shorter=20.0), users=[1, 2, 4, CROWD], sectors=[0, SECTORS])],
        Figure(response_vs_users, draw_response_vs_users, caption_response_vs_users), saturation,
    ),
    Study("one_disc", [Runs(run, minutes(60.0, shorter=20.0), users=CROWD, sectors=0, discs=1)], measures=saturation),
    Study(
        "saturated_cpu",
        [Runs(run, minutes(24.0, warm_up=8.0), users=CROWD, sectors=[0, SECTORS], tool_cpu=list(TOOL_SECONDS))],
        Figure(saturated_cpu, draw_saturated_cpu, caption_saturated_cpu),
    ),
)  # fmt: skip
