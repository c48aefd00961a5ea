"""Kim's figure 4: the total service time of LRU, ATCA, LFU and FAC against the size of the cache."""

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from models.sata_ncq.compared import gain, share_run
from models.sata_ncq.contenders import COMPARED
from models.sata_ncq.experiments.extent import SHARES, requests
from sim.plots.curves import curve
from sim.plots.pictures import new_axes
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep

VALUES = ["total_service", "makespan", "hit_ratio", "service_mean", "response_mean", "disc_accesses"]
LABEL = "cache, of the blocks that are used at all"
TITLES = {"pcfat32": "PCFAT32, synthetic", "smalldiskmon": "SMALLDISKMON, synthetic"}


def totals(load: str, effort: Effort) -> pd.DataFrame:
    frame = sweep(share_run, workers=effort.workers, progress=effort.progress, load=load, policy=list(COMPARED),
                  share=list(SHARES), requests=requests(effort), seed=effort.seeds)
    return summarise(frame, ["load", "policy", "share"], VALUES)


def draw_totals(frame: pd.DataFrame) -> Axes:
    return share_curve(frame, "total_service", "policy", "total service time, s", TITLES[frame["load"].iloc[0]])


def share_curve(frame: pd.DataFrame, y: str, by: str, y_label: str, title: str) -> Axes:
    """*y* against the share of the cache."""
    axes = new_axes()
    axes.set_xscale("log")
    curve(frame, "share", y, by, names={name: name for name in frame[by].unique()}, x_label=LABEL, y_label=y_label,
          title=title, ax=axes)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xticks(sorted(frame["share"].unique()))
    axes.minorticks_off()
    return axes


def remark_totals(frame: pd.DataFrame) -> str:
    times = frame.pivot(index="share", columns="policy", values="total_service")
    said = []
    for other in ("LRU", "ATCA", "LFU"):
        gains = gain(times["FAC"], times[other])
        said.append(f"{other} by {100 * gains.mean():.1f} % on average, from {100 * gains.min():.1f} to "
                    f"{100 * gains.max():.1f} %")
    return f"The time of FAC is shorter than that of {'; of '.join(said)} (negative is longer)."


EXPERIMENTS = tuple(
    Experiment(f"service_{load}", f"Total service time of four policies against the size of the cache, {title}.",
               partial(totals, load), draw_totals, remark_totals, slow=True)
    for load, title in TITLES.items()
)  # fmt: skip
