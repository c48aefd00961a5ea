"""What a user notices: a long search path, and what of a command is left once the cache is there."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.experiments.common import CACHED, RESPONSE, STRETCH, stretched
from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from models.max_iv.trials.shell import DATE
from sim.plots import breakdown_bars
from sim.plots.curves import curve
from sim.script import Call, Loop, Script, Think
from sim.statistics.summarise import summarise
from sim.streams import Exponential
from sim.study.system import Effort, Experiment

SHELLS = {65536: "as it is, 64 K words", 16384: "a quarter of it", 0: "sharable: none moved"}


def starting(more: int, sectors: int, minutes: float, warm_up: float, seed: object, **_: object) -> dict[str, float]:
    """3 users who only start a command that does nothing."""
    script = Script("user", (Loop((Think(Exponential(10.0)), Call(DATE, DATE.name))),), terminals=3)
    result = run(sectors=sectors, seed=seed, minutes=STRETCH * minutes, warm_up=STRETCH * warm_up, scripts=[script],
                 more_directories=more)  # fmt: skip
    return {"response_mean": result.response()["response_mean"]}


def search_path(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(starting, more=[0, 2, 4, 8], sectors=[0, SECTORS])
    table = summarise(frame, ["more", "sectors"], ["response_mean"])
    return table.assign(directories=table["more"] + 3)


def draw_search_path(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "directories", "response_mean", "sectors", names=CACHED, x_label="directories in the search path",
        y_label=RESPONSE, title="A long search path costs nothing any more",
    )


def remark_search_path(frame: pd.DataFrame) -> str:
    def more(sectors: int) -> float:
        rows = frame[frame["sectors"] == sectors].set_index("directories")["response_mean"]
        return 1000.0 * float(rows.iloc[-1] - rows.iloc[0]) / float(rows.index[-1] - rows.index[0])

    return (
        "A command that does nothing but be found and started. One more directory takes "
        f"{more(0):.0f} ms without a cache and {more(SECTORS):.0f} ms with it."
    )


def what_is_left(effort: Effort) -> pd.DataFrame:
    """Where a response of 3 users goes with smaller shells, a row for each of them with the cache and without."""
    frame = effort.sweep(stretched, users=3, shell_words=list(SHELLS), sectors=[0, SECTORS])
    parts = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby(["shell_words", "sectors"], sort=False)[[*parts, "response_mean"]].mean().reset_index()
    names = [f"{SHELLS[row['shell_words']]}, {CACHED[row['sectors']]}" for row in means.to_dict("records")]
    return means.assign(run=names)


def draw_what_is_left(frame: pd.DataFrame) -> Axes:
    return breakdown_bars.breakdown(frame, "run", title="What is left is the shell")


def remark_what_is_left(frame: pd.DataFrame) -> str:
    at = frame.set_index(["shell_words", "sectors"])["response_mean"]
    return (
        f"With the cache a command takes {at[65536, SECTORS]:.1f} s, and {at[0, SECTORS]:.1f} s if the shell need not "
        f"be moved; without the cache, {at[65536, 0]:.1f} and {at[0, 0]:.1f} s."
    )


EXPERIMENTS = (
    Experiment(
        "search_path", "What every further directory in a search path costs, with the cache and without.",
        search_path, draw_search_path, remark_search_path, slow=True,
    ),
    Experiment(
        "what_is_left", "Where the time of a command goes with a smaller shell, and with one that is shared.",
        what_is_left, draw_what_is_left, remark_what_is_left, slow=True,
    ),
)  # fmt: skip
