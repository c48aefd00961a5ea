"""Studies of the Series III and 64: work ported from one to the other, the disc accesses a second of each, a hit and a
miss where nothing else is done, and the model's inputs that the paper prints.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import fsum
from random import Random
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.load import read_shipped
from spindle.models.hp3000.load_sheets import LOADS
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from spindle.models.hp3000.studies.trials import NO_THINKING, QUICK, Row, row, run_mixed
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import File, OpenFile
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window, Work
from spindle.sim.parameter import change
from spindle.sim.request import Span
from spindle.sim.streams import pick, stream
from spindle.sim.terminal import ResponseLog
from spindle.sim.units import KIB, MIB, MINUTE, MS
from spindle.studies.plots.curves import curve, stacked_bars
from spindle.studies.plots.style import COLOURS
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow, seconds
from spindle.workloads.drivers import SCRIPTS_A_DRIVER, drivers_for

# The unit test of discs and channels: processes that do nothing but read 1 KB at random places, as fast as they can.
#
# McBride & Boles 1983: "our unit tests had sustained better than 3 times that load", of 50 a second.

RECORD = KIB

IDLE_SET = 64 * KIB
"""Bytes of a data set of the idle data base, small enough for one disc."""


def disc_rate(
    series: SeriesModel = SERIES_64,
    discs: int | None = None,
    readers: int = 1,
    seconds: float = 60.0,
    seed: object = 1,
    **parameters: object,
) -> float:
    """Disc accesses a second of *readers* processes a disc, each disc read all over; uncached, without other load."""
    wanted = series if discs is None else replace(series, discs=discs)
    values = change(MpeParameters(), **{**wanted.settings(), "set_bytes": IDLE_SET, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(series=series), caching=False)
    programs: dict[str, Work] = {}
    for number, storage in enumerate(machine.storages):
        capacity = machine.drives[number].capacity
        file = File(f"disc {number + 1}", storage, [Span(0, capacity - capacity % RECORD)])
        for reader in range(readers):
            name = f"reader {reader} of disc {number + 1}"
            programs[name] = partial(_read_file, machine, OpenFile(file), stream(seed, name))
    result = engine.run(machine.machine, Programs(programs), Window(0.0, seconds), seed)
    return fsum(result.counters[f"drive{number}.completed"] for number in range(1, len(machine.drives) + 1)) / seconds


def _read_file(machine: Hp3000, file: OpenFile, random: Random, log: ResponseLog) -> Wait:
    account = Account("reader")
    while True:
        yield from machine.machine.read(file, pick(random, file.file.size // RECORD) * RECORD, RECORD, account)


READS = 200

RATED: Mapping[str, tuple[SeriesModel, int, int]] = {
    "Series III": (SERIES_III, 30, 40),
    "Series 64": (SERIES_64, 120, 160),
}
"""Each series, and the range of accesses a second that McBride & Boles print."""


def unloaded_reads(caching: bool, **parameters: object) -> tuple[float, float]:
    """Mean seconds of a read that was read just before, and of one that was not, at random places of all discs.

    Any field of MpeParameters may be given by name.
    """
    series = Hp3000(simpy.Environment(), change(MpeParameters(), **parameters), MpeOptions(), caching)
    files = [OpenFile(series.volumes.build(f"file {number}", 256 * 1024)) for number in range(READS)]
    first: list[float] = []
    again: list[float] = []
    load = Programs({"reader": lambda log: _read_twice(series, files, first, again)})
    engine.run(series.machine, load, Window())
    return fsum(again) / READS, fsum(first) / READS


def _read_twice(series: Hp3000, files: list[OpenFile], first: list[float], again: list[float]) -> Wait:
    random = stream(0, "unloaded")
    account = Account("reader")
    for file in sorted(files, key=lambda _: random.random()):
        for times in (first, again):
            began = series.machine.env.now
            yield from series.machine.read(file, 0, 1024, account)
            times.append(series.machine.env.now - began)


def reads(seed: object, **parameters: Any) -> dict[str, float]:
    """A hit, a miss and an uncached access on an idle machine, in milliseconds, whatever the *seed*."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


