"""Study of the disc accesses a second of each series, under processes that read at random places without pause."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import fsum
from random import Random
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import File, OpenFile
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window, Work
from spindle.sim.parameter import change
from spindle.sim.request import Span
from spindle.sim.streams import pick, stream
from spindle.sim.terminal import ResponseLog
from spindle.sim.units import KIB
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import PALETTE
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, seconds

# McBride & Boles 1983: "our unit tests had sustained better than 3 times that load", of 50 a second.

RECORD_BYTES = KIB
"""Bytes of a read."""

IDLE_SET_BYTES = 64 * KIB
"""Bytes of a data set of the data base, which nobody uses; small enough for one disc."""


def disc_rate(
    series: SeriesModel = SERIES_64,
    discs: int | None = None,
    readers: int = 1,
    seconds: float = 60.0,
    seed: object = 1,
    **parameters: object,
) -> float:
    """Measure disc accesses a second with *readers* processes for each disc, which read all of it, uncached."""
    wanted = series if discs is None else replace(series, discs=discs)
    values = change(MpeParameters(), **{**wanted.settings(), "set_bytes": IDLE_SET_BYTES, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(series=series), caching=False)
    programs: dict[str, Work] = {}
    for number, storage in enumerate(machine.storages):
        capacity = machine.drives[number].capacity
        file = File(f"disc {number + 1}", storage, [Span(0, capacity - capacity % RECORD_BYTES)])
        for reader in range(readers):
            name = f"reader {reader} of disc {number + 1}"
            programs[name] = partial(_read_file, machine, OpenFile(file), stream(seed, name))
    result = engine.run(machine.machine, Programs(programs), Window(0.0, seconds), seed)
    return fsum(result.counters[f"drive{number}.completed"] for number in range(1, len(machine.drives) + 1)) / seconds


def _read_file(machine: Hp3000, file: OpenFile, random: Random, log: ResponseLog) -> Wait:
    account = Account("reader")
    while True:
        first = pick(random, file.file.size // RECORD_BYTES) * RECORD_BYTES
        yield from machine.machine.read(file, first, RECORD_BYTES, account)


RATED_SERIES: Mapping[str, tuple[SeriesModel, int, int]] = {
    "Series III": (SERIES_III, 30, 40),
    "Series 64": (SERIES_64, 120, 160),
}
"""Each series with the range of disc accesses a second that McBride & Boles print."""


def unit_rate(series: str, seconds: float, seed: object, **parameters: Any) -> dict[str, float]:
    """Measure disc accesses a second of a *series* without other load; return them with the number of drives."""
    sheet = RATED_SERIES[series][0]
    drives = parameters.get("discs", sheet.discs)
    return {"drives": drives, "disc_rate": disc_rate(sheet, seconds=seconds, seed=seed, **parameters)}


def unit_test(frame: pd.DataFrame) -> pd.DataFrame:
    return summarise(frame.sort_values("drives", kind="stable"), ["series", "drives"], ["disc_rate"])


def draw_unit_test(frame: pd.DataFrame) -> Axes:
    axes = curve(frame, "drives", "disc_rate", "series", x_label="drives, each with a reader",
                 y_label="disc accesses a second", title="Four drives saturate a Series III, eight no Series 64")
    for number, (_, low, high) in enumerate(RATED_SERIES.values()):
        axes.axhspan(low, high, color=PALETTE[number], alpha=0.12, linewidth=0)
    return axes


def caption_unit_test(frame: pd.DataFrame) -> str:
    met = []
    for name, (series, low, high) in RATED_SERIES.items():
        rows = frame[frame["series"] == name]
        inside = rows[rows["disc_rate"].between(low, high)]["drives"]
        where = f"with {' or '.join(map(str, inside))} drives" if len(inside) else "with none of these"
        met.append(f"{name}, {low} to {high} a second, is met {where}; the model's has {series.discs}")
    return f"Shaded is the paper's range for each series; it does not say how many drives there were. {'. '.join(met)}."


def own_rates(rows: SeedRows) -> Mapping[str, float]:
    """Return accesses a second of each series with its usual drives."""
    iii, new = (rows.one(series=name, own=True)["disc_rate"] for name in RATED_SERIES)
    return {"series_iii": iii, "series_64": new}
UNIT_WINDOW, POINT_WINDOW = seconds(300.0), seconds(60.0)
"""UNIT_WINDOW is long because a claim's margin is 0.3 %; POINT_WINDOW serves the curve."""

STUDIES = (
    Study(
        "unit_test",
        [Runs(unit_rate, UNIT_WINDOW, {"own": True}, series=list(RATED_SERIES)),
         Runs(unit_rate, POINT_WINDOW, {"own": False}, series="Series III", discs=[1, 4, 6, 8]),
         Runs(unit_rate, POINT_WINDOW, {"own": False}, series="Series 64", discs=[1, 2, 4, 8])],
        Figure(unit_test, draw_unit_test, caption_unit_test), own_rates,
    ),
)  # fmt: skip
