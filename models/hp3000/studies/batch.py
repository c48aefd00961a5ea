"""Studies of batch jobs that read files in order: their elapsed time by fetch size, and how they slow down clerks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.hp3000.caching.control import FLUSH_RULES
from spindle.models.hp3000.load import default_load
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import extras
from spindle.models.hp3000.studies.trials import RESPONSE_LABEL, SECTOR
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import OpenFile
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.sim.request import Hint
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.curves import curve, faint_line
from spindle.studies.plots.style import INK
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow

JOB_RECORD_BYTES = KIB
"""Bytes that a job reads at a time."""
EXTENTS, EXTENT_BYTES = 8, 240 * KIB
"""Extents of a job's file, of 1.9 MB in all; fetches of 4, 16, 48 and 96 sectors end where an extent does."""


def job(sectors: int, seed: object, extent: int = EXTENT_BYTES, **parameters: Any) -> dict[str, float]:
    """Read a file in order by fetches of *sectors* sectors, uncached with 0; nothing is drawn at random."""
    env = simpy.Environment()
    size = {"fetch_sequential": sectors * SECTOR} if sectors else {}
    machine = Hp3000(env, change(MpeParameters(), **{**parameters, **size}), MpeOptions(), caching=sectors > 0)
    file = OpenFile(machine.volumes.build("BATCH", EXTENTS * extent, EXTENTS), Hint.SEQUENTIAL)
    env.run(until=env.process(_read(machine, file)))
    hit_ratio = float("nan")
    if machine.caching is not None:
        caches = [cache.reading() for cache in machine.caching.caches]
        hit_ratio = sum(each["hits"] for each in caches) / (file.file.size // JOB_RECORD_BYTES)
    return {"elapsed": env.now, "cpu_busy": machine.cpu.reading()["busy"] / env.now, "hit_ratio": hit_ratio}


def _read(machine: Hp3000, file: OpenFile) -> Wait:
    account = Account("job")
    for first in range(0, file.file.size, JOB_RECORD_BYTES):
        yield from machine.machine.read(file, first, JOB_RECORD_BYTES, account)


SHORT_MEMORY = 4 * MIB
"""Bytes of main memory in which 63 clerks have just what they need."""


def beside_jobs(
    jobs: int, flush: str, seed: object, minutes: float, warm_up: float, clerks: int = 63, **parameters: Any
) -> dict[str, float]:
    """Run *clerks* beside *jobs* that read a file each in order, over and over; ``job_rate`` is in KB a second."""
    values = change(MpeParameters(), **{"memory": SHORT_MEMORY, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(flush=FLUSH_RULES[flush]), caching=True)
    done: list[int] = []
    window = Window.minutes(minutes, warm_up)
    for number in range(jobs):
        file = OpenFile(machine.volumes.build(f"BATCH{number}", EXTENTS * EXTENT_BYTES, EXTENTS), Hint.SEQUENTIAL)
        machine.machine.spawn(f"job {number}", _read_on(machine, file, window, done))
    result = engine.run(machine.machine, machine.load(default_load(clerks, clerks, values)), window, seed)
    measured = extras(machine, result.counters, result.seconds)
    return {**result.response(), **measured, "job_rate": sum(done) / result.seconds}


def _read_on(machine: Hp3000, file: OpenFile, window: Window, done: list[int]) -> Wait:
    """Read *file* over and over; append the KB of each read within the *window* to *done*."""
    account = Account("job")
    while True:
        for first in range(0, file.file.size, JOB_RECORD_BYTES):
            yield from machine.machine.read(file, first, JOB_RECORD_BYTES, account)
            if machine.machine.env.now > window.start:
                done.append(JOB_RECORD_BYTES // KIB)


FETCH_SECTORS = [0, 4, 16, 48, 96]
"""Sectors of a sequential fetch; 0 is without caching."""
JOB_RUNS = Runs(job, UNTIMED, sectors=FETCH_SECTORS)


def arithmetic(sectors: int) -> float:
    """Compute the share of blocks that a fetch for an earlier block brought: 23/24 of 1 KB blocks with 24 KB."""
    return 1.0 - JOB_RECORD_BYTES / (sectors * SECTOR)


def batch_vs_fetch(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the job by fetch: ``gain``, in percent of the uncached time, and ``limit``, the hits by arithmetic."""
    plain = frame.loc[frame["sectors"] == 0].iloc[0]
    cached = frame[frame["sectors"] > 0]
    return cached[["sectors", "elapsed", "cpu_busy", "hit_ratio"]].assign(
        plain_elapsed=plain["elapsed"], plain_cpu_busy=plain["cpu_busy"],
        gain=100.0 * (1.0 - cached["elapsed"] / plain["elapsed"]), limit=cached["sectors"].map(arithmetic),
    )  # fmt: skip


def impressive(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether a job's hits grow with the fetch, and the largest makes it shorter by half at least."""
    plain, *cached = (rows.one(sectors=sectors) for sectors in FETCH_SECTORS)
    hits = [row["hit_ratio"] for row in cached]
    gain = 1.0 - cached[-1]["elapsed"] / plain["elapsed"]
    return {"impressive": float(hits == sorted(hits) and hits[0] < hits[-1] and gain >= 0.5)}


def draw_batch_vs_fetch(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "sectors", "elapsed", x_label="sequential fetch, sectors of 256 bytes", y_label="elapsed, s",
        title="The larger the fetch, the sooner a sequential job is done",
    )  # fmt: skip
    faint_line(frame, "sectors", "plain_elapsed", "no caching", ax)
    for row in frame.to_dict("records"):
        place = (row["sectors"], row["elapsed"])
        ax.annotate(f"{100.0 * row['hit_ratio']:.0f} % hits", place, (6, 6), textcoords="offset points", color=INK)
    ax.set_ylim(0, 1.1 * max(frame["elapsed"].max(), frame["plain_elapsed"].max()))
    return ax


def caption_batch_vs_fetch(frame: pd.DataFrame) -> str:
    gained = [
        f"{round(row['gain'])} % at {row['sectors']:.0f} sectors ({row['hit_ratio']:.1%} of reads hit, "
        f"{row['limit']:.1%} by arithmetic)" for row in frame.to_dict("records")
    ]  # fmt: skip
    first = frame.iloc[0]
    return f"Against {first['plain_elapsed']:.0f} s without caching the job gains {', '.join(gained)}."


JOB_COUNTS = (0, 1, 2)
"""Numbers of jobs beside the clerks."""
BESIDE_WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 2.0}, {"minutes": 0.5, "warm_up": 0.5})
WAY_NAMES = {
    ("read-through", 24): "24 KB, flushed", ("never", 24): "24 KB, kept", ("read-through", 4): "4 KB, flushed",
}  # fmt: skip
"""Names in the picture, by flush rule and KB of a sequential fetch."""


def batch_beside_clerks(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate a row for each number of jobs and each way to fetch for them."""
    how = [WAY_NAMES[flush, size // KIB] for flush, size in zip(frame["flush"], frame["fetch_sequential"], strict=True)]
    return summarise(frame.assign(how=how), ["how", "jobs"], ["response_mean", "job_rate", "hit_ratio", "domain_bytes"])


draw_batch_beside_clerks = partial(curve, x="jobs", y="response_mean", by="how", x_label="batch jobs",
                                   y_label=RESPONSE_LABEL,
                                   title="What a job has read through is in the way of clerks", floor=0.0)


def caption_batch_beside_clerks(frame: pd.DataFrame) -> str:
    most = frame[frame["jobs"] == max(JOB_COUNTS)].set_index("how")
    said = [f"{how}: {row['response_mean']:.2f} s, {row['job_rate']:.0f} KB a second"
            for how, row in most.to_dict("index").items()]  # fmt: skip
    return f"63 clerks, 4 MiB, {max(JOB_COUNTS)} jobs: mean response, and what the jobs read. {'; '.join(said)}."


STUDIES = (
    Study(
        "batch_beside_clerks",
        [Runs(beside_jobs, BESIDE_WINDOW, jobs=list(JOB_COUNTS), flush=flush, fetch_sequential=size * KIB)
         for flush, size in WAY_NAMES],
        Figure(batch_beside_clerks, draw_batch_beside_clerks, caption_batch_beside_clerks), replications=3,
    ),
    Study(
        "batch_vs_fetch",
        [JOB_RUNS], Figure(batch_vs_fetch, draw_batch_vs_fetch, caption_batch_vs_fetch), impressive, replications=1,
    ),
)  # fmt: skip
