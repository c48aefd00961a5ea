"""Table 6.2 with flash in the place of the laptop's disc: the cache saves the CPU what the disc no longer costs."""

import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.forty_years import DISC, stored
from models.windows_nt.workloads import TABLE
from sim.plots.style import BLUE, GREEN, VERMILION
from sim.study.gains import gain_bars, gains, percent
from sim.study.study import Figure, Runs, Study, seconds

WINDOW = seconds(60.0)
BY_CPU, BY_DRIVE = "flash, bytes moved by the CPU", "flash that moves them itself"
MACHINES = {"disc": "Toshiba MK2124FC", "cpu": BY_CPU, "drive": BY_DRIVE}
COLOURS = dict(zip(MACHINES.values(), (BLUE, VERMILION, GREEN), strict=True))
SATA = "sata"


def forty_years(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(frame, "mode", "unbuffered", ["work", "machine"], ["cpu_busy", "disc_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    return gain_bars(table, [str(work).replace("_", " ") for work in table["work"]],
                     [MACHINES[str(machine)] for machine in table["machine"]], COLOURS,
                     "NT's cache saves calls as well as disc accesses")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    parts = []
    for work, rows in table.groupby("work", sort=False):
        gained = ", ".join(f"{MACHINES[str(row['machine'])]} {percent(row)}" for row in rows.to_dict("records"))
        parts.append(f"{str(work).replace('_', ' ')}: {gained}")
    flash = table[table["machine"] != "disc"]
    return (
        f"By so much a record of the cache comes sooner than one that is not cached. {'; '.join(parts)}. On flash a "
        "record that is not cached costs the CPU 2.27 ms of calls and 1.6 ms a page to move it, and the CPU is busy at "
        f"least {flash['plain_cpu_busy'].min():.0%} of the time: what the cache saves is no longer waiting."
    )


STUDIES = (
    Study(
        "forty_years", "What NT's cache gains a program on the laptop's disc, and on flash in its place.",
        [Runs(stored, WINDOW, {"machine": "disc"}, work=list(TABLE), mode=["unbuffered", "buffered"], storage=DISC),
         Runs(stored, WINDOW, {"machine": "cpu"}, work=list(TABLE), mode=["unbuffered", "buffered"], storage=SATA),
         Runs(stored, WINDOW, {"machine": "drive"}, work=list(TABLE), mode=["unbuffered", "buffered"], storage=SATA,
              moving=0.0)],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
