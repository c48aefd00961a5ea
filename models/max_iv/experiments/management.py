"""How much of the cache is management space, as a day goes by."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.sampler import SAMPLING
from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment

SPELLS = 100
"""Times the minutes of an effort: usually most of a working day."""


def management_space(effort: Effort) -> pd.DataFrame:
    """The share of management space in the cache every five minutes, for three seeds."""
    rows = []
    for seed in effort.seeds[:3]:
        result = run(3, SECTORS, seed, SPELLS * effort.minutes, 0.0, keep_rows=False, interval=30 * SAMPLING)
        for interval in result.intervals:
            if interval["sampler.resident"]:
                share = interval["sampler.management"] / interval["sampler.resident"]
                rows.append({"seed": seed, "hours": interval["until"] / 3600.0, "share": 100.0 * share})
    return pd.DataFrame(rows)


def draw_management_space(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "hours", "share", "seed", names={seed: f"seed {seed}" for seed in frame["seed"].unique()},
        x_label="hours since the machine was started", y_label="management space in the cache, %",
        title="Less management space than one would think",
    )


def remark_management_space(frame: pd.DataFrame) -> str:
    last = frame.groupby("seed")["share"].last()
    return (
        f"At the end it is {last.min():.0f} to {last.max():.0f} %, on the average of all samples "
        f"{frame['share'].mean():.0f} %; the paper has about 30 at the end of a day. Most requests are for management "
        "space, but always for the same few sectors of it."
    )


EXPERIMENTS = (
    Experiment(
        "management_space", "The share of the cache that is management space, through a day.",
        management_space, draw_management_space, remark_management_space, slow=True,
    ),
)  # fmt: skip
