"""The best random fetch for each memory and each load, beside no caching, and why it moves.

A larger fetch holds the disc longer, fills memory, and pushes segments out; a smaller one misses what comes next.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies.trials import hybrid, orders
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.plots.charts import heat_map
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow

FETCHES = (2, 3, 4, 5, 6, 8, 12)
"""KB of a random fetch."""
MEMORY: Mapping[int, tuple[float, ...]] = {
    101: (4, 5, 6, 7, 8, 10, 12), 63: (2.5, 3, 4, 8), 21: (2, 2.5, 4, 8),
}  # fmt: skip
"""MiB, by terminals; the fewer there are, the less memory is short."""
WHOLE = 8
"""MiB of a Series 64."""
WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 2.5}, {"minutes": 1.0, "warm_up": 2.0})
"""Even a quick look needs a minute, in order not to contradict the whole."""
PHASES = 4
"""Programmers begin at four places of their round, so that a short run sees all of it."""
AS_GOOD = 1.05
"""A response that is longer by less is as good as the best."""
VALUES = ("response_mean", "hit_ratio", "disc_busy", "domain_bytes", "fault_rate", "memory_pressure")


def runs(terminals: int) -> list[Runs]:
    """Every fetch with every memory, and every memory without caching."""
    run = hybrid if terminals == 101 else orders
    sizes = [int(each * MIB) for each in MEMORY[terminals]]
    fetches = [each * KIB for each in FETCHES]
    common: dict[str, Any] = {"terminals": terminals, "memory": sizes, "phases": PHASES}
    return [Runs(run, WINDOW, {"fetch_kb": 0}, caching=False, **common),
            Runs(run, WINDOW, caching=True, fetch_random=fetches, **common)]  # fmt: skip


def memory_map(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each memory in MiB and random fetch in KB, which is 0 without caching."""
    fetch = (frame["fetch_random"] / KIB).fillna(0.0)
    frame = frame.assign(fetch_kb=fetch, memory_mib=frame["memory"] / MIB)
    table = summarise(frame, ["fetch_kb", "memory_mib"], VALUES)
    return table.assign(response_ms=table["response_mean"] / MS)


def draw_memory_map(frame: pd.DataFrame) -> Axes:
    axes = heat_map(
        frame, "fetch_kb", "memory_mib", "response_ms", shown="{:.0f}", x_label="random fetch, KB",
        y_label="main memory, MiB", title="Mean response by fetch and memory, ms",
    )  # fmt: skip
    axes.set_xticks(axes.get_xticks(), ["no caching", *(f"{each:g}" for each in FETCHES)])
    return axes


def caption_memory_map(frame: pd.DataFrame) -> str:
    cached = frame[frame["fetch_kb"] > 0.0]
    best = [f"{as_good(rows)} with {float(str(memory)):g} MiB" for memory, rows in cached.groupby("memory_mib")]
    whole = {float(row["fetch_kb"]): row for row in cached[cached["memory_mib"] == WHOLE].to_dict("records")}
    few, usual, many = whole[FETCHES[0]], whole[4.0], whole[FETCHES[-1]]
    return (
        f"The best fetches, which differ by less than 5 %: {', '.join(best)}. Why, with {WHOLE} MiB: of "
        f"{FETCHES[0]}, 4 and {FETCHES[-1]} KB, {few['hit_ratio']:.0%}, {usual['hit_ratio']:.0%} and "
        f"{many['hit_ratio']:.0%} of reads hit; the drives are busy {few['disc_busy']:.1%}, "
        f"{usual['disc_busy']:.1%} and {many['disc_busy']:.1%}; domains fill {few['domain_bytes'] / MIB:.1f}, "
        f"{usual['domain_bytes'] / MIB:.1f} and {many['domain_bytes'] / MIB:.1f} MiB; {few['fault_rate']:.1f}, "
        f"{usual['fault_rate']:.1f} and {many['fault_rate']:.1f} segments a second were pushed out and are missed."
    )


def as_good(rows: pd.DataFrame) -> str:
    """The fetches of *rows* whose response is about the least."""
    good = rows[rows["response_mean"] <= AS_GOOD * rows["response_mean"].min()]["fetch_kb"]
    low, high = good.min(), good.max()
    return f"{low:g} KB" if low == high else f"{low:g} to {high:g} KB"


def optimum(rows: SeedRows) -> Mapping[str, float]:
    """The best fetch in KB with the memory of a Series 64: where a parabola through the logarithms has its least."""
    cached = [rows.one(caching=True, memory=WHOLE * MIB, fetch_random=each * KIB) for each in FETCHES]
    logs = np.log(FETCHES)
    a, b, _ = np.polyfit(logs, np.log([row["response_mean"] for row in cached]), 2)
    inside = a > 0.0 and logs[0] <= -b / (2.0 * a) <= logs[-1]
    return {"best_kb": float(np.exp(-b / (2.0 * a))) if inside else float("nan")}


def study(name: str, terminals: int, who: str, **more: Any) -> Study:
    return Study(name, f"How long {who} wait for each pair of a random fetch and an amount of memory.", runs(terminals),
                 Figure(memory_map, draw_memory_map, caption_memory_map), replications=3, **more)  # fmt: skip


STUDIES = (
    study("memory_map", 101, "63 clerks and 38 programmers", measures=optimum),
    study("memory_map_63", 63, "63 clerks"), study("memory_map_21", 21, "21 clerks"),
)
