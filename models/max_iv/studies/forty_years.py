"""Studies what Jacobson's cache gains on flash, with the CPU of 1978 or one 10 or 100 times as fast."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import extras
from spindle.models.max_iv.studies.trials import USERS, minutes
from spindle.models.max_iv.studies.users import CROWD
from spindle.models.max_iv.tools import tools_users
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.error import check_known
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.studies.plots.gains import gain_bars
from spindle.studies.plots.style import BLUE, GREEN, VERMILION
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, Study

# The main load of Max-IV on flash in the places of its discs, behind the CPU of 1978 or a faster one.

MODCOMP_STORAGE: Mapping[str, DriveType] = {"4138": MODCOMP_4138, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}
CPU_TIME_PARAMETERS = ("compare", "copy", "request_cpu", "character", "tool_cpu")
"""Parameters that are CPU times."""


def run_on_storage(
    seed: object, minutes: float, warm_up: float, storage: str, users: int = USERS, sectors: int = SECTORS,
    faster: float = 1.0, **parameters: Any,
) -> dict[str, Any]:  # fmt: skip
    """Summarise a run of *users* on *storage*, with a CPU that is *faster* times as fast."""
    check_known("storage", MODCOMP_STORAGE, storage)
    values = change(MaxIvParameters(), **parameters)
    values = change(values, **{name: getattr(values, name) / faster for name in CPU_TIME_PARAMETERS})
    modcomp = Modcomp(simpy.Environment(), values, MaxIvOptions(drive=MODCOMP_STORAGE[storage]), sectors, seed)
    load, window = modcomp.load([tools_users(users, values)]), Window.minutes(minutes, warm_up)
    result = engine.run(modcomp.machine, load, window, seed, keep_rows=False)
    return {**result.summary(), **extras(modcomp, result.counters, result.seconds)}


MODCOMP_WINDOW = minutes(24.0, warm_up=8.0, shorter=20.0)
MODCOMP_DRIVES = {"4138": "Modcomp 4138", "sata": "Intel S3700", "nvme": "Samsung 960 Pro"}
FASTER = {1.0: "CPU of 1978", 10.0: "10 times as fast", 100.0: "100 times as fast"}
CPU_COLOURS = dict(zip(FASTER.values(), (BLUE, GREEN, VERMILION), strict=True))

forty_years = partial(gains, axis="sectors", against=0, by=["faster", "users", "storage"],
                      values=["disc_busy", "cpu_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    rows = table.to_dict("records")
    return gain_bars(table, [f"{MODCOMP_DRIVES[str(row['storage'])]}, {row['users']:g} users" for row in rows],
                     [FASTER[row["faster"]] for row in rows], CPU_COLOURS,
                     "On flash Max-IV's cache waits for a faster CPU")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    gains = []
    for faster, rows in table[table["users"] == USERS].groupby("faster", sort=False):
        gained = ", ".join(f"{MODCOMP_DRIVES[str(row['storage'])]} {percent(row)}" for row in rows.to_dict("records"))
        gains.append(f"{FASTER[float(str(faster))]}: {gained}")
    crowd = table[(table["users"] == CROWD) & (table["storage"] == "nvme")].iloc[0]
    return (
        f"{SECTORS} sectors of cache shorten responses of {USERS} users by these percentages: {'; '.join(gains)}. To "
        "find and copy a sector takes the CPU of 1978 four times as long as flash, so that all requests pay for the "
        f"hits; {CROWD} users on the NVMe drive keep its CPU busy {crowd['plain_cpu_busy']:.0%} of the time without "
        f"the cache and {crowd['cpu_busy']:.0%} with it, and a drive {crowd['plain_disc_busy']:.2%} without it."
    )


STUDIES = (
    Study(
        "forty_years",
        [Runs(run_on_storage, MODCOMP_WINDOW, storage=list(MODCOMP_DRIVES), users=[USERS, CROWD], faster=1.0,
              sectors=[0, SECTORS]),
         Runs(run_on_storage, MODCOMP_WINDOW, storage=list(MODCOMP_DRIVES), users=USERS, faster=[10.0, 100.0],
              sectors=[0, SECTORS])],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
