"""LRU, ATCA, LFU and FAC on traces of real systems, where they are at hand: they do not come with Spindle."""

import os
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from models.sata_ncq.compared import blocks_used, file_run, gain, share_run
from models.sata_ncq.contenders import COMPARED
from models.sata_ncq.experiments import totals
from models.sata_ncq.experiments.extent import requests
from sim.plots.curves import curve
from sim.plots.pictures import Picture
from sim.plots.style import STYLE, WIDTH
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep

FOLDER = "SPINDLE_SHARED"
"""The environment variable that names the folder above ``data/traces``; by default it lies beside this project's."""
SHARES = (0.01, 0.04, 0.16)
NAMES = ("arc_oltp", "arc_p3", "cloudphysics", "win_etw", "wsrch", "tpcc")


def files() -> dict[str, Path]:
    """Those that are here."""
    folder = Path(os.environ.get(FOLDER) or "../shared") / "data" / "traces"
    found = {name: folder / f"{name}.csv.gz" for name in NAMES}
    return {name: path for name, path in found.items() if path.is_file()}


def real_traces(effort: Effort) -> pd.DataFrame:
    """A row for each trace, policy and size; of the synthetic ones, too, which are all where there are no others."""
    number = requests(effort)
    columns = ["trace", "policy", "share", "total_service", "hit_ratio", "disc_accesses"]
    frames = []
    for load in totals.TITLES:
        made = sweep(share_run, workers=effort.workers, progress=effort.progress, load=load,
                     policy=list(COMPARED), share=list(SHARES), requests=number)
        frames.append(made.assign(trace=load)[columns])
    for name, path in files().items():
        run = sweep(file_run, workers=effort.workers, progress=effort.progress, policy=list(COMPARED),
                    share=list(SHARES), trace=str(path), requests=number, used=blocks_used(path, number))
        frames.append(run.assign(trace=name)[columns])
    return pd.concat(frames, ignore_index=True)


def draw_real_traces(frame: pd.DataFrame) -> Axes:
    """Each time as a share of LRU's with the smallest cache of its trace."""
    names = list(frame["trace"].unique())
    rows = -(-len(names) // 2)
    with matplotlib.rc_context(STYLE):
        figure = Picture(figsize=(1.5 * WIDTH, 0.6 + 1.9 * rows))
        axes = list(figure.subplots(rows, 2, sharex=True, squeeze=False).flat)
    for ax, name in zip(axes, names, strict=False):
        part = frame[frame["trace"] == name]
        ax.set_xscale("log")
        curve(part.assign(total=part["total_service"] / part["total_service"].iloc[0]), "share", "total", "policy",
              names={policy: policy for policy in COMPARED}, x_label=" ", y_label="of LRU's", title=name, ax=ax)
        ax.set_xticks(SHARES)
        ax.minorticks_off()
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    for ax in axes[len(names) :]:
        ax.set_axis_off()
    for ax in axes[-2:]:
        ax.set_xlabel(totals.LABEL)
    first: Axes = axes[0]
    return first


def remark_real_traces(frame: pd.DataFrame) -> str:
    said = []
    for name, part in frame.groupby("trace", sort=False):
        times = part.pivot(index="share", columns="policy", values="total_service")
        best = times.sum().idxmin()
        said.append(f"{name} {100 * gain(times['FAC'], times['LRU']).mean():.1f} % ({best} is best)")
    here = "" if frame["trace"].nunique() > len(totals.TITLES) else " Real traces were not at hand."
    return f"The beginning of each. What FAC saves LRU, on average over the sizes: {', '.join(said)}.{here}"


EXPERIMENTS = (
    Experiment("real_traces", "Total service time of four policies on real traces and on the synthetic ones.",
               real_traces, draw_real_traces, remark_real_traces, slow=True),
)  # fmt: skip
