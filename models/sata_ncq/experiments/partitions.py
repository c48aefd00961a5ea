"""How evenly access times fall into FAC's partitions, with the static maximum and with those that follow them."""

import pandas as pd
from matplotlib.axes import Axes

from models.sata_ncq.access_times import access_times
from models.sata_ncq.experiments.extent import requests
from models.sata_ncq.machine import TAGS, Choices
from models.sata_ncq.parameters import Parameters
from models.sata_ncq.spread import entropy, maxima, numbers
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment

COUNT = 10


def partitions(effort: Effort) -> pd.DataFrame:
    """A row for each maximum and partition, of services with always as many under way as there are tags."""
    rows = []
    for seed in effort.seeds:
        taken = access_times(Parameters(), "pcfat32", seed, requests(effort), TAGS, TAGS)
        for name, maximum in maxima(Choices().drive).items():
            counts = numbers((each.service for each in taken), maximum())
            rows += [(name, number, counts[number] / len(taken), entropy(counts)) for number in range(1, COUNT + 1)]
    frame = pd.DataFrame(rows, columns=["maximum", "partition", "share", "entropy"])
    return frame.groupby(["maximum", "partition"], sort=False).mean().reset_index()


def draw_partitions(frame: pd.DataFrame) -> Axes:
    return curve(frame, "partition", "share", "maximum", names={name: name for name in frame["maximum"].unique()},
                 x_label="partition", y_label="share of the accesses",
                 title="A maximum that follows spreads access times")


def remark_partitions(frame: pd.DataFrame) -> str:
    bits = frame.groupby("maximum", sort=False)["entropy"].first()
    said = ", ".join(f"{name} {value:.2f}" for name, value in bits.items())
    return (f"Entropy in bits, of 3.32 that ten equal partitions have: {said}. The dynamic maximum is an average of "
            "those of ten accesses each; that of all accesses never comes down again.")


EXPERIMENTS = (
    Experiment("partitions", "How evenly access times fall into partitions, by what the maximum is.",
               partitions, draw_partitions, remark_partitions),
)  # fmt: skip
