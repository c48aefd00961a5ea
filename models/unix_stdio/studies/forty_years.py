"""Studies the gain by each buffer, for the lecture's programs on a machine of 2026 with a disc or flash."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from spindle.models.unix_stdio.parameters import VIRTUAL_2026
from spindle.models.unix_stdio.stack import UnixStack, extras
from spindle.models.unix_stdio.studies.trials import MEASURED
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.error import check_known
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.parameter import change
from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, GREEN, VERMILION
from spindle.studies.study import Figure, Runs, Study, StudyWindow
from spindle.workloads.stdio_files import programs

# The lecture's programs on a machine of 2026 with a 7200 rpm drive, or with flash in its place.

LECTURE_STORAGE: Mapping[str, DriveType] = {"2010": HITACHI_7K1000C, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}


def run_on_storage(
    program: str, storage: str, seed: object, seconds: float, block: int | None = None,
    changes: Mapping[str, Any] | None = None, **parameters: Any,
) -> dict[str, float]:  # fmt: skip
    """Run *program* on *storage* with another *block* and *changes*; parameters that were measured stay unchanged."""
    check_known("storage", LECTURE_STORAGE, storage)
    machine = change(VIRTUAL_2026, **{name: value for name, value in parameters.items() if name not in MEASURED})
    blocks = {} if block is None else {"block": block}
    asked = programs()[program].change(**blocks, **(changes or {}))
    stack = UnixStack(simpy.Environment(), machine, LECTURE_STORAGE[storage], asked, False, seconds)
    engine.run(stack.machine, stack.load(), Window(), seed, keep_rows=False)
    return extras(stack, seed)


RATE_WINDOW = StudyWindow({"seconds": 5.0}, {"seconds": 0.1})
"""Window of the rates, which are steady from the first call on except for a cold cache."""
LECTURE_DRIVES = {"2010": "Hitachi 7K1000.C", "sata": "Intel S3700", "nvme": "Samsung 960 Pro"}
LECTURE_COLOURS = dict(zip(LECTURE_DRIVES, (BLUE, GREEN, VERMILION), strict=True))
PROGRAMS = {
    "w01": "write 1 byte, synchronous", "w02": "write 512 bytes, synchronous", "w03": "write 1 byte, page cache",
    "w05": "write 1 byte, stdio", "r01": "read 1 byte, cold", "r06": "read 1 byte, stride, cold",
}  # fmt: skip
BAR_PITCH = 0.26


def forty_years(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[["program", "storage", "rate", "us_per_call", "in_disc", "elapsed"]].reset_index(drop=True)


def draw_forty_years(table: pd.DataFrame) -> Axes:
    with row_axes(list(PROGRAMS.values()), 3.4, x_label="bytes a second",
                  title="Flash helps those who wait for it; the others never did") as ax:
        for number, (storage, colour) in enumerate(LECTURE_COLOURS.items()):
            rates = table[table["storage"] == storage].set_index("program")["rate"]
            places = [place + BAR_PITCH * (number - 1) for place in range(len(PROGRAMS))]
            ax.barh(places, [float(rates[each]) for each in PROGRAMS], 0.24, color=colour,
                    label=LECTURE_DRIVES[storage])
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(EngFormatter())
        legend_below(ax)
    return ax


def caption_forty_years(table: pd.DataFrame) -> str:
    rate = table.set_index(["storage", "program"])["rate"]
    cache = ", ".join(f"{LECTURE_DRIVES[each]} {rate[each, 'w03'] / rate[each, 'w01']:,.0f}" for each in LECTURE_DRIVES)
    stdio = ", ".join(f"{rate[each, 'w05'] / rate[each, 'w03']:.0f}" for each in LECTURE_DRIVES)
    return (
        f"Bytes a second through the page cache, as a multiple of synchronous writes: {cache}. Stdio multiplies them "
        f"by {stdio} again, whatever is below, for it saves calls. The SATA drive's capacitors make a write safe in "
        "its buffer; the NVMe drive must program first, three times for each byte, and is the slower of the two."
    )


STUDIES = (
    Study(
        "forty_years", [Runs(run_on_storage, RATE_WINDOW, program=list(PROGRAMS), storage=list(LECTURE_DRIVES))],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=1,
    ),
)  # fmt: skip
