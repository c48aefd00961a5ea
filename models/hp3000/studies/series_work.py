"""Studies of the Series III and 64: work ported from one to the other, and the disc accesses a second of each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from spindle.models.hp3000.studies.trials import (
    NO_THINKING,
    QUICK,
    RATED,
    Row,
    printed_inputs,
    reads,
    row,
    run_mixed,
    unit_rate,
)
from spindle.sim.units import MINUTE
from spindle.studies.plots.curves import curve, stacked_bars
from spindle.studies.plots.style import COLOURS
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow, seconds

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


def run_ported(machine: str, pace: float, think_scale: float = MpeParameters.think_scale, **others: Any) -> Row:
    """Run 21 clerks on that *machine*; *pace* multiplies their think times."""
    series, caching = MACHINES[machine]
    return row(run_mixed(TERMINALS, 0, series=series, caching=caching, think_scale=pace * think_scale, **others))


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
        "shorter": gained[0], "shorter_with_thought": gained[1], "promised_minutes": 20 / SPEED_RATIO,
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
