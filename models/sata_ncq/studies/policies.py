"""Compares LRU, LFU and Kim's ATCA and FAC by the size of the cache (his figure 4), also where FAC loses.

Loads are synthetic, in phases, or real traces.
"""

import os
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from spindle.models.sata_ncq.machine import TAGS
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import run
from spindle.models.sata_ncq.studies.trials import COMPARED, gain, options_of, with_paper
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.units import Bytes
from spindle.studies.plots.axes import new_panels, row_axes
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, GREEN, INK, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow
from spindle.traces.blocks import references
from spindle.workloads.pc import LOADS
from spindle.workloads.pc import places as load_places
from spindle.workloads.traces.reader import Trace

FOLDER_VARIABLE = "SPINDLE_SHARED"
"""The environment variable that names the folder above ``data/traces``; default ``../shared``."""


def share_run(
    policy: str, share: float, load: str = "pcfat32", requests: int = 8000, depth: int = TAGS, seed: object = 1,
    **parameters: Any,
) -> Result:
    """Run a contender with a cache of this *share* of the blocks that *load* uses at all."""
    chosen = change(NcqParameters(), **parameters)
    used = sum(place.length for place in load_places(chosen.load(load), requests))
    return run(load=load, requests=requests, cache=_cache(share, used, chosen), depth=depth, seed=seed,
               choices=options_of(policy), keep_rows=False, **parameters)


def file_run(
    policy: str, share: float, trace: str, requests: int, seed: object = 1, **parameters: Any
) -> Mapping[str, float]:
    """Run a contender on the first *requests* of the file named *trace*; return nothing where the file is absent."""
    path = trace_file(trace)
    if not path.is_file():
        return {}
    chosen = change(NcqParameters(), **parameters)
    cache = _cache(share, blocks_used(path, requests, chosen.block), chosen)
    choices = options_of(policy)
    return run(path, requests=requests, cache=cache, choices=choices, keep_rows=False, **parameters).summary()


def trace_file(name: str) -> Path:
    return Path(os.environ.get(FOLDER_VARIABLE) or "../shared") / "data" / "traces" / f"{name}.csv.gz"


@lru_cache
def blocks_used(trace: Path, requests: int, block: int) -> int:
    """Count the different blocks that the first *requests* of a file use."""
    records = (record for _, record in zip(range(requests), Trace(trace), strict=False))
    pieces = [np.unique(piece) for piece in references(records, block)]
    return len(np.unique(np.concatenate(pieces)))


def _cache(share: float, used: int, parameters: NcqParameters) -> Bytes:
    return Bytes(max(1, round(share * used)) * parameters.block)


CACHE_AXIS = "cache, of the blocks that are used at all"


def by_share(
    table: pd.DataFrame, y: str, by: str, y_label: str, axes: Axes, title: str = "", x_label: str = CACHE_AXIS
) -> Axes:
    """Draw *y* against the share of the cache, a line for each value of *by*, into *axes*."""
    axes.set_xscale("log")
    curve(table, "share", y, by, x_label=x_label, y_label=y_label, title=title, ax=axes)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    axes.set_xticks(sorted(table["share"].unique()))
    axes.minorticks_off()
    return axes


POLICY_WINDOW = StudyWindow({"requests": 24_000}, {"requests": 400})
CACHE_SHARES = (0.03, 0.06, 0.12, 0.24)
"""Sizes of the cache, as shares of the blocks that are used at all."""
JUDGED_SHARES = (0.03, 0.06, 0.12)
"""Shares that claims are judged by: a drive's buffer is small against the data on the drive."""
MIDDLE_SHARE = 0.06
"""Share at which studies with one size run."""
POLICY_COLUMNS = ["total_service", "makespan", "hit_ratio", "service_mean", "response_mean", "disc_accesses"]
LOAD_TITLES = {"pcfat32": "PCFAT32, synthetic", "smalldiskmon": "SMALLDISKMON, synthetic"}
SAVING_TITLE = "FAC beats LRU by less than published, and LFU hardly"
OTHER_POLICIES = ("LRU", "ATCA", "LFU")
PHASES = (1, 4, 16)
"""Phases of the load where FAC loses."""


