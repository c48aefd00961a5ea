"""What FAC is made of, one thing at a time: frequency, access times, a maximum that follows them, and their waits."""

import pandas as pd
from matplotlib.axes import Axes

from models.sata_ncq.compared import gain, share_run
from models.sata_ncq.contenders import INGREDIENTS
from models.sata_ncq.experiments.extent import SHARES, requests
from models.sata_ncq.experiments.totals import VALUES, share_curve
from sim.plots.style import INK
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep


def ingredients(effort: Effort) -> pd.DataFrame:
    """Seed by seed what each saves LRU."""
    frame = sweep(share_run, workers=effort.workers, progress=effort.progress, policy=["LRU", *INGREDIENTS],
                  share=list(SHARES), requests=requests(effort), seed=effort.seeds)
    lru = frame[frame["policy"] == "LRU"].set_index(["share", "seed"])["total_service"]
    places = pd.MultiIndex.from_frame(frame[["share", "seed"]])
    frame["gain"] = 100.0 * gain(frame["total_service"], lru.loc[places].to_numpy())
    return summarise(frame[frame["policy"] != "LRU"], ["policy", "share"], ["gain", *VALUES])


def draw_ingredients(frame: pd.DataFrame) -> Axes:
    axes = share_curve(frame, "gain", "policy", "total service time below LRU's, %", "Frequency alone does best")
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_ylim(min(0.0, frame["gain"].min()) * 1.1 - 1.0, frame["gain"].max() * 1.1 + 1.0)
    return axes


def remark_ingredients(frame: pd.DataFrame) -> str:
    means = frame.groupby("policy", sort=False)["gain"].mean()
    said = ", ".join(f"{name} {value:.1f} %" for name, value in means.items())
    return (
        f"On average over the sizes: {said}. With NCQ what an access takes says where the arm happened to be and who "
        "else waited, and little of the block; adding it to a count makes the count worse."
    )


EXPERIMENTS = (
    Experiment("ingredients", "What each ingredient of FAC does to the total service time.",
               ingredients, draw_ingredients, remark_ingredients, slow=True),
)  # fmt: skip
