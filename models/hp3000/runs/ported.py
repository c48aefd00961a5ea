"""Work of a Series III ported to a 64: how long it takes, and what the CPU does meanwhile."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from models.hp3000.load import shipped, slower, spread
from models.hp3000.parameters import Parameters
from models.hp3000.run import run
from models.hp3000.series import SERIES_64, SERIES_III, Series
from sim.script import Loop, Script, Step

TERMINALS = 21
MOST_MINUTES = 600.0
"""When nobody is logged on any more nothing happens, so that the rest costs nothing."""


def ported_to(series: Series) -> Series:
    """*series* with the discs of a Series III."""
    return replace(series, discs=SERIES_III.discs, channels=SERIES_III.channels, drive=SERIES_III.drive)


MACHINES: Mapping[str, tuple[Series, bool]] = {
    "Series III": (SERIES_III, False),
    "64, its discs": (ported_to(SERIES_64), False),
    "64, six 7933": (SERIES_64, False),
    "64, caching": (SERIES_64, True),
}
"""Each with whether it caches; the second has the discs of the first."""


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
    scripts = limited(answers, think * parameters.pop("think_scale", Parameters.think_scale))
    result = run(
        scripts=scripts, series=series, caching=caching, seed=seed, minutes=MOST_MINUTES, warm_up=0.0, **parameters
    )
    elapsed = max(row.ended for row in result.transactions)
    counted = result.counters
    cpu = {
        "busy": counted["cpu.busy"], "paused_disc": counted["dispatcher.paused_disc"],
        "paused_swap": counted["dispatcher.paused_swap"],
    }  # fmt: skip
    idle, held = elapsed - sum(cpu.values()), counted["data_base.lock_held"]
    counts = {"answers": answers, "responses": len(result.transactions)}
    return {**cpu, "idle": idle, "elapsed": elapsed, "lock_held": held, **counts}
