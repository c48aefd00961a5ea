"""The main load on flash in the places of the discs: where the cache still pays, and with how fast a CPU."""

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS
from models.max_iv.runs.forty_years import stored
from models.max_iv.runs.tools import USERS
from models.max_iv.studies.common import minutes
from models.max_iv.studies.users import CROWD
from sim.plots.style import BLUE, GREEN, VERMILION
from sim.study.gains import gain_bars, gains, percent
from sim.study.study import Figure, Runs, Study

WINDOW = minutes(24.0, warm_up=8.0, shorter=20.0)
NAMES = {"4138": "Modcomp 4138", "sata": "Intel S3700", "nvme": "Samsung 960 Pro"}
FASTER = {1.0: "CPU of 1978", 10.0: "10 times as fast", 100.0: "100 times as fast"}
COLOURS = dict(zip(FASTER.values(), (BLUE, GREEN, VERMILION), strict=True))


def forty_years(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(frame, "sectors", 0, ["faster", "users", "storage"], ["disc_busy", "cpu_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    rows = table.to_dict("records")
    return gain_bars(table, [f"{NAMES[str(row['storage'])]}, {row['users']:g} users" for row in rows],
                     [FASTER[row["faster"]] for row in rows], COLOURS,
                     "On flash Max-IV's cache waits for a faster CPU")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    parts = []
    for faster, rows in table[table["users"] == USERS].groupby("faster", sort=False):
        gained = ", ".join(f"{NAMES[str(row['storage'])]} {percent(row)}" for row in rows.to_dict("records"))
        parts.append(f"{FASTER[float(str(faster))]}: {gained}")
    crowd = table[(table["users"] == CROWD) & (table["storage"] == "nvme")].iloc[0]
    return (
        f"By so much {SECTORS} sectors of cache shorten responses of {USERS} users. {'; '.join(parts)}. To find and "
        "copy a sector costs the CPU of 1978 four times what flash takes, so that on flash all requests pay for the "
        f"hits; {CROWD} users on the NVMe drive keep its CPU busy {crowd['plain_cpu_busy']:.0%} of the time without "
        f"the cache and {crowd['cpu_busy']:.0%} with it, and a drive {crowd['plain_disc_busy']:.2%} without it."
    )


STUDIES = (
    Study(
        "forty_years", "What the cache gains users of Max-IV with flash in the places of their discs.",
        [Runs(stored, WINDOW, storage=list(NAMES), users=[USERS, CROWD], faster=1.0, sectors=[0, SECTORS]),
         Runs(stored, WINDOW, storage=list(NAMES), users=USERS, faster=[10.0, 100.0], sectors=[0, SECTORS])],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
