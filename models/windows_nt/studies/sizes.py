"""What the book could not do: a cache of fixed size with memory of its own; and other amounts and periods of trims."""

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.chart import crossing, quarter, teeth
from models.windows_nt.log import AVAILABLE, CACHE, CPU, DISC, Log
from models.windows_nt.runs import AS_BUILT, logged
from models.windows_nt.studies.growth import TOOTH
from models.windows_nt.studies.windows import RECORD
from sim.plots.curves import curve
from sim.plots.heat_map import heat_map
from sim.plots.style import COLOURS, STYLE
from sim.statistics.summarise import summarise
from sim.study.study import Figure, Runs, Study

SIZES = range(1, 6)
"""MB."""
NAMES = {"large_read": "reads over 4 MB", "random_update": "updates over 3 MB"}
SHARES = [0.0625, 0.125, 0.25, 0.5]
PERIODS = [0.5, 1.0, 2.0, 4.0]


def logs_of(rows: pd.DataFrame) -> list[Log]:
    return [Log({str(name): value for name, value in row.items()}) for row in rows.to_dict("records")]


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    logs = logs_of(rows)
    each = rows[["work", "fixed_mb", "response_ms"]].assign(
        cache_mb=[quarter(log.mb(CACHE), 3) for log in logs],
        available_mb=[quarter(log.mb(AVAILABLE), 3) for log in logs],
    )  # fmt: skip
    return summarise(each, ["work", "fixed_mb"], ["response_ms", "cache_mb", "available_mb"])


def draw_by_size(table: pd.DataFrame) -> Axes:
    fixed, built = table[table["fixed_mb"] != AS_BUILT], table[table["fixed_mb"] == AS_BUILT]
    ax = curve(
        fixed, "fixed_mb", "response_ms", "work", names=NAMES, x_label="fixed cache, MB", y_label="response, ms",
        title="What a working set finds by itself",
    )  # fmt: skip
    with matplotlib.rc_context(STYLE):
        for row, colour in zip(built.to_dict("records"), COLOURS, strict=False):
            ax.plot([row["cache_mb"]], [row["response_ms"]], "*", color=colour, markersize=13, zorder=4)
    return ax


def caption_by_size(table: pd.DataFrame) -> str:
    sentences = []
    for name, rows in table.groupby("work", sort=False):
        built = rows[rows["fixed_mb"] == AS_BUILT].iloc[0]
        sentences.append(
            f"{NAMES[str(name)]}: {built['response_ms']:.2f} ms with {built['cache_mb']:.1f} MB, the best fixed size "
            f"{rows[rows['fixed_mb'] != AS_BUILT]['response_ms'].min():.2f} ms"
        )
    return f"Stars are the cache as built, where it ends by itself. {'; '.join(sentences)}."


def by_trim(rows: pd.DataFrame) -> pd.DataFrame:
    logs = logs_of(rows)
    each = rows[["trim_share", "trim_period", "response_ms"]].assign(
        final_available_mb=[quarter(log.mb(AVAILABLE), 3) for log in logs],
        teeth=[teeth(log.mb(AVAILABLE), TOOTH) for log in logs],
        crossing_mb=[crossing(log.line(DISC), log.line(CPU), log.mb(CACHE)) for log in logs],
    )  # fmt: skip
    values = ["final_available_mb", "teeth", "crossing_mb", "response_ms"]
    return summarise(each, ["trim_share", "trim_period"], values)


def draw_by_trim(table: pd.DataFrame) -> Axes:
    return heat_map(
        table, "trim_period", "trim_share", "final_available_mb", x_label="seconds between looks",
        y_label="share taken in a pass", title="Available Bytes at the end, MB",
    )  # fmt: skip


def caption_by_trim(table: pd.DataFrame) -> str:
    low, high = table["crossing_mb"].min(), table["crossing_mb"].max()
    return (
        f"{table['teeth'].min():.0f} to {table['teeth'].max():.0f} teeth; the lines cross at {low:.2f} to "
        f"{high:.2f} MB, and a read takes {table['response_ms'].min():.2f} to {table['response_ms'].max():.2f} ms: "
        "what is trimmed in use comes back without the disc, so that only Available Bytes depends on it."
    )


STUDIES = (
    Study(
        "fixed_cache", "A cache of fixed size beside the one that is a working set: response by size.",
        [Runs(logged, RECORD, work=list(NAMES), fixed_mb=[AS_BUILT, *SIZES])],
        Figure(by_size, draw_by_size, caption_by_size), replications=3,
    ),
    Study(
        "trim_amount_and_period", "Figure 6.3 by two numbers that nobody published: what a pass takes, and how often.",
        [Runs(logged, RECORD, work="large_read", trim_share=SHARES, trim_period=PERIODS)],
        Figure(by_trim, draw_by_trim, caption_by_trim), replications=2,
    ),
)  # fmt: skip
