"""Studies of how the disc cache and programs share main memory: by one eviction policy, or by fixed parts.

The cache has domains (cached pieces of discs), programs have segments. One clock policy that evicts either is compared
with fixed divisions of memory and with no caching.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies.trials import hybrid, orders
from spindle.sim.units import MIB
from spindle.studies.plots.axes import new_panels
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow

MEMORY_MIB: Mapping[int, tuple[float, ...]] = {21: (2.5, 3, 4, 8), 63: (2.5, 3, 4, 8), 101: (3, 4, 6, 8, 12)}
"""MiB of main memory, by terminals; 101 are the hybrid load, of clerks and programmers."""
NO_CACHING, ONE_CLOCK, DOMAINS_FIRST = "none", "one-clock", "domains-first"
PART_1_MIB, PART_2560_KIB, PARTITION_1536_KIB = "1MiB", "2560KiB", "partition-1536KiB"
"""Values of ``cache_memory``, the rule by which domains and segments share memory; and none, without caching."""
RULE_NAMES = {
    NO_CACHING: "no caching", ONE_CLOCK: "one clock", DOMAINS_FIRST: "domains go first", PART_1_MIB: "1 MB for domains",
    PARTITION_1536_KIB: "a partition of 1.5 MB", PART_2560_KIB: "2.5 MB for domains",
}  # fmt: skip
LARGE_PART_FROM = 4
"""MiB of the smallest memory in which a large fixed part, or a partition, leaves room for programs."""
SHORT_MIB, SERIES_64_MIB = 4, 8
"""MiB of a memory that is short for 101 terminals, and of a Series 64's."""
AS_GOOD_FACTOR = 1.1
"""A response counts as equal to another up to this factor."""
COARSE_MEMORY = (LARGE_PART_FROM, 8)
"""MiB of memory in a quick look: few, so that its runs are long enough to agree with the whole study."""
COMPETITION_WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 3.0}, {"minutes": 1.5, "warm_up": 2.0},
                     {"memory": [each * MIB for each in COARSE_MEMORY]})  # fmt: skip
