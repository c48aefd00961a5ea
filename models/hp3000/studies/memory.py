"""Studies of scarce main memory: the best size of a random fetch by memory and load, and hits and gains by memory.

A larger fetch keeps the disc busy longer, and evicts programs' segments from memory; after a smaller one the next read
is a miss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies import trials
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.plots.axes import new_panels
from spindle.studies.plots.curves import curve
from spindle.studies.plots.gains import GAIN, gain_axis
from spindle.studies.plots.heat_map import heat_map
from spindle.studies.plots.style import INK
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, summarise_hits
from spindle.studies.statistics import gains, summarise
from spindle.studies.study import Figure, Runs, Study, StudyWindow
from spindle.studies.sweep.grid import Run

FETCH_KB = (2, 3, 4, 5, 6, 8, 12)
"""KB of a random fetch."""
MEMORY_MIB: Mapping[int, tuple[float, ...]] = {
    101: (4, 5, 6, 7, 8, 10, 12), 63: (2.5, 3, 3.5, 4, 5, 6, 8), 21: (2, 2.25, 2.5, 3, 4, 6, 8),
}  # fmt: skip
"""MiB of main memory, by terminals: fewer terminals need less."""
COARSE_FETCH_KB, COARSE_MEMORY_MIB = (2, 4, 8), {101: (4, 8), 63: (2.5, 8), 21: (2, 8)}
"""Fetches and memories of a quick look: few, so that each run can be long enough to agree with the whole study."""
LINE_MEMORY_MIB = (4, 8, 12)
"""MiB of memory for which the figure that explains the best fetch has a line."""
MAP_WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 2.5}, {"minutes": 1.0, "warm_up": 2.0})
JOB_PHASES = 4
"""Places of their round at which programmers begin: several, so that a short run has all of it."""
AS_GOOD_FACTOR = 1.05
"""A response counts as equal to the best up to this factor."""
FETCH_COLUMNS = ("response_mean", "hit_ratio", "disc_busy", "domain_bytes", "fault_rate", "memory_pressure")
WHY_LABELS = {
    "relative": "response / least", "hit_percent": "reads that hit, %", "busy_percent": "drives busy, %",
    "domain_mib": "domains, MiB", "fault_rate": "faults, 1/s",
}  # fmt: skip
"""Measures of what a larger fetch gains and costs, with labels of axes."""


def sizes(unit: int, values: Sequence[float]) -> list[int]:
    return [int(each * unit) for each in values]


def _coarse_memory(terminals: int) -> dict[str, list[int]]:
    return {"memory": sizes(MIB, COARSE_MEMORY_MIB[terminals])}


def runs(terminals: int) -> list[Runs]:
    """List the runs: every fetch with every memory, and every memory without caching."""
    run, memory = trials.hybrid if terminals == 101 else trials.orders, _coarse_memory(terminals)
    window = replace(MAP_WINDOW, coarse=memory)
    common: dict[str, Any] = {"terminals": terminals, "memory": sizes(MIB, MEMORY_MIB[terminals]), "phases": JOB_PHASES}
    return [Runs(run, window, {"fetch_kb": 0}, caching=False, **common), cached_runs(run, memory, **common)]


def cached_runs(run: Run, coarse: Mapping[str, object], **common: Any) -> Runs:
    window = replace(MAP_WINDOW, coarse={**coarse, "fetch_random": sizes(KIB, COARSE_FETCH_KB)})
    return Runs(run, window, caching=True, fetch_random=sizes(KIB, FETCH_KB), **common)


def memory_map(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate a row for each memory in MiB and random fetch in KB, which is 0 without caching."""
    fetch = (frame["fetch_random"] / KIB).fillna(0.0)
    frame = frame.assign(fetch_kb=fetch, memory_mib=frame["memory"] / MIB)
    table = summarise(frame, ["fetch_kb", "memory_mib"], FETCH_COLUMNS)
    return table.assign(response_ms=table["response_mean"] / MS)


def draw_memory_map(frame: pd.DataFrame) -> Axes:
    axes = heat_map(
        frame, "fetch_kb", "memory_mib", "response_ms", shown="{:.0f}", better="least of each row",
        x_label="random fetch, KB", y_label="main memory, MiB", title="Mean response by fetch and memory, ms",
    )  # fmt: skip
    fetches = sorted(frame["fetch_kb"].unique())
    axes.set_xticks(axes.get_xticks(), [f"{each:g}" if each else "no caching" for each in fetches])
    return axes


def caption_memory_map(frame: pd.DataFrame) -> str:
    fetched = frame[frame["fetch_kb"] > 0.0]
    best = [f"{as_good(rows)} with {float(str(memory)):g} MiB" for memory, rows in fetched.groupby("memory_mib")]
    return f"Framed is the least of each row. The best fetches, which differ by less than 5 %: {', '.join(best)}."


