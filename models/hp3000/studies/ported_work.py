"""Study of a Series III's work moved to a Series 64: answers a second in the steady state, and the CPU's time."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.load_sheets import LOADS
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from spindle.models.hp3000.studies.trials import NO_THINKING, QUICK_WINDOW, Row, row, run_mixed
from spindle.sim.units import MINUTE
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow

TERMINALS = 21
"""Terminals at either machine."""


def ported_to(series: SeriesModel) -> SeriesModel:
    return replace(series, discs=SERIES_III.discs, channels=SERIES_III.channels, drive=SERIES_III.drive)


MACHINES: Mapping[str, tuple[SeriesModel, bool]] = {
    "Series III": (SERIES_III, False),
    "64, its discs": (ported_to(SERIES_64), False),
    "64, six 7933": (SERIES_64, False),
    "64, caching": (SERIES_64, True),
}
"""Machines by name, each with whether it has disc caching; the second has the discs of the first."""


def run_ported(
    machine: str, pace: float, think_scale: float | None = None, load: str = "calibrated", **others: Any
) -> Row:
    """Run 21 clerks on that *machine*; *pace* multiplies their think times."""
    series, caching = MACHINES[machine]
    usual = LOADS[load].settings.get("think_scale", MpeParameters.think_scale)
    paced = pace * (usual if think_scale is None else think_scale)
    return row(run_mixed(TERMINALS, 0, series=series, caching=caching, think_scale=paced, load=load, **others))


TIME_NAMES = {
    "cpu_busy": "CPU busy", "paused_disc": "paused for disc", "paused_swap": "paused for swap", "idle": "idle",
}  # fmt: skip
WORK_ANSWERS = 1000
"""Answers that make up the work."""

PACES = [NO_THINKING, 1.0]
"""Factors of think times: none, and as in the script."""
SPEED_RATIO = SERIES_64.mips / SERIES_III.mips
"""Speed of the 64's CPU over that of a Series III."""


def ported_work(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the ported work; ``minutes`` is the time for WORK_ANSWERS answers in the steady state."""
    idle = 1.0 - frame["cpu_busy"] - frame["paused_disc"] - frame["paused_swap"]
    frame = frame.assign(idle=idle, minutes=WORK_ANSWERS / frame["throughput"] / MINUTE)
    return summarise(frame, ["pace", "machine"], ["minutes", *TIME_NAMES, "lock_busy", "throughput"])


def draw_ported_work(table: pd.DataFrame) -> Axes:
    rushed = table[table["pace"] < 1.0]
    minutes = rushed.assign(**{name: rushed[name] * rushed["minutes"] for name in TIME_NAMES})
    label, title = f"minutes for {WORK_ANSWERS} answers", "The same work on a Series III and a 64"
    return stacked_bars(minutes, "machine", TIME_NAMES, x_label=label, title=title)


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
    """Measure by what share the work is shorter on a 64 with a III's discs, and if that is less than by its CPU."""

    def rate(machine: str, pace: float) -> float:
        return float(rows.one(machine=machine, pace=pace)["throughput"])

    gained = [1.0 - rate("Series III", pace) / rate("64, its discs", pace) for pace in PACES]
    return {
        "shorter": gained[0], "shorter_with_thought": gained[1],
        "far_less": float(max(gained) < 1.0 - 1.0 / SPEED_RATIO),
    }  # fmt: skip


STEADY = StudyWindow({"minutes": 15.0, "warm_up": 3.0}, QUICK_WINDOW)

STUDIES = (
    Study(
        "ported_work", [Runs(run_ported, STEADY, pace=PACES, machine=list(MACHINES))],
        Figure(ported_work, draw_ported_work, caption_ported_work), promises,
    ),
)  # fmt: skip