def unit_rate(series: str, seconds: float, seed: object, **parameters: Any) -> dict[str, float]:
    """Accesses a second of the drives of a *series* under a load of nothing else, and how many drives these are."""
    sheet = RATED[series][0]
    drives = parameters.get("discs", sheet.discs)
    return {"drives": drives, "disc_rate": disc_rate(sheet, seconds=seconds, seed=seed, **parameters)}


def printed_inputs(seed: object, **parameters: Any) -> dict[str, float]:
    """Collect from the parts the numbers that the paper states and the model takes as they are, whatever the *seed*."""
    used = change(MpeParameters(), **parameters)
    terminals = sum(script.terminals for script in read_shipped("hybrid_101.tepe"))
    return {
        "mips_iii": SERIES_III.mips, "mips_64": used.mips,
        "memory_iii_mb": SERIES_III.memory / MIB, "memory_64_mb": used.memory / MIB,
        "sequential_fetch_kb": used.fetch_sequential / KIB, "random_fetch_kb": used.fetch_random / KIB,
        "overhead_ms": used.hit_cpu / MS, "data_sets": float(sum(family.count for family in FAMILIES.values())),
        "terminals": float(terminals), "drivers": float(drivers_for(terminals)), "scripts": float(SCRIPTS_A_DRIVER),
        "interval": MINUTE,
    }  # fmt: skip


# Work of a Series III ported to a 64, in the steady state: answers a second, and what the CPU does meanwhile.

TERMINALS = 21


def ported_to(series: SeriesModel) -> SeriesModel:
    """*series* with the discs of a Series III."""
    return replace(series, discs=SERIES_III.discs, channels=SERIES_III.channels, drive=SERIES_III.drive)


MACHINES: Mapping[str, tuple[SeriesModel, bool]] = {
    "Series III": (SERIES_III, False),
    "64, its discs": (ported_to(SERIES_64), False),
    "64, six 7933": (SERIES_64, False),
    "64, caching": (SERIES_64, True),
}
"""Each with whether it caches; the second has the discs of the first."""


def run_ported(
    machine: str, pace: float, think_scale: float | None = None, load: str = "calibrated", **others: Any
) -> Row:
    """Run 21 clerks on that *machine*; *pace* multiplies their think times."""
    series, caching = MACHINES[machine]
    usual = LOADS[load].settings.get("think_scale", MpeParameters.think_scale)
    paced = pace * (usual if think_scale is None else think_scale)
    return row(run_mixed(TERMINALS, 0, series=series, caching=caching, think_scale=paced, load=load, **others))


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if name != "seed"}


PARTS = {
    "cpu_busy": "CPU busy", "paused_disc": "paused for disc", "paused_swap": "paused for swap", "idle": "idle",
}  # fmt: skip
ANSWERS = 1000
"""Answers that make up the work."""

PACE = [NO_THINKING, 1.0]
SPEED_RATIO = SERIES_64.mips / SERIES_III.mips
"""Speed of the 64's CPU over that of a Series III."""


