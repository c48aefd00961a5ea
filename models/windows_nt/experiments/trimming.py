"""What nobody published: how much the memory manager trims, and how often it looks."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.chart import crossing, quarter, teeth
from models.windows_nt.experiments.growth import TOOTH
from models.windows_nt.experiments.observe import AVAILABLE, CACHE, CPU, DISC, watched
from models.windows_nt.experiments.workloads import workload
from sim.plots.heat_map import heat_map
from sim.study.system import Effort, Experiment

SHARES = (0.0625, 0.125, 0.25, 0.5)
PERIODS = (0.5, 1.0, 2.0, 4.0)
SECONDS = 60.0


def at(share: float, period: float, seed: object = 1) -> dict[str, Any]:
    """Figure 6.3 where a pass takes so much of what a working set has above its minimum, so often."""
    seen = watched(workload("large_read"), seed, SECONDS, 1.0, trim_share=share, trim_period=period)
    available = seen.mb(AVAILABLE)
    return {
        "trim_share": share, "trim_period": period, "final_available_mb": quarter(available, 3),
        "teeth": teeth(available, TOOTH), "crossing_mb": crossing(seen.line(DISC), seen.line(CPU), seen.mb(CACHE)),
        "response_ms": seen.result.extras["response_ms"],
    }  # fmt: skip


def trim_amount_and_period(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame([at(share, period) for share in SHARES for period in PERIODS])


def draw_trim_amount_and_period(frame: pd.DataFrame) -> Axes:
    return heat_map(
        frame, "trim_period", "trim_share", "final_available_mb", x_label="seconds between looks",
        y_label="share taken in a pass", title="Available Bytes at the end, MB",
    )  # fmt: skip


def remark_trim_amount_and_period(frame: pd.DataFrame) -> str:
    low, high = frame["crossing_mb"].min(), frame["crossing_mb"].max()
    return (
        f"{frame['teeth'].min():.0f} to {frame['teeth'].max():.0f} teeth; the lines cross at {low:.2f} to "
        f"{high:.2f} MB, and a read takes {frame['response_ms'].min():.2f} to {frame['response_ms'].max():.2f} ms: "
        "what is trimmed in use comes back without the disc, so that only Available Bytes depends on it."
    )


EXPERIMENTS = (
    Experiment(
        "trim_amount_and_period", "Figure 6.3 by two numbers that nobody published: what a pass takes, and how often.",
        trim_amount_and_period, draw_trim_amount_and_period, remark_trim_amount_and_period, slow=True,
    ),
)  # fmt: skip
