"""Studies Blake's table 6.2 with flash instead of the laptop's disc, where the cache saves CPU time and not waits."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import fsum
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.windows_nt.machine import Laptop, NtOptions
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.studies.trials import MODES, TABLE_RUNS, workload
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.disc.sheets import TOSHIBA_MK2124FC
from spindle.sim.error import check_known
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.sim.units import MS
from spindle.studies.plots.gains import gain_bars
from spindle.studies.plots.style import BLUE, GREEN, VERMILION
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, Study, seconds
from spindle.workloads.probe.variations import in_mode, widen_spread

# Response Probe on flash in the place of the laptop's disc: bytes moved by the CPU, or by the drive itself.

LAPTOP_DISC = "1993"
LAPTOP_STORAGE: Mapping[str, DriveType] = {LAPTOP_DISC: TOSHIBA_MK2124FC, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}
MODE_PAIR = ["unbuffered", "buffered"]


def run_on_storage(
    work: str, mode: str, storage: str, seed: object, seconds: float, **parameters: Any
) -> dict[str, float]:
    """Return milliseconds of a cycle of *work* in one of MODES, and the load of CPU and drive."""
    check_known("storage", LAPTOP_STORAGE, storage)
    values = change(NtParameters(), **parameters)
    probe = widen_spread(replace(in_mode(workload(work), MODES[mode]), seconds=seconds), values.spread)
    laptop = Laptop(simpy.Environment(), values, NtOptions(drive=LAPTOP_STORAGE[storage]))
    window = Window(values.lead + probe.measured_from, values.lead + probe.seconds)
    result = engine.run(laptop.machine, laptop.load(probe, seed, values.lead), window, seed, keep_rows=False)
    cycles = sum(each.measured for each in laptop.threads)
    return {
        "response_mean": fsum(each.seconds for each in laptop.threads) / cycles,
        "ms": fsum(each.seconds for each in laptop.threads) / cycles / MS,
        "cpu_busy": result.counters["cpu.busy"] / result.seconds,
        "disc_busy": result.counters["disc.busy"] / result.seconds,
    }


LAPTOP_WINDOW = seconds(60.0)
BY_CPU, BY_DRIVE = "flash, bytes moved by the CPU", "flash that moves them itself"
MACHINES = {"disc": "Toshiba MK2124FC", "cpu": BY_CPU, "drive": BY_DRIVE}
LAPTOP_COLOURS = dict(zip(MACHINES.values(), (BLUE, VERMILION, GREEN), strict=True))
SATA = "sata"

forty_years = partial(gains, axis="mode", against="unbuffered", by=["work", "machine"],
                      values=["cpu_busy", "disc_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    return gain_bars(table, [str(work).replace("_", " ") for work in table["work"]],
                     [MACHINES[str(machine)] for machine in table["machine"]], LAPTOP_COLOURS,
                     "NT's cache saves calls as well as disc accesses")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    parts = []
    for work, rows in table.groupby("work", sort=False):
        gained = ", ".join(f"{MACHINES[str(row['machine'])]} {percent(row)}" for row in rows.to_dict("records"))
        parts.append(f"{str(work).replace('_', ' ')}: {gained}")
    flash = table[table["machine"] != "disc"]
    return (
        f"The share by which a cached record comes sooner than one that is not cached. {'; '.join(parts)}. On flash a "
        "record that is not cached costs the CPU 2.27 ms of calls and 1.6 ms a page to move it, and the CPU is busy at "
        f"least {flash['plain_cpu_busy'].min():.0%} of the time: the cache no longer saves waits, but CPU time."
    )


STUDIES = (
    Study(
        "forty_years",
        [Runs(run_on_storage, LAPTOP_WINDOW, {"machine": "disc"}, work=list(TABLE_RUNS), mode=MODE_PAIR,
              storage=LAPTOP_DISC),
         Runs(run_on_storage, LAPTOP_WINDOW, {"machine": "cpu"}, work=list(TABLE_RUNS), mode=MODE_PAIR, storage=SATA),
         Runs(run_on_storage, LAPTOP_WINDOW, {"machine": "drive"}, work=list(TABLE_RUNS), mode=MODE_PAIR, storage=SATA,
              moving=0.0)],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
