"""A cache of fixed size with separate memory, which the book could not try."""

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.log import AVAILABLE, CACHE
from spindle.models.windows_nt.studies.common import FIGURE, quarter
from spindle.models.windows_nt.studies.growth import logs_of
from spindle.models.windows_nt.studies.trials import AS_BUILT, run_logged
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import COLOURS, styled
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study

SIZES = range(1, 6)
"""MB."""
NAMES = {"large_read": "reads over 4 MB", "random_update": "updates over 3 MB"}


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
        title="A working set ends near the best fixed size",
    )  # fmt: skip
    with styled():
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


STUDIES = (
    Study(
        "fixed_cache", "A cache of fixed size beside the one that is a working set: response by size.",
        [Runs(run_logged, FIGURE, work=list(NAMES), fixed_mb=[AS_BUILT, *SIZES])],
        Figure(by_size, draw_by_size, caption_by_size), replications=3,
    ),
)  # fmt: skip
