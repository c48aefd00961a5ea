"""NCQ on and off: what tags do for the drive, and for the policy that is told of access times."""

import pandas as pd
from matplotlib.axes import Axes

from models.sata_ncq.compared import gain, share_run
from models.sata_ncq.contenders import COMPARED
from models.sata_ncq.experiments.extent import MIDDLE, requests
from models.sata_ncq.experiments.totals import VALUES
from sim.plots.curves import curve
from sim.plots.pictures import new_axes
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep

DEPTHS = (1, 2, 4, 8, 16, 32)


def queue(effort: Effort) -> pd.DataFrame:
    frame = sweep(share_run, workers=effort.workers, progress=effort.progress, policy=list(COMPARED), share=MIDDLE,
                  depth=list(DEPTHS), requests=requests(effort), seed=effort.seeds)
    return summarise(frame, ["policy", "depth"], VALUES)


def draw_queue(frame: pd.DataFrame) -> Axes:
    axes = new_axes()
    axes.set_xscale("log", base=2)
    curve(frame, "depth", "total_service", "policy", names={name: name for name in COMPARED}, ax=axes,
          x_label="tags; 1 is no NCQ", y_label="total service time, s", title="Tags halve it for every policy")
    axes.xaxis.set_major_formatter("{x:g}")
    return axes


def remark_queue(frame: pd.DataFrame) -> str:
    times = frame.pivot(index="depth", columns="policy", values="total_service")
    gains = 100.0 * gain(times["FAC"], times["ATCA"])
    return (
        f"FAC takes {gains[DEPTHS[0]]:.1f} % less than ATCA without NCQ and {gains[DEPTHS[-1]]:.1f} % less with "
        f"{DEPTHS[-1]} tags. Kim says that FAC enhances NCQ more than ATCA does: then the latter would be larger."
    )


EXPERIMENTS = (
    Experiment("tags", "Total service time against the number of tags, at one size of the cache.",
               queue, draw_queue, remark_queue, slow=True),
)  # fmt: skip