def ported_work(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the ported work; ``minutes`` is the time for ANSWERS answers in the steady state."""
    idle = 1.0 - frame["cpu_busy"] - frame["paused_disc"] - frame["paused_swap"]
    frame = frame.assign(idle=idle, minutes=ANSWERS / frame["throughput"] / MINUTE)
    return summarise(frame, ["pace", "machine"], ["minutes", *PARTS, "lock_busy", "throughput"])


def draw_ported_work(table: pd.DataFrame) -> Axes:
    rushed = table[table["pace"] < 1.0]
    minutes = rushed.assign(**{name: rushed[name] * rushed["minutes"] for name in PARTS})
    label, title = f"minutes for {ANSWERS} answers", "The same work on a Series III and a 64"
    return stacked_bars(minutes, "machine", PARTS, x_label=label, title=title)


def caption_ported_work(table: pd.DataFrame) -> str:
    rushed, thought = (rows.set_index("machine") for _, rows in table.groupby("pace"))
    new = rushed.loc["64, its discs"]
    return (
        f"{TERMINALS} terminals without thinking, but typing, in the steady state. The CPU is {SPEED_RATIO:.1f} times "
        f"as fast; with the same discs the Series 64 takes {_shorter(rushed, 'its discs')} less for as many answers, "
        f"busy {new['cpu_busy']:.0%} of the time and paused for the disc {new['paused_disc']:.0%}, while the control "
        f"block is held {new['lock_busy']:.0%}; with caching and its own discs {_shorter(rushed, 'caching')} less. "
        f"With the think times of the script the same discs make it {_shorter(thought, 'its discs')} less. The paper "
        "has about 25 %, and does not say how its users thought."
    )


def _shorter(rows: pd.DataFrame, kind: str) -> str:
    return f"{1 - float(rows['minutes'][f'64, {kind}']) / float(rows['minutes']['Series III']):.0%}"


def promises(rows: SeedRows) -> Mapping[str, float]:
    """The share by which work of a Series III is shorter on a 64 with its discs; and the promise of the CPU alone."""

    def rate(machine: str, pace: float) -> float:
        return float(rows.one(machine=machine, pace=pace)["throughput"])

    gained = [1.0 - rate("Series III", pace) / rate("64, its discs", pace) for pace in PACE]
    return {
        "shorter": gained[0], "shorter_with_thought": gained[1],
        "far_less": float(max(gained) < 1.0 - 1.0 / SPEED_RATIO),
    }  # fmt: skip


def unit_test(frame: pd.DataFrame) -> pd.DataFrame:
    return summarise(frame.sort_values("drives", kind="stable"), ["series", "drives"], ["disc_rate"])


def draw_unit_test(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "drives", "disc_rate", "series", names={name: name for name in RATED},
        x_label="drives, each with a reader", y_label="disc accesses a second",
        title="Four drives saturate a Series III, eight no Series 64",
    )  # fmt: skip
    for number, (_, low, high) in enumerate(RATED.values()):
        axes.axhspan(low, high, color=COLOURS[number], alpha=0.12, linewidth=0)
    return axes


def caption_unit_test(frame: pd.DataFrame) -> str:
    met = []
    for name, (series, low, high) in RATED.items():
        rows = frame[frame["series"] == name]
        inside = rows[rows["disc_rate"].between(low, high)]["drives"]
        where = f"with {' or '.join(map(str, inside))} drives" if len(inside) else "with none of these"
        met.append(f"{name}, {low} to {high} a second, is met {where}; the model's has {series.discs}")
    return f"Shaded is the paper's range for each series; it does not say how many drives there were. {'. '.join(met)}."


def measure_reads(rows: SeedRows) -> Mapping[str, float]:
    """Return the numbers of the idle machine, and how many ``times`` as long an uncached access takes as a hit."""
    read = numbers(rows)
    return {**read, "times": read["access_ms"] / read["hit_ms"]}


def own_rates(rows: SeedRows) -> Mapping[str, float]:
    """Accesses a second of each series with the drives that it has."""
    iii, new = (rows.one(series=name, own=True)["disc_rate"] for name in RATED)
    return {"series_iii": iii, "series_64": new}


STEADY = StudyWindow({"minutes": 15.0, "warm_up": 3.0}, QUICK)
UNIT_WINDOW, POINT_WINDOW = seconds(300.0), seconds(60.0)
"""Long, because a mean comes within a third of a percent of a bound; and short, for points of the curve."""


STUDIES = (
    Study("hit_time", "A hit, a miss and an uncached access on a machine that has nothing else to do.",
          [Runs(reads, UNTIMED)], measures=measure_reads),
    Study("given", "Inputs of the model that the paper prints.", [Runs(printed_inputs, UNTIMED)], measures=numbers),
    Study(
        "ported_work",
        "How long work of a Series III takes on a Series 64, and what the faster CPU does meanwhile.",
        [Runs(run_ported, STEADY, pace=PACE, machine=list(MACHINES))],
        Figure(ported_work, draw_ported_work, caption_ported_work), promises,
    ),
    Study(
        "unit_test",
        "How many accesses a second the discs of each series reach under a load of nothing but accesses.",
        [Runs(unit_rate, UNIT_WINDOW, {"own": True}, series=list(RATED)),
         Runs(unit_rate, POINT_WINDOW, {"own": False}, series="Series III", discs=[1, 4, 6, 8]),
         Runs(unit_rate, POINT_WINDOW, {"own": False}, series="Series 64", discs=[1, 2, 4, 8])],
        Figure(unit_test, draw_unit_test, caption_unit_test), own_rates,
    ),
)  # fmt: skip
