"""What the book could not do: the same with a cache that has a fixed size and memory of its own."""

from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.chart import quarter
from models.windows_nt.experiments.observe import AVAILABLE, CACHE, watched
from models.windows_nt.experiments.workloads import workload
from sim.plots.curves import curve
from sim.plots.style import COLOURS, STYLE
from sim.study.system import Effort, Experiment
from sim.units import MIB

SIZES = (1, 2, 3, 4, 5)
"""MB."""
SECONDS = 60.0
NAMES = {"large_read": "reads over 4 MB", "random_update": "updates over 3 MB"}
AS_BUILT = 0
"""The size that stands for a cache that is a working set."""


def at(name: str, size: int, seed: object = 1, **parameters: object) -> dict[str, Any]:
    """One workload with a cache of so many MB: its response, and what was available at the end."""
    fixed = {} if size == AS_BUILT else {"cache": size * MIB}
    seen = watched(workload(name), seed, SECONDS, 1.0, **fixed, **parameters)
    return {
        "workload": name, "fixed_mb": size, "response_ms": seen.result.extras["response_ms"],
        "cache_mb": quarter(seen.mb(CACHE), 3), "available_mb": quarter(seen.mb(AVAILABLE), 3),
    }  # fmt: skip


def fixed_cache(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame([at(name, size) for name in NAMES for size in (AS_BUILT, *SIZES)])


def draw_fixed_cache(frame: pd.DataFrame) -> Axes:
    fixed, built = frame[frame["fixed_mb"] != AS_BUILT], frame[frame["fixed_mb"] == AS_BUILT]
    ax = curve(
        fixed, "fixed_mb", "response_ms", "workload", names=NAMES, x_label="fixed cache, MB", y_label="response, ms",
        title="What a working set finds by itself",
    )  # fmt: skip
    with matplotlib.rc_context(STYLE):
        for row, colour in zip(built.to_dict("records"), COLOURS, strict=False):
            ax.plot([row["cache_mb"]], [row["response_ms"]], "*", color=colour, markersize=13, zorder=4)
    return ax


def remark_fixed_cache(frame: pd.DataFrame) -> str:
    said = []
    for name, rows in frame.groupby("workload", sort=False):
        built = rows[rows["fixed_mb"] == AS_BUILT].iloc[0]
        said.append(
            f"{NAMES[str(name)]}: {built['response_ms']:.2f} ms with {built['cache_mb']:.1f} MB, the best fixed size "
            f"{rows[rows['fixed_mb'] != AS_BUILT]['response_ms'].min():.2f} ms"
        )
    return f"Stars are the cache as built, where it ends by itself. {'; '.join(said)}."


EXPERIMENTS = (
    Experiment(
        "fixed_cache", "A cache of fixed size beside the one that is a working set: response by size.",
        fixed_cache, draw_fixed_cache, remark_fixed_cache,
    ),
)  # fmt: skip