def why(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the memory map with hits, busy drives and domains (cached bytes) of each fetch size."""
    table = memory_map(frame)
    return table.assign(
        hit_percent=100.0 * table["hit_ratio"], busy_percent=100.0 * table["disc_busy"],
        domain_mib=table["domain_bytes"] / MIB,
        relative=table["response_mean"] / table.groupby("memory_mib")["response_mean"].transform("min"),
    )  # fmt: skip


def draw_why(frame: pd.DataFrame) -> Axes:
    panels = dict(zip(WHY_LABELS, new_panels(len(WHY_LABELS), 1.7), strict=True))
    for value, axes in panels.items():
        first, last = axes is panels["relative"], axes is panels["fault_rate"]
        curve(
            frame, "fetch_kb", value, "memory_mib", ax=axes, x_label="random fetch, KB" if last else " ",
            y_label=WHY_LABELS[value], names={size: f"{size:g} MiB" if first else "" for size in LINE_MEMORY_MIB},
            title="A larger fetch hits more, until it pushes out what is needed" if first else "",
        )  # fmt: skip
        axes.set_ylim(0.9 if first else 0.0, None)
    return panels["relative"]


def caption_why(frame: pd.DataFrame) -> str:
    """Describe the change from the smallest fetch to the largest, by memory."""
    said = []
    for memory, rows in frame.groupby("memory_mib"):
        ends = rows.sort_values("fetch_kb").iloc[[0, -1]]
        changes = ", ".join(f"{name} {low:.3g} to {high:.3g}" for name, low, high in (
            (WHY_LABELS[value], *ends[value]) for value in WHY_LABELS))
        said.append(f"{float(str(memory)):g} MiB: {changes}.")
    least, most = frame["fetch_kb"].min(), frame["fetch_kb"].max()
    return (
        "101 terminals; responses are multiples of the least with that memory. "
        f"From fetches of {least:g} to {most:g} KB. {' '.join(said)}"
    )


def as_good(rows: pd.DataFrame) -> str:
    """Name the fetches of *rows* whose response is about the least."""
    good = rows[rows["response_mean"] <= AS_GOOD_FACTOR * rows["response_mean"].min()]["fetch_kb"]
    low, high = good.min(), good.max()
    return f"{low:g} KB" if low == high else f"{low:g} to {high:g} KB"


def study(name: str, terminals: int) -> Study:
    return Study(name, runs(terminals), Figure(memory_map, draw_memory_map, caption_memory_map), replications=3)


MAP_STUDIES = (
    study("memory_map", 101), study("memory_map_63", 63), study("memory_map_21", 21),
    Study(
        "why_the_best_fetch_moves",
        [cached_runs(trials.hybrid, _coarse_memory(101), terminals=101, memory=sizes(MIB, LINE_MEMORY_MIB),
                     phases=JOB_PHASES)],
        Figure(why, draw_why, caption_why), replications=3,
    ),
)


# Hits, and the gain of caching, by main memory, for which cache and programs compete.

MEMORY_SIZES = [size * MIB for size in (3, 4, 6, 8)]
"""Bytes of main memory; a Series 64 has 8 MiB."""

CACHED_RUNS = Runs(trials.run_with_theory, trials.MIXED, terminals=101, caching=True, memory=MEMORY_SIZES)
UNCACHED_RUNS = Runs(trials.hybrid, trials.MIXED, terminals=101, caching=False, memory=MEMORY_SIZES)


def in_mib(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(memory_mib=frame["memory"] / MIB)


def hit_ratio_vs_memory(frame: pd.DataFrame) -> pd.DataFrame:
    values = ["hit_ratio", "response_mean", "fault_rate", "swap_write_rate"]
    return summarise_hits(in_mib(frame), ["memory_mib"], values, ["domain_bytes"])


draw_hit_ratio_vs_memory = trials.with_paper(lambda paper: [(MEMORY_SIZES[-1] / MIB, paper["B22"])])(
    partial(hit_curve, x="memory_mib", x_label="main memory, MiB", y_label="read hit ratio",
            title="The cache lives on the memory that programs leave"))

caption_hit_ratio_vs_memory = partial(hit_remark, x="memory_mib", at="MiB", rules=trials.DOMAIN_RULES)


def gain_vs_memory(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(in_mib(frame), "caching", False, ["memory_mib"], ["memory_pressure", "fault_rate"])


@trials.with_paper(lambda paper: [(MEMORY_SIZES[-1] / MIB, trials.published_gain(paper))])
def draw_gain_vs_memory(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "memory_mib", "gain", x_label="main memory, MiB", y_label=GAIN,
        title="Where memory is short, caching gains less",
    )  # fmt: skip
    falls = frame["gain"].diff(-1) > 0.0
    for row, above in zip(frame.to_dict("records"), falls, strict=True):
        axes.annotate(
            f"pressure {100.0 * row['memory_pressure']:.1f} %", (row["memory_mib"], row["gain"]),
            (8, 4 if above else -14), textcoords="offset points", color=INK, annotation_clip=False,
        )  # fmt: skip
    return gain_axis(axes, frame)


def caption_gain_vs_memory(frame: pd.DataFrame) -> str:
    hurt = frame[frame["gain_high"] < 0.0]
    where = f"at {hurt['memory_mib'].max():g} MiB and below" if len(hurt) else "nowhere"
    least = frame.sort_values("memory_mib").iloc[0]
    return (
        "At the points, memory pressure with caching: the share of the CPU that the memory manager takes. "
        f"Caching hurts for certain {where}; with {least['memory_mib']:g} MiB there are {least['fault_rate']:.1f} "
        f"absence faults a second with it and {least['plain_fault_rate']:.1f} without."
    )


STUDIES = (
    *MAP_STUDIES,
    Study(
        "hit_ratio_vs_memory",
        [CACHED_RUNS], Figure(hit_ratio_vs_memory, draw_hit_ratio_vs_memory, caption_hit_ratio_vs_memory),
    ),
    Study(
        "gain_vs_memory",
        [UNCACHED_RUNS, CACHED_RUNS], Figure(gain_vs_memory, draw_gain_vs_memory, caption_gain_vs_memory),
    ),
)  # fmt: skip
