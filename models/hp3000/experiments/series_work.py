"""Work of a Series III ported to a 64: how long it takes, what the CPU waits for, and what unit tests promised."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.gains import few
from models.hp3000.experiments.hybrid import NO_THINKING
from models.hp3000.instruments.unit_test import disc_rate
from models.hp3000.load import shipped, slower, spread
from models.hp3000.parameters import Parameters
from models.hp3000.run import run
from models.hp3000.series import SERIES_64, SERIES_III, Series
from sim.plots.curves import curve, stacked_bars
from sim.plots.style import COLOURS
from sim.script import Loop, Script, Step
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep
from sim.units import MINUTE

TERMINALS = 21
ANSWERS_A_MINUTE = 15
"""How many answers each terminal gives for a minute of effort."""

MOST_MINUTES = 600.0
"""When nobody is logged on any more nothing happens, so that the rest costs nothing."""


def ported_to(series: Series) -> Series:
    """*series* with the discs of a Series III."""
    three = SERIES_III
    return replace(series, discs=three.discs, channels=three.channels, drive=three.drive)


MACHINES: Mapping[str, tuple[Series, bool]] = {
    "Series III": (SERIES_III, False),
    "64, its discs": (ported_to(SERIES_64), False),
    "64, six 7933": (SERIES_64, False),
    "64, caching": (SERIES_64, True),
}
"""Each with whether it caches; the second has the discs of the first."""

PARTS = {
    "busy": "CPU busy", "paused_disc": "paused for disc", "paused_swap": "paused for swap", "idle": "idle",
}  # fmt: skip


RATED: Mapping[str, tuple[Series, int, int]] = {"Series III": (SERIES_III, 30, 40), "Series 64": (SERIES_64, 120, 160)}
"""Accesses a second, as McBride & Boles print them."""

UNIT_SECONDS = 10.0
"""Simulated for a minute of effort."""


def limited(answers: int, think_scale: float) -> list[Script]:
    """The scripts of 21 clerks, each of whom logs off after so many *answers*."""

    def once(steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(replace(step, times=answers) if isinstance(step, Loop) else step for step in steps)

    scripts = spread(shipped("orders_63.tepe"), TERMINALS)
    return [replace(script, steps=once(slower(script.steps, think_scale))) for script in scripts]


def ported(machine: str, think: float, answers: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Seconds until the last of 21 terminals has given its *answers*, and what the CPU did in them.

    *think* multiplies the think times.
    """
    series, caching = MACHINES[machine]
    scripts = limited(answers, think * Parameters.think_scale)
    result = run(
        scripts=scripts, series=series, caching=caching, seed=seed, minutes=MOST_MINUTES, warm_up=0.0, **parameters
    )
    elapsed = max(row.ended for row in result.transactions)
    counted = result.counters
    said = {
        "busy": counted["cpu.busy"], "paused_disc": counted["dispatcher.paused_disc"],
        "paused_swap": counted["dispatcher.paused_swap"],
    }  # fmt: skip
    idle, held = elapsed - sum(said.values()), counted["data_base.lock_held"]
    return {**said, "idle": idle, "elapsed": elapsed, "lock_held": held, "responses": float(len(result.transactions))}


def ported_work(effort: Effort) -> pd.DataFrame:
    answers = max(1, round(ANSWERS_A_MINUTE * effort.minutes))
    frame = sweep(
        ported, think=[NO_THINKING, 1.0], machine=list(MACHINES), answers=answers, seed=few(effort).seeds,
        workers=effort.workers, progress=effort.progress,
    )  # fmt: skip
    return summarise(frame, ["think", "machine", "answers"], [*PARTS, "elapsed", "lock_held", "responses"])


def draw_ported_work(frame: pd.DataFrame) -> Axes:
    rushed = frame[frame["think"] < 1.0]
    minutes = rushed.assign(**{name: rushed[name] / MINUTE for name in PARTS})
    return stacked_bars(
        minutes, "machine", PARTS, x_label="elapsed time, minutes", title="The same work on a Series III and a 64"
    )


def remark_ported_work(frame: pd.DataFrame) -> str:
    rushed, thought = (rows.set_index("machine") for _, rows in frame.groupby("think"))
    new = rushed.loc["64, its discs"]
    share = {name: new[name] / new["elapsed"] for name in ("busy", "paused_disc", "lock_held")}
    return (
        f"{TERMINALS} terminals give {new['answers']:g} answers each without thinking, but typing. The CPU is "
        f"{SERIES_64.mips / SERIES_III.mips:.1f} times as fast; with the same discs the Series 64 takes "
        f"{_shorter(rushed, 'its discs')} less, busy {share['busy']:.0%} of the time and paused for the disc "
        f"{share['paused_disc']:.0%}, while the control block is held {share['lock_held']:.0%}; with caching and its "
        f"own discs {_shorter(rushed, 'caching')} less. With the think times of the script the same discs make it "
        f"{_shorter(thought, 'its discs')} less. The paper has about 25 %, and does not say how its users thought."
    )


def _shorter(rows: pd.DataFrame, kind: str) -> str:
    elapsed = rows["elapsed"]
    return f"{1 - float(elapsed[f'64, {kind}']) / float(elapsed['Series III']):.0%}"


def unit_rate(series: str, discs: int, seconds: float, seed: object) -> dict[str, float]:
    return {"disc_rate": disc_rate(RATED[series][0], discs, seconds=seconds, seed=seed)}


def unit_test(effort: Effort) -> pd.DataFrame:
    frame = sweep(
        unit_rate, series=list(RATED), discs=[1, 2, 4, 6, 8], seconds=UNIT_SECONDS * effort.minutes, seed=effort.seeds,
        workers=effort.workers, progress=effort.progress,
    )  # fmt: skip
    return summarise(frame, ["series", "discs"], ["disc_rate"])


def draw_unit_test(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "discs", "disc_rate", "series", names={name: name for name in RATED},
        x_label="drives, each with a reader", y_label="disc accesses a second", title="Discs that do nothing else",
    )  # fmt: skip
    for number, (_, low, high) in enumerate(RATED.values()):
        axes.axhspan(low, high, color=COLOURS[number], alpha=0.12, linewidth=0)
    return axes


def remark_unit_test(frame: pd.DataFrame) -> str:
    said = []
    for name, (series, low, high) in RATED.items():
        rows = frame[frame["series"] == name]
        inside = rows[rows["disc_rate"].between(low, high)]["discs"]
        where = f"with {' or '.join(map(str, inside))} drives" if len(inside) else "with none of these"
        said.append(f"{name}, {low} to {high} a second, is met {where}, and here has {series.discs}")
    return f"Shaded is what the paper says of each; how many drives there were it does not say. {'; '.join(said)}."


EXPERIMENTS = (
    Experiment(
        "ported_work",
        "How long work of a Series III takes on a Series 64, and what the faster CPU does meanwhile.",
        ported_work, draw_ported_work, remark_ported_work, slow=True,
    ),
    Experiment(
        "unit_test",
        "How many accesses a second the discs of each series reach under a load of nothing but accesses.",
        unit_test, draw_unit_test, remark_unit_test,
    ),
)  # fmt: skip
