"""Study of the paper's load on drives from 1983 to NVMe: what disc caching gains, and which part is the bottleneck."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.disc_paths import OwnLinks
from spindle.models.hp3000.series import SERIES_64, SeriesModel
from spindle.models.hp3000.studies.trials import PAIR, QUICK_WINDOW, Row, parts_of, row, run_mixed, terminal_arguments
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.disc.sheets import BARRACUDA_4LP, HITACHI_7K1000C
from spindle.sim.error import check_known
from spindle.studies.plots.gains import gain_bars
from spindle.studies.plots.style import BLUE, GREEN, VERMILION
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, Study, StudyWindow, means

# The machines: a Series 64 of 1983 with drives of each year; the same with more memory, or with a faster CPU.

_MODERN = replace(SERIES_64, path=OwnLinks())
SERIES_STORAGE: Mapping[str, SeriesModel] = {
    "1983": SERIES_64,
    "1997": replace(_MODERN, drive=BARRACUDA_4LP),
    "2010": replace(_MODERN, drive=HITACHI_7K1000C),
    "sata": replace(_MODERN, drive=INTEL_S3700),
    "nvme": replace(_MODERN, drive=SAMSUNG_960_PRO),
}
"""A Series 64 with six drives of a year or of a kind, by the name of that."""
MEMORY_FACTOR = 8
"""Times the memory of a Series 64 in a scaled machine, whose 64 MB hold all that 101 terminals use."""


@means(terminals=terminal_arguments)
def run_on_storage(
    terminals: int, storage: str, scaled: bool = False, mips: float = SERIES_64.mips, **others: Any
) -> Row:  # fmt: skip
    """Run *terminals* on drives of *storage*; with *scaled* the memory is MEMORY_FACTOR times as large."""
    check_known("storage", SERIES_STORAGE, storage)
    memory = SERIES_64.memory * (MEMORY_FACTOR if scaled else 1)
    series = replace(SERIES_STORAGE[storage], memory=memory, mips=mips)
    return row(run_mixed(*parts_of(terminals), series=series, **others))


SERIES_WINDOW = StudyWindow({"minutes": 2.0, "warm_up": 3.0}, QUICK_WINDOW)
"""Short, for differences are large; users begin together, and the paper's own load needs the longer HEADLINE."""
SERIES_DRIVES = {"1983": "HP 7933", "1997": "Barracuda 4LP", "2010": "Hitachi 7K1000.C", "sata": "Intel S3700",
         "nvme": "Samsung 960 Pro"}  # fmt: skip
SMALL, LARGE, FAST = "8 MB, 1 MIPS", "64 MB, 1 MIPS", "8 MB, 100 MIPS"
"""Names of machines: that of 1983, one with more memory, and one with a faster CPU."""
SERIES_COLOURS = {SMALL: BLUE, LARGE: GREEN, FAST: VERMILION}
FAST_MIPS = 100.0
"""MIPS of a CPU so fast that terminals wait for drives again."""
OTHER_TERMINALS = 42, 160
"""Terminals below and above the paper's."""
BUSY_SHARES = ["disc_busy", "cpu_busy", "lock_busy"]

forty_years = partial(gains, axis="caching", against=False, by=["machine", "terminals", "storage"], values=BUSY_SHARES)


def draw_forty_years(frame: pd.DataFrame) -> Axes:
    names = [f"{SERIES_DRIVES[str(row['storage'])]}, {row['terminals']:g}" for row in frame.to_dict("records")]
    return gain_bars(frame, names, [str(each) for each in frame["machine"]], SERIES_COLOURS,
                     "Caching pays where drives are slow for their CPU")  # fmt: skip


def caption_forty_years(frame: pd.DataFrame) -> str:
    parts = []
    for machine, rows in frame[frame["terminals"] == 101].groupby("machine", sort=False):
        gained = [f"{SERIES_DRIVES[str(row['storage'])]} {percent(row)}" for row in rows.to_dict("records")]
        parts.append(f"{machine}: {', '.join(gained)}")
    modern = frame[(frame["machine"] == SMALL) & (frame["storage"] == "nvme")]
    busy = [f"{row['terminals']:g} terminals the CPU is busy {row['plain_cpu_busy']:.0%} uncached and "
            f"{row['cpu_busy']:.0%} cached, the control block held {row['plain_lock_busy']:.0%} and "
            f"{row['lock_busy']:.0%}"
            for row in modern.to_dict("records")]  # fmt: skip
    return (
        "Disc caching needs slow drives and fast CPUs. It shortens responses of 101 terminals by these percentages: "
        f"{'; '.join(parts)}. A hit costs 4 ms of a CPU of 1 MIPS. Where drives take less than a few "
        "times that, a hit holds CPU and control block for longer than an access did, and more memory helps no "
        f"more. On the NVMe drive at 1 MIPS no drive is waited for: with {'; with '.join(busy)}."
    )


def runs(machine: str, storage: list[str], terminals: object = 101, **changes: object) -> Runs:
    return Runs(run_on_storage, SERIES_WINDOW, {"machine": machine}, storage=storage, terminals=terminals, caching=PAIR,
                **changes)


STUDIES = (
    Study(
        "forty_years",
        [runs(SMALL, list(SERIES_DRIVES)), runs(LARGE, ["1983", "nvme"], scaled=True),
         runs(FAST, ["1983", "sata", "nvme"], mips=FAST_MIPS), runs(SMALL, ["nvme"], list(OTHER_TERMINALS))],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
