"""A batch job that reads a file from beginning to end: elapsed time, and the hits that arithmetic allows."""

from dataclasses import replace
from functools import cache

import pandas as pd
import simpy
from matplotlib.axes import Axes

from models.hp3000.experiments.hybrid import SECTOR
from models.hp3000.machine import Choices, Hp3000
from models.hp3000.parameters import Parameters
from sim.account import Account
from sim.clock import Wait
from sim.file import OpenFile
from sim.parameter import changed
from sim.plots.curves import curve, faint_line
from sim.request import Hint
from sim.study.system import Effort, Experiment
from sim.units import KIB

BLOCK = KIB
EXTENTS, EXTENT = 8, 240 * KIB
"""A file of 1.9 MB; fetches of 4, 16, 48 and 96 sectors end where an extent does."""

SECTORS = (0, 4, 16, 48, 96)
"""Of a sequential fetch; 0 stands for no caching."""


def arithmetic(sectors: int) -> float:
    """The share of blocks that a fetch before them brought in: 23/24 of 1 KB blocks for 24 KB."""
    return 1.0 - BLOCK / (sectors * SECTOR)


def job(sectors: int, extent: int = EXTENT, **ignored: object) -> dict[str, float]:
    """One job by itself on a Series 64; nothing in it is drawn, so that all seeds are alike."""
    env = simpy.Environment()
    size = {"fetch_sequential": sectors * SECTOR} if sectors else {}
    machine = Hp3000(env, changed(Parameters(), **size), Choices(), caching=sectors > 0)
    file = OpenFile(machine.volumes.build("BATCH", EXTENTS * extent, EXTENTS), Hint.SEQUENTIAL)
    env.run(until=env.process(_read(machine, file)))
    said = {"elapsed": env.now, "cpu_busy": machine.cpu.reading()["busy"] / env.now, "hit_ratio": float("nan")}
    if machine.caching is not None:
        caches = [cache.reading() for cache in machine.caching.caches]
        said["hit_ratio"] = sum(each["hits"] for each in caches) / (file.file.size // BLOCK)
    return said


def _read(machine: Hp3000, file: OpenFile) -> Wait:
    account = Account("job")
    for first in range(0, file.file.size, BLOCK):
        yield from machine.machine.read(file, first, BLOCK, account)


@cache
def batch_vs_fetch(effort: Effort) -> pd.DataFrame:
    """``gain`` is by how many percent the job is shorter than uncached, ``limit`` the hits of arithmetic."""
    frame = replace(effort, replications=1).sweep(job, sectors=list(SECTORS))
    plain = frame.loc[frame["sectors"] == 0].iloc[0]
    cached = frame[frame["sectors"] > 0]
    return cached[["sectors", "elapsed", "cpu_busy", "hit_ratio"]].assign(
        plain_elapsed=plain["elapsed"], plain_cpu_busy=plain["cpu_busy"],
        gain=100.0 * (1.0 - cached["elapsed"] / plain["elapsed"]), limit=cached["sectors"].map(arithmetic),
    )  # fmt: skip


def draw_batch_vs_fetch(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "sectors", "elapsed", x_label="sequential fetch, sectors of 256 bytes", y_label="elapsed, s",
        title="A sequential job, cached",
    )  # fmt: skip
    faint_line(frame, "sectors", "plain_elapsed", "no caching", ax)
    for row in frame.to_dict("records"):
        place = (row["sectors"], row["elapsed"])
        ax.annotate(f"{row['hit_ratio']:.1%}", place, (6, 6), textcoords="offset points", fontsize=8.5)
    ax.set_ylim(0, 1.1 * max(frame["elapsed"].max(), frame["plain_elapsed"].max()))
    return ax


def remark_batch_vs_fetch(frame: pd.DataFrame) -> str:
    said = [
        f"{round(row['gain'])} % at {row['sectors']:.0f} sectors, of whose reads {row['hit_ratio']:.1%} hit "
        f"({row['limit']:.1%} by arithmetic)" for row in frame.to_dict("records")
    ]  # fmt: skip
    first = frame.iloc[0]
    return f"Against {first['plain_elapsed']:.0f} s without caching the job gains {', '.join(said)}."


EXPERIMENTS = (
    Experiment(
        "batch_vs_fetch",
        "A job that reads a file sequentially: elapsed time with and without caching, against the fetch size.",
        batch_vs_fetch, draw_batch_vs_fetch, remark_batch_vs_fetch,
    ),
)  # fmt: skip
