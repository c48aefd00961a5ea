"""Where FAC loses: the published numbers stay as they are, and only the order of the uses changes."""

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

PHASES = (1, 2, 4, 8, 16)


def losses(effort: Effort) -> pd.DataFrame:
    frame = sweep(share_run, workers=effort.workers, progress=effort.progress, policy=list(COMPARED), share=MIDDLE,
                  phases=list(PHASES), requests=requests(effort), seed=effort.seeds)
    return summarise(frame, ["policy", "phases"], VALUES)


def draw_losses(frame: pd.DataFrame) -> Axes:
    axes = new_axes()
    axes.set_xscale("log", base=2)
    curve(frame, "phases", "total_service", "policy", names={name: name for name in COMPARED}, ax=axes,
          x_label="phases, each with places of its own", y_label="total service time, s",
          title="FAC loses when interest moves on")
    axes.xaxis.set_major_formatter("{x:g}")
    return axes


def remark_losses(frame: pd.DataFrame) -> str:
    times = frame.pivot(index="phases", columns="policy", values="total_service")
    gains = 100.0 * gain(times["FAC"], times["LRU"])
    return (
        f"FAC takes {gains[1]:.1f} % less than LRU where places are used in any order, and {gains[PHASES[-1]]:.1f} % "
        f"less (negative: more) in {PHASES[-1]} phases. How often each place is used is the same in all of them. A "
        "worth never ages: what was much used in one phase stays through the next, and new entries push each other out."
    )


EXPERIMENTS = (
    Experiment("where_fac_loses", "Total service time of the same uses, when they come in more and more phases.",
               losses, draw_losses, remark_losses, slow=True),
)  # fmt: skip
