"""The question of 1983 on the drives of forty years: where caching still pays, and what is the bottleneck then."""

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.forty_years import stored
from models.hp3000.studies.common import PAIR, QUICK
from sim.plots.style import BLUE, GREEN, VERMILION
from sim.study.gains import gain_bars, gains, percent
from sim.study.study import Figure, Runs, Study, StudyWindow

WINDOW = StudyWindow({"minutes": 2.0, "warm_up": 3.0}, QUICK)
"""Short, for differences are large; users begin together, and the paper's own load needs the longer HEADLINE."""
NAMES = {"1983": "HP 7933", "1997": "Barracuda 4LP", "2010": "Hitachi 7K1000.C", "sata": "Intel S3700",
         "nvme": "Samsung 960 Pro"}  # fmt: skip
SMALL, LARGE, FAST = "8 MB, 1 MIPS", "64 MB, 1 MIPS", "8 MB, 100 MIPS"
COLOURS = {SMALL: BLUE, LARGE: GREEN, FAST: VERMILION}
FASTER = 100.0
"""MIPS of a CPU that leaves the drives to be waited for again."""
OFTEN = 42, 160
"""Terminals below and above the paper's."""
BUSY = ["disc_busy", "cpu_busy", "lock_busy"]


def forty_years(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(frame, "caching", False, ["machine", "terminals", "storage"], BUSY)


def draw_forty_years(frame: pd.DataFrame) -> Axes:
    names = [f"{NAMES[str(row['storage'])]}, {row['terminals']:g}" for row in frame.to_dict("records")]
    return gain_bars(frame, names, [str(each) for each in frame["machine"]], COLOURS,
                     "Caching pays where drives are slow for their CPU")  # fmt: skip


def caption_forty_years(frame: pd.DataFrame) -> str:
    parts = []
    for machine, rows in frame[frame["terminals"] == 101].groupby("machine", sort=False):
        gained = [f"{NAMES[str(row['storage'])]} {percent(row)}" for row in rows.to_dict("records")]
        parts.append(f"{machine}: {', '.join(gained)}")
    modern = frame[(frame["machine"] == SMALL) & (frame["storage"] == "nvme")]
    busy = [f"{row['terminals']:g} the CPU is busy {row['plain_cpu_busy']:.0%} uncached and {row['cpu_busy']:.0%} "
            f"cached, the control block held {row['plain_lock_busy']:.0%} and {row['lock_busy']:.0%}"
            for row in modern.to_dict("records")]  # fmt: skip
    return (
        "Disc caching lives by slow drives and fast CPUs: by so much it shortens responses of 101 terminals, or "
        f"lengthens them. {'; '.join(parts)}. A hit costs 4 ms of a CPU of 1 MIPS. Where drives take less than a few "
        "times that, a hit holds CPU and control block for longer than an access did, and more memory helps no "
        f"more. On the NVMe drive at 1 MIPS no drive is waited for: with {'; with '.join(busy)}."
    )


def runs(machine: str, storage: list[str], terminals: object = 101, **changes: object) -> Runs:
    return Runs(stored, WINDOW, {"machine": machine}, storage=storage, terminals=terminals, caching=PAIR, **changes)


STUDIES = (
    Study(
        "forty_years",
        "Whether disc caching still pays for the paper's terminals on the drives of forty years.",
        [runs(SMALL, list(NAMES)), runs(LARGE, ["1983", "nvme"], scaled=True),
         runs(FAST, ["1983", "sata", "nvme"], mips=FASTER), runs(SMALL, ["nvme"], list(OFTEN))],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
