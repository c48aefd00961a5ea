"""Kim's policies above flash: what is left of weighing access times where all of them are the same."""

import pandas as pd
from matplotlib.axes import Axes

from models.sata_ncq.forty_years import NONE, stored
from models.sata_ncq.machine import TAGS
from sim.plots.style import BLUE, GREEN, VERMILION
from sim.study.gains import gain_bars, gains, percent
from sim.study.study import Figure, Runs, Study, requests

WINDOW = requests(8_000)
NAMES = {"2010": "Hitachi 7K1000.C", "sata": "Intel S3700", "nvme": "Samsung 960 Pro"}
POLICIES = ("LRU", "LFU", "FAC")
COLOURS = dict(zip(POLICIES, (BLUE, GREEN, VERMILION), strict=True))
SHARE = 0.06
DEPTHS = {1: "one", TAGS: f"{TAGS}"}
"""Requests under way, as they are called."""


def forty_years(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(frame, "policy", NONE, ["storage", "under_way"], ["hit_ratio", "disc_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    rows = table.to_dict("records")
    return gain_bars(table, [f"{NAMES[str(row['storage'])]}, {DEPTHS[row['under_way']]} under way" for row in rows],
                     [str(row["policy"]) for row in rows], COLOURS,
                     "Policies gain above flash what they gain above a disc")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    said = []
    for (storage, under_way), rows in table.groupby(["storage", "under_way"], sort=False):
        each = ", ".join(f"{row['policy']} {percent(row)}" for row in rows.to_dict("records"))
        said.append(f"{NAMES[str(storage)]} with {DEPTHS[int(str(under_way))]} under way: {each}")
    return (
        f"By so much a cache in the host, of {SHARE:.0%} of the blocks in use, shortens responses; a hit costs "
        f"nothing. {'; '.join(said)}."
    )


STUDIES = (
    Study(
        "forty_years", "What Kim's policies gain above his drive, and above flash.",
        [Runs(stored, WINDOW, storage=list(NAMES), under_way=list(DEPTHS), policy=[NONE, *POLICIES], share=SHARE)],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
