"""The whole machine against the size of the cache: Jacobson's S, and where its dip shows."""

from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.experiments.common import stretched
from models.max_iv.shot.sequence import shots
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.units import US

SIZES = (0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
LOADS = {"tools": "3 users of the Tools", "shot": "a shot, CPU saturated"}


def tools(sectors: int, copy: float, **others: object) -> dict[str, float]:
    result = stretched(users=3, sectors=sectors, copy=copy, **others)  # type: ignore[arg-type]
    return {"seconds": result.response()["response_mean"], "cpu_busy": result.extras["cpu_busy"]}


def saturated(sectors: int, copy: float, seed: object, **_: object) -> dict[str, float]:
    """A shot of 16 tasks, for which the CPU is saturated without a cache too."""
    found = shots(sectors, seed, 3, shot_tasks=16, shot_cpu=20.0, copy=copy)
    return {"seconds": found.seconds, "cpu_busy": found.cpu_busy}


def response_vs_size(effort: Effort) -> pd.DataFrame:
    """Relative to no cache: 3 users, and a saturated CPU, with the copy as built and with the older one of 900 us."""
    tables = []
    for load, run in (("tools", tools), ("shot", saturated)):
        for copy in (320 * US, 900 * US):
            frame = effort.sweep(partial(run, copy=copy), sectors=list(SIZES))
            plain = frame[frame["sectors"] == 0].set_index("seed")["seconds"]
            frame["relative"] = frame["seconds"] / frame["seed"].map(plain)
            table = summarise(frame, ["sectors"], ["seconds", "cpu_busy", "relative"])
            tables.append(table.assign(load=load, copy_us=round(copy / US)))
    whole = pd.concat(tables, ignore_index=True)
    return whole.assign(which=[f"{row['load']}, {row['copy_us']} us" for row in whole.to_dict("records")])


def draw_response_vs_size(frame: pd.DataFrame) -> Axes:
    shown = frame.assign(place=frame["sectors"].clip(lower=1))
    ax = curve(
        shown, "place", "relative", "which", names={which: which for which in shown["which"].unique()},
        x_label="sectors in the cache (1: none)", y_label="time, of that without a cache",
        title="Hardly a dip, and only for tiny caches",
    )
    ax.set_xscale("log", base=2)
    ax.axhline(1.0, color="#999999", linewidth=0.8)
    return ax


def remark_response_vs_size(frame: pd.DataFrame) -> str:
    said = []
    for which, rows in frame[frame["sectors"] > 0].groupby("which", sort=False):
        worst = rows.sort_values("relative").iloc[-1]
        said.append(f"{which}: at worst {worst['relative']:.2f}, with {worst['sectors']:.0f} sectors")
    return "The left end is no cache at all. " + "; ".join(said) + "."


EXPERIMENTS = (
    Experiment(
        "response_vs_size", "How the machine does with ever larger caches, from hardly any: the S of the paper.",
        response_vs_size, draw_response_vs_size, remark_response_vs_size, slow=True,
    ),
)  # fmt: skip