FINE_TICKS, COARSE_TICKS = (0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0), (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Seconds at the ticks of an axis: of one that spans less than a factor of ten, and of others."""
COMPETITION_COLUMNS = ("response_mean", "hit_ratio", "fault_rate", "memory_pressure", "domain_bytes", "cpu_busy")


def runs() -> list[Runs]:
    """List the runs: each rule with each memory that it can divide, at each load."""
    return [each for terminals in MEMORY_MIB for rule in RULE_NAMES if (each := _runs(terminals, rule)) is not None]


def _runs(terminals: int, rule: str) -> Runs | None:
    least = LARGE_PART_FROM if rule in (PART_2560_KIB, PARTITION_1536_KIB) else 0
    sizes = [int(each * MIB) for each in MEMORY_MIB[terminals] if each >= least]
    if rule == PART_2560_KIB and terminals != 101:
        return None
    how: dict[str, Any] = {"caching": False} if rule == NO_CACHING else {"caching": True, "cache_memory": rule}
    run = hybrid if terminals == 101 else orders
    return Runs(run, COMPETITION_WINDOW, {"rule": rule}, terminals=terminals, memory=sizes, phases=4, **how)


def competition(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate a row for each load, rule and memory in MiB."""
    in_mib = frame.assign(memory_mib=frame["memory"] / MIB)
    return summarise(in_mib, ["terminals", "rule", "memory_mib"], COMPETITION_COLUMNS)


def draw_competition(frame: pd.DataFrame) -> Axes:
    panels = dict(zip(MEMORY_MIB, new_panels(len(MEMORY_MIB), 2.0), strict=True))
    for terminals, axes in panels.items():
        last = terminals == max(MEMORY_MIB)
        curve(
            frame[frame["terminals"] == terminals], "memory_mib", "response_mean", "rule", ax=axes,
            names=RULE_NAMES if last else dict.fromkeys(RULE_NAMES, ""), x_label="main memory, MiB" if last else " ",
            y_label=f"{terminals} terminals, s", title="" if axes is not panels[min(MEMORY_MIB)] else
            "A fixed part for the cache fails with little memory or much",
        )  # fmt: skip
        _logarithmic(axes)
    return panels[min(MEMORY_MIB)]


def _logarithmic(axes: Axes) -> None:
    """Draw seconds on a logarithmic axis with plain numbers, as far as the lines reach."""
    seconds = [float(each) for line in axes.lines for each in np.asarray(line.get_ydata())]
    low, high = 0.8 * min(seconds), 1.25 * max(seconds)
    axes.set_ylim(low, high)
    axes.set_yscale("log")
    ticks = [each for each in (FINE_TICKS if high < 10.0 * low else COARSE_TICKS) if low <= each <= high]
    axes.set_yticks(ticks, [f"{each:g}" for each in ticks])
    axes.minorticks_off()


def caption_competition(frame: pd.DataFrame) -> str:
    rows = {(row["rule"], row["memory_mib"]): row for row in frame[frame["terminals"] == 101].to_dict("records")}

    def describe(memory: float) -> str:
        return ", ".join(f"{RULE_NAMES[rule]} {rows[rule, memory]['response_mean']:.2f} s"
                         for rule in RULE_NAMES if (rule, memory) in rows)  # fmt: skip

    one, fixed = rows[ONE_CLOCK, SHORT_MIB], rows[PART_2560_KIB, SHORT_MIB]
    return (
        f"Mean responses. 101 terminals with {SERIES_64_MIB} MiB: {describe(SERIES_64_MIB)}. "
        f"With {SHORT_MIB} MiB: {describe(SHORT_MIB)}. "
        "There one "
        f"clock leaves {one['domain_bytes'] / MIB:.1f} MiB to domains and has {one['fault_rate']:.1f} faults a second, "
        f"{one['memory_pressure']:.1%} of the CPU; with a fixed part of 2.5 MiB for domains there are "
        f"{fixed['fault_rate']:.1f}, and {fixed['memory_pressure']:.1%}."
    )


WHY_LABELS = {"hit_percent": "reads that hit, %", "domain_mib": "domains, MiB", "fault_rate": "faults, 1/s",
       "pressure_percent": "pressure, %"}  # fmt: skip
"""Measures of what a rule gives to domains and takes from programs, with labels of axes."""


def why_one_clock(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate competition with hits, domains and memory pressure in the units of the picture."""
    table = competition(frame)
    return table.assign(hit_percent=100.0 * table["hit_ratio"].fillna(0.0), domain_mib=table["domain_bytes"] / MIB,
                        pressure_percent=100.0 * table["memory_pressure"])  # fmt: skip


def draw_why_one_clock(frame: pd.DataFrame) -> Axes:
    panels = dict(zip(WHY_LABELS, new_panels(len(WHY_LABELS), 1.7), strict=True))
    for value, axes in panels.items():
        first, last = value == "hit_percent", value == "pressure_percent"
        curve(
            frame, "memory_mib", value, "rule", ax=axes, x_label="main memory, MiB" if last else " ",
            y_label=WHY_LABELS[value], names=RULE_NAMES if last else dict.fromkeys(RULE_NAMES, ""),
            title="A fixed part hits more, and programs pay for it" if first else "",
        )  # fmt: skip
        axes.set_ylim(0.0, None)
    return panels["hit_percent"]


def caption_why_one_clock(frame: pd.DataFrame) -> str:
    """Describe each rule where memory is short."""
    short = frame[(frame["memory_mib"] == SHORT_MIB) & (frame["rule"] != NO_CACHING)]
    said = [f"{RULE_NAMES[row['rule']]}: {row['hit_percent']:.0f} % of reads hit in {row['domain_mib']:.1f} MiB of "
            f"domains, {row['fault_rate']:.1f} faults a second, {row['pressure_percent']:.1f} % of the CPU for them"
            for row in short.to_dict("records")]  # fmt: skip
    return (
        f"101 terminals. With {SHORT_MIB} MiB: {'; '.join(said)}. Where memory is left over domains have more than "
        "their part, but for the partition."
    )


def compare_rules(rows: SeedRows) -> Mapping[str, float]:
    """Compare one clock with every division, with much memory and with little, at 101 terminals."""

    def response(rule: str, memory: float) -> float:
        return float(rows.one(terminals=101, rule=rule, memory=int(memory * MIB))["response_mean"])

    divided = (DOMAINS_FIRST, PART_1_MIB, PART_2560_KIB)
    whole, short = ({rule: response(rule, memory) for rule in (ONE_CLOCK, *divided)}
                    for memory in (SERIES_64_MIB, SHORT_MIB))
    return {
        "costs_nothing": float(whole[ONE_CLOCK] <= AS_GOOD_FACTOR * min(whole[rule] for rule in divided)),
        "saves": float(short[ONE_CLOCK] <= min(short[rule] for rule in divided)),
    }


STUDIES = (
    Study(
        "competition",
        runs(), Figure(competition, draw_competition, caption_competition), compare_rules, replications=3,
    ),
    Study(
        "why_one_clock", [each for rule in RULE_NAMES if (each := _runs(101, rule)) is not None],
        Figure(why_one_clock, draw_why_one_clock, caption_why_one_clock), replications=3,
    ),
)  # fmt: skip
