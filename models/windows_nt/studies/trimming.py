"""Studies trimming of working sets: fixed caches instead, two rules judged by figure 6.14, its amount and period."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import fsum
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.log import Log, NtLine, crossing, quarter, teeth, working_set
from spindle.models.windows_nt.studies.growth import TOOTH_MB, logs_of
from spindle.models.windows_nt.studies.trials import FIGURE, NO_OVERRIDE, Row, run_logged
from spindle.models.windows_nt.trimming import ByReference
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.curves import curve
from spindle.studies.plots.heat_map import heat_map
from spindle.studies.plots.legends import label_ends
from spindle.studies.plots.style import BLUE, PALETTE, VERMILION, styled
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study

FIXED_MB = range(1, 6)
WORKS = {"large_read": "reads over 4 MB", "random_update": "updates over 3 MB"}


def run_ends(work: str, seed: object, share: float, **parameters: Any) -> Row:
    """Return the response of a trial, memory in its last quarter, and shapes of the lines of its log."""
    return ends(run_logged(work, seed, share, **parameters))


def ends(row: Row) -> dict[str, float]:
    """Return the measures of ``run_ends`` from the *row* of a logged trial."""
    log = Log(row)
    available = log.mb(NtLine.AVAILABLE)
    return {"response_ms": row["response_ms"], "cache_mb": quarter(log.mb(NtLine.CACHE), 3),
            "available_mb": quarter(available, 3), "teeth": teeth(available, TOOTH_MB),
            "crossing_mb": crossing(log.line(NtLine.DISC), log.line(NtLine.CPU), log.mb(NtLine.CACHE))}  # fmt: skip


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    return summarise(rows, ["work", "fixed_mb"], ["response_ms", "cache_mb", "available_mb"])


def draw_by_size(table: pd.DataFrame) -> Axes:
    fixed, built = table[table["fixed_mb"] != NO_OVERRIDE], table[table["fixed_mb"] == NO_OVERRIDE]
    ax = curve(
        fixed, "fixed_mb", "response_ms", "work", names=WORKS, x_label="fixed cache, MB", y_label="response, ms",
        title="A working set ends near the best fixed size",
    )  # fmt: skip
    with styled():
        for row, colour in zip(built.to_dict("records"), PALETTE, strict=False):
            ax.plot([row["cache_mb"]], [row["response_ms"]], "*", color=colour, markersize=13, zorder=4)
    return ax


def caption_by_size(table: pd.DataFrame) -> str:
    sentences = []
    for name, rows in table.groupby("work", sort=False):
        built = rows[rows["fixed_mb"] == NO_OVERRIDE].iloc[0]
        sentences.append(
            f"{WORKS[str(name)]}: {built['response_ms']:.2f} ms with {built['cache_mb']:.1f} MB, the best fixed size "
            f"{rows[rows['fixed_mb'] != NO_OVERRIDE]['response_ms'].min():.2f} ms"
        )
    return f"Stars are the cache as built, where it ends by itself. {'; '.join(sentences)}."


TRIM_RULES = {"share": ("a share, oldest first", BLUE), "reference": ("what was not used of late", VERMILION)}
MONITOR_LINE = working_set("Performance Monitor")
TRIM_SHARES = [0.0625, 0.125, 0.25, 0.5]
TRIM_PERIODS = [0.5, 1.0, 2.0, 4.0]


def sum_growth(line: Sequence[float]) -> float:
    """Sum the growth of a working set, in the unit of *line*: pages that were trimmed though in use."""
    return fsum(max(0.0, after - before) for before, after in pairwise(line))


def measure_rules(rows: SeedRows) -> Mapping[str, float]:
    """Measure Performance Monitor's working set in figure 6.14 under each rule; the cache plays no part in it.

    ``reduced`` by either rule if it ends below nine tenths of what it was; a ``blip`` if up to a fifth came back.
    """
    measured = {}
    for row in rows:
        line = Log(row).line(MONITOR_LINE)
        measured[f"reduced_by_{row['rule']}"] = float(line[-1] < 0.9 * line[0])
        measured[f"blip_by_{row['rule']}"] = float(0 < sum_growth(line) <= 0.2 * line[0])
    return measured


def by_second(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the monitor's working set in the first run by each rule, MB, and the faults a second of that run."""
    tables = []
    for name, of_rule in rows.groupby("rule", sort=False):
        log = logs_of(of_rule.head(1))[0]
        faults = {"cache_faults": log.mean(NtLine.CACHE_FAULTS), "page_faults": log.mean(NtLine.FAULTS)}
        tables.append(pd.DataFrame({"seconds": log.line("seconds"), "monitor_mb": log.mb(MONITOR_LINE)}).assign(
            rule=name, **faults))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def draw_rules(table: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for name, rows in table.groupby("rule", sort=False):
            called, colour = TRIM_RULES[str(name)]
            ax.plot(rows["seconds"].to_numpy(float), rows["monitor_mb"].to_numpy(float), color=colour, label=called)
        ax.set(xlabel="seconds of the trial", ylabel="working set, MB", title="Trimmed a bit too far, or just right")
        ax.set_ylim(bottom=0)
        label_ends(ax)
    return ax


def caption_rules(table: pd.DataFrame) -> str:
    first = table.drop_duplicates("rule").set_index("rule").to_dict("index")
    share, reference = (first[name] for name in TRIM_RULES)
    return (
        "In the book it is trimmed a bit too far, and a few pages come back: so it is by share, and not by reference. "
        f"Cache faults are {share['cache_faults']:.0f} a second by share and {reference['cache_faults']:.0f} by "
        "reference (the book: 38.8)."
    )


def by_trim(rows: pd.DataFrame) -> pd.DataFrame:
    values = ["final_available_mb", "teeth", "crossing_mb", "response_ms"]
    return summarise(rows.rename(columns={"available_mb": values[0]}), ["trim_share", "trim_period"], values)


draw_by_trim = partial(heat_map, x="trim_period", y="trim_share", value="final_available_mb",
                       x_label="seconds between looks", y_label="share taken in a pass",
                       title="Available Bytes at the end, MB")


def caption_by_trim(table: pd.DataFrame) -> str:
    low, high = table["crossing_mb"].min(), table["crossing_mb"].max()
    return (
        f"{table['teeth'].min():.0f} to {table['teeth'].max():.0f} teeth; the lines cross at {low:.2f} to "
        f"{high:.2f} MB, and a read takes {table['response_ms'].min():.2f} to {table['response_ms'].max():.2f} ms: "
        "pages that are trimmed in use come back without the disc, so that only Available Bytes depends on trimming."
    )


STUDIES = (
    Study(
        "fixed_cache", [Runs(run_ends, FIGURE, work=list(WORKS), fixed_mb=[NO_OVERRIDE, *FIXED_MB])],
        Figure(by_size, draw_by_size, caption_by_size), replications=3,
    ),
    Study(
        "trimming_rules",
        [Runs(run_logged, FIGURE, {"rule": "share"}, work="random_update"),
         Runs(run_logged, FIGURE, {"rule": "reference"}, work="random_update", trimming=ByReference)],
        Figure(by_second, draw_rules, caption_rules), measure_rules,
    ),
    Study(
        "trim_amount_and_period",
        [Runs(run_ends, FIGURE, work="large_read", trim_share=TRIM_SHARES, trim_period=TRIM_PERIODS)],
        Figure(by_trim, draw_by_trim, caption_by_trim), replications=2,
    ),
)  # fmt: skip
