"""What the HP3000's experiments vary, and how their results are drawn."""


import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.run import run
from sim.experiment.plots import curve
from sim.experiment.summarise import summarise
from sim.experiment.system import Effort, Experiment
from sim.units import MIB

TERMINALS = (10, 21, 42, 63, 80, 101)
DEVELOPMENT = 38 / 101
"""The share of development sessions in the hybrid load of 63 + 38 terminals (McBride & Boles 1983)."""

SECTOR = 256
CACHED = {True: "disc caching", False: "no caching"}
RESPONSE = "inquiry to first response, s"


def hybrid(terminals: int, **others: object) -> object:
    """A run of *terminals*, as many of them in development as in the paper's hybrid load."""
    development = round(terminals * DEVELOPMENT)
    return run(terminals=terminals - development, development=development, **others)  # type: ignore[arg-type]


def response_vs_terminals(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(hybrid, terminals=list(TERMINALS), caching=[False, True])
    values = ["response_mean", "response_p95", "throughput", "cpu_busy", "disc_rate", "lock_busy"]
    return summarise(frame, ["terminals", "caching"], values)


def draw_response_vs_terminals(frame: pd.DataFrame) -> Axes:
    axes = curve(frame, "terminals", "response_mean", by="caching", names=CACHED)
    without_band = frame.drop(columns=["response_p95_low", "response_p95_high"])
    return curve(
        without_band, "terminals", "response_p95", by="caching", dashed=True, ax=axes,
        names={cached: f"{name}, 95 %" for cached, name in CACHED.items()},
        x_label="terminals (62 % transactions, 38 % development)", y_label=RESPONSE,
        title="Disc caching pays where terminals queue",
    )  # fmt: skip


def hit_ratio_vs_fetch(effort: Effort) -> pd.DataFrame:
    sizes = [sectors * SECTOR for sectors in (4, 16, 32, 96)]
    frame = effort.sweep(hybrid, terminals=101, fetch_random=sizes, fetch_sequential=[16 * SECTOR, 96 * SECTOR])
    frame.insert(0, "fetch_sectors", frame["fetch_random"] // SECTOR)
    frame.insert(1, "sequential_sectors", frame["fetch_sequential"] // SECTOR)
    values = ["hit_ratio", "response_mean", "disc_rate", "disc_busy"]
    return summarise(frame, ["fetch_sectors", "sequential_sectors"], values)


def draw_hit_ratio_vs_fetch(frame: pd.DataFrame) -> Axes:
    names = {16: "sequential 16", 96: "sequential 96"}
    return curve(
        frame, "fetch_sectors", "hit_ratio", by="sequential_sectors", names=names,
        x_label="random fetch size, sectors of 256 bytes", y_label="read hit ratio",
        title="What a larger fetch brings in",
    )  # fmt: skip


def hit_ratio_vs_memory(effort: Effort) -> pd.DataFrame:
    sizes = [int(megabytes * MIB) for megabytes in (5.25, 6, 7, 8, 10, 12)]
    frame = effort.sweep(hybrid, terminals=101, memory=sizes)
    frame.insert(0, "memory_mib", frame["memory"] / MIB)
    return summarise(frame, ["memory_mib"], ["hit_ratio", "response_mean", "fault_rate", "swap_write_rate"])


def draw_hit_ratio_vs_memory(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "memory_mib", "hit_ratio", x_label="main memory, MiB", y_label="read hit ratio",
        title="The cache lives on the memory that programs leave",
    )  # fmt: skip


def breakdown(effort: Effort) -> pd.DataFrame:
    """Where a response of the hybrid load goes, cached and not: means over the replications, one column a part."""
    frame = effort.sweep(hybrid, terminals=101, caching=[False, True])
    parts = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby("caching", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["caching"].map(CACHED)).drop(columns="caching")


EXPERIMENTS = (
    Experiment(
        "response_vs_terminals",
        "How response time grows with the number of terminals, with disc caching and without.",
        response_vs_terminals, draw_response_vs_terminals,
    ),
    Experiment(
        "hit_ratio_vs_fetch",
        "How the hit ratio depends on how much is fetched around what was asked for.",
        hit_ratio_vs_fetch, draw_hit_ratio_vs_fetch,
    ),
    Experiment(
        "hit_ratio_vs_memory",
        "How the hit ratio depends on main memory, which cache and programs compete for.",
        hit_ratio_vs_memory, draw_hit_ratio_vs_memory,
    ),
)  # fmt: skip
