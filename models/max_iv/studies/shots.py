"""Studies the shot sequence of the site NBS at several hit rates: once the CPU is saturated, more hits gain nothing."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.eligibility import FpiFilter
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.shot import shots
from spindle.models.max_iv.studies.trials import with_paper
from spindle.sim.units import MS
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow

NBS = MaxIvParameters().shot_tables
"""Share of requests that read tables at NBS."""
TABLE_SHARES = (0.0, 0.15, 0.3, 0.45, 0.75, 0.88)
"""Shares of requests that read tables, for other hit rates than that of NBS."""
FPI_LIMIT = 64
"""Sectors at the beginning of a file that the filter by position (FPI) admits; the paper names no number."""
SHOTS = StudyWindow({"count": 8}, {"count": 2})
"""Shots in a study, and in a quick one; in each, tasks of NBS compute and read tables until it is done (shot.py)."""
AT_NBS, TABLES, FILTERED, COVERED = "NBS", "other shares of tables", "NBS with the FPI filter", "computing covers seeks"
LONG_SHOT_REQUESTS = 4 * MaxIvParameters().shot_requests
"""Requests of a shot so long that its end, where few tasks are left to overlap, does not matter."""
OVERLAPPED_COMPUTING = 30.0 * MS
"""Jacobson 1: "if there was always a task that needed to do 30ms of computing during someone else's seek"."""


def shot_vs_hits(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame[frame["load"] != COVERED].assign(tables=frame["shot_tables"].fillna(NBS))
    table = summarise(frame, ["load", "tables", "sectors"], ["seconds", "cpu_busy", "disc_busy", "hit_ratio"])
    return table.sort_values(["tables", "sectors"], kind="stable", ignore_index=True)


@with_paper(lambda paper: [(paper["J44d"], paper["J44"]), (paper["J44d"], paper["J44b"])])
def draw_shot_vs_hits(table: pd.DataFrame) -> Axes:
    shown = table[table["load"] != FILTERED]
    hits = shown[shown["sectors"] == SECTORS].set_index("tables")["hit_ratio"]
    shown = shown.assign(hits=shown["tables"].map(hits))
    return curve(
        shown, "hits", "seconds", "sectors", names={0: "no cache", SECTORS: "512 sectors"},
        x_label="hits that 512 sectors would make, of all requests", y_label="a shot, s",
        title="Once the CPU is saturated, more hits gain nothing",
    )


def caption_shot_vs_hits(table: pd.DataFrame) -> str:
    at = table.set_index(["load", "tables", "sectors"]).to_dict("index")
    plain, cached, filtered = at[AT_NBS, NBS, 0], at[AT_NBS, NBS, SECTORS], at[FILTERED, NBS, SECTORS]
    return (
        f"NBS: {plain['seconds']:.1f} s without cache, {cached['seconds']:.1f} s with {cached['hit_ratio']:.0%} hits; "
        f"then the CPU is busy {cached['cpu_busy']:.0%} of the time. With the FPI filter, which lets in the first "
        f"{FPI_LIMIT} sectors of a file, {filtered['hit_ratio']:.0%} hit, and a shot takes {filtered['seconds']:.1f} "
        "s: to Max-IV the partition is one file, and every table lies far behind its beginning."
    )


def nbs(rows: SeedRows) -> Mapping[str, float]:
    """Measure the shots of NBS without a cache and with it; and of tasks that always compute during another's seek."""
    plain, cached = (rows.one(load=AT_NBS, sectors=sectors) for sectors in (0, SECTORS))
    covered = [rows.one(load=COVERED, sectors=sectors)["seconds"] for sectors in (0, SECTORS)]
    return {
        "plain_s": plain["seconds"], "cached_s": cached["seconds"],
        "plain_cpu": plain["cpu_busy"], "cached_cpu": cached["cpu_busy"], "hit_ratio": cached["hit_ratio"],
        "shorter": 1.0 - cached["seconds"] / plain["seconds"], "covered_gain": 1.0 - covered[1] / covered[0],
    }


STUDIES = (
    Study(
        "shot_vs_hits",
        [Runs(shots, SHOTS, {"load": AT_NBS}, sectors=[0, SECTORS]),
         Runs(shots, SHOTS, {"load": TABLES}, shot_tables=list(TABLE_SHARES), sectors=[0, SECTORS]),
         Runs(shots, SHOTS, {"load": FILTERED}, sectors=SECTORS, choices=MaxIvOptions(rules=FpiFilter(FPI_LIMIT))),
         Runs(shots, SHOTS, {"load": COVERED}, sectors=[0, SECTORS], shot_requests=LONG_SHOT_REQUESTS,
              shot_cpu=OVERLAPPED_COMPUTING * LONG_SHOT_REQUESTS, shot_tasks=16)],
        Figure(shot_vs_hits, draw_shot_vs_hits, caption_shot_vs_hits), nbs,
    ),
)  # fmt: skip