def measure_totals(rows: SeedRows) -> Mapping[str, float]:
    """Measure FAC's saving of total service time over the others, on both loads, at three sizes; and if it is best."""
    numbers: dict[str, float] = {}
    for load in LOADS:
        times = {policy: [rows.one(load=load, policy=policy, share=share)["total_service"] for share in JUDGED_SHARES]
                 for policy in COMPARED}
        for other in OTHER_POLICIES:
            gains = [gain(fac, that) for fac, that in zip(times["FAC"], times[other], strict=True)]
            numbers |= {f"{load}_over_{other}": fmean(gains), f"{load}_most_over_{other}": max(gains),
                        f"{load}_least_over_{other}": min(gains)}
        numbers[f"{load}_best"] = float(all(numbers[f"{load}_least_over_{other}"] > 0.0 for other in OTHER_POLICIES))
    more = {f"more_random_{other}": float(numbers[f"smalldiskmon_over_{other}"] > numbers[f"pcfat32_over_{other}"])
            for other in ("LRU", "ATCA")}
    numbers["atca_beats_lru"] = float(all(
        rows.one(load=load, policy="ATCA", share=share)["total_service"]
        < rows.one(load=load, policy="LRU", share=share)["total_service"] for load in LOADS for share in JUDGED_SHARES
    ))  # fmt: skip
    return {**numbers, **more, "best": min(numbers[f"{load}_best"] for load in LOADS)}


totals = partial(summarise, by=["load", "policy", "share"], values=POLICY_COLUMNS)


def printed_savings(paper: Numbers) -> list[Point]:
    """Return the paper's mean savings over all sizes, drawn at the middle one."""
    claims = (("S4-20", "S4-21"), ("S4-18", "S4-19"))  # over LRU and ATCA, in the order of LOADS
    return [(MIDDLE_SHARE, 100.0 * paper[claim], panel) for panel, pair in enumerate(claims) for claim in pair]


@with_paper(printed_savings)
def draw_totals(table: pd.DataFrame) -> Axes:
    """Draw FAC's saving in time over each of the others, a panel for each load."""
    axes = new_panels(len(LOADS), 2.0)
    for place, (ax, load) in enumerate(zip(axes, LOADS, strict=True)):
        times = table[table["load"] == load].pivot(index="share", columns="policy", values="total_service")
        saved = pd.concat([
            (100.0 * gain(times["FAC"], times[other])).rename("saved").reset_index().assign(against=other)
            for other in OTHER_POLICIES
        ])  # fmt: skip
        title, x_label = (SAVING_TITLE, " ") if place == 0 else ("", CACHE_AXIS)
        by_share(saved, "saved", "against", f"FAC below, %\n{LOAD_TITLES[load].split(',')[0]}", ax, title, x_label)
        ax.axhline(0.0, color=INK, linewidth=0.8)
        ax.set_ylim(min(-5.0, 1.1 * saved["saved"].min()), None)
    return axes[0]


def caption_totals(table: pd.DataFrame) -> str:
    words = []
    for load, part in table.groupby("load", sort=False):
        times = part.pivot(index="share", columns="policy", values="total_service")
        gains = {other: 100.0 * gain(times["FAC"], times[other]) for other in OTHER_POLICIES}
        less = (f"{each.mean():.1f} % less than {other} ({each.min():.1f} to {each.max():.1f})"
                for other, each in gains.items())
        words.append(f"On {LOAD_TITLES[str(load)]}, the total service time under FAC is {', '.join(less)}")
    return f"{'. '.join(words)}. Negative is more."


losses = partial(summarise, by=["policy", "phases"], values=POLICY_COLUMNS)

draw_losses = partial(curve, x="phases", y="total_service", by="policy", x_label="phases, each with places of its own",
                      y_label="total service time, s", title="FAC loses when interest moves on", base=2)


def caption_losses(table: pd.DataFrame) -> str:
    times = table.pivot(index="phases", columns="policy", values="total_service")
    gains = 100.0 * gain(times["FAC"], times["LRU"])
    return (
        f"FAC takes {gains[1]:.1f} % less than LRU where places are used in any order, and {gains[PHASES[-1]]:.1f} % "
        f"less (negative: more) in {PHASES[-1]} phases. How often each place is used is the same in all of them. A "
        "worth never ages: what was much used in one phase stays through the next, and new entries push each other out."
    )


def drive_runs(marks: Mapping[str, object] | None = None, **grid: object) -> Runs:
    """Runs of contenders, with equal arguments in all studies, so that each is made once."""
    return Runs(share_run, POLICY_WINDOW, marks, **{"load": "pcfat32", "share": MIDDLE_SHARE, "depth": TAGS, **grid})


REAL_SHARES = (0.03, 0.24)
POLICY_COLOURS = {"ATCA": GREEN, "LFU": BLUE, "FAC": VERMILION}
TRACE_NAMES = {
    "arc_oltp": "OLTP", "arc_p3": "P3, a PC", "cloudphysics": "a virtual disc", "win_etw": "a PC that boots",
    "wsrch": "a search engine", "tpcc": "TPC-C",
}  # fmt: skip
"""Names of the traces, by their files."""
REAL_WINDOW = StudyWindow({"requests": 8_000}, {"requests": 120},
                          {"share": REAL_SHARES[-1:], "trace": list(TRACE_NAMES)[:3]})


def real_traces(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each trace at hand, real or synthetic, policy and size."""
    rows = frame.assign(trace=frame["trace"].fillna(frame["load"].map(LOAD_TITLES)))
    return rows[["trace", "policy", "share", "total_service", "hit_ratio", "disc_accesses"]].dropna(ignore_index=True)


def draw_real_traces(table: pd.DataFrame) -> Axes:
    """Draw each time as a share of LRU's with the same cache: a dot is the mean of the sizes, its line their range."""
    times = table.pivot(index=["trace", "share"], columns="policy", values="total_service")
    names = list(table["trace"].unique())
    with row_axes([TRACE_NAMES.get(name, name) for name in names], 1.5 + 0.34 * len(names),
                  x_label="service time, of LRU's with the same cache",
                  title="FAC saves made-up loads much, real ones little or less") as ax:
        for place, (policy, colour) in enumerate(POLICY_COLOURS.items()):
            shares = (times[policy] / times["LRU"]).groupby(level="trace").agg(["mean", "min", "max"]).loc[names]
            places = [number + 0.22 * (place - 1) for number in range(len(names))]
            ax.hlines(places, shares["min"], shares["max"], color=colour, linewidth=1.2)
            ax.plot(shares["mean"].to_numpy(float), places, "o", color=colour, label=policy)
        ax.axvline(1.0, color=INK, linewidth=0.8)
        legend_below(ax)
    return ax


def caption_real_traces(table: pd.DataFrame) -> str:
    words = []
    for name, part in table.groupby("trace", sort=False):
        times = part.pivot(index="share", columns="policy", values="total_service")
        saved, best = 100.0 * gain(times["FAC"], times["LRU"]).mean(), times.sum().idxmin()
        words.append(f"{TRACE_NAMES.get(str(name), name)} {saved:.1f} % ({best} is best)")
    absent = "" if table["trace"].nunique() > len(LOADS) else " Real traces were not at hand."
    return f"The beginning of each. FAC's saving over LRU, on average over the sizes: {'; '.join(words)}.{absent}"


STUDIES = (
    Study("total_service", [drive_runs(load=list(LOADS), policy=list(COMPARED), share=list(CACHE_SHARES))],
          Figure(totals, draw_totals, caption_totals), measure_totals),
    Study("where_fac_loses",
          [drive_runs({"phases": 1}, policy=list(COMPARED)),
           drive_runs(policy=list(COMPARED), phases=list(PHASES[1:]))],
          Figure(losses, draw_losses, caption_losses)),
    Study("real_traces",
          [drive_runs(load=list(LOADS), policy=list(COMPARED), share=list(REAL_SHARES)),
           Runs(file_run, REAL_WINDOW, trace=list(TRACE_NAMES), policy=list(COMPARED), share=list(REAL_SHARES))],
          Figure(real_traces, draw_real_traces, caption_real_traces), replications=1),
)  # fmt: skip
