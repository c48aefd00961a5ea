"""Who sits at the terminals: the shipped scripts, for any number of clerks and programmers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import workloads
from sim.error import UserError
from sim.script import Choose, Loop, Script, Step, Think
from sim.streams import Scaled
from workloads import tepe
from workloads.programs import CATALOGUE

SCRIPTS = Path(workloads.__file__).parent / "tepe"
MOST_TERMINALS = 10_000


def shipped(name: str) -> tuple[Script, ...]:
    """The scripts of a file that comes with Spindle."""
    return tepe.read(SCRIPTS / name, CATALOGUE)


def default_load(transaction: int, development: int, think_scale: float) -> list[Script]:
    """*transaction* order-entry clerks and *development* programmers, their think times multiplied."""
    for name, count in (("terminals", transaction), ("development", development)):
        if not 0 <= count <= MOST_TERMINALS:
            raise UserError(f"{name} must be between 0 and {MOST_TERMINALS}, not {count!r}")
    if transaction + development == 0:
        raise UserError("terminals must be at least 1, not 0")
    scripts = [*spread(shipped("orders_63.tepe"), transaction), *spread(shipped("development_38.tepe"), development)]
    return [replace(script, steps=slower(script.steps, think_scale)) for script in scripts]


def spread(scripts: Sequence[Script], total: int) -> list[Script]:
    """*scripts* with *total* terminals in all, in the proportions in which they were written."""
    whole = sum(script.terminals for script in scripts)
    spread_scripts, given, reached = [], 0, 0
    for script in scripts:
        reached += script.terminals
        count = round(total * reached / whole) - given
        given += count
        if count:
            spread_scripts.append(replace(script, terminals=count))
    return spread_scripts


def slower(steps: tuple[Step, ...], factor: float) -> tuple[Step, ...]:
    """*steps* with every think time multiplied by *factor*."""
    return tuple(_slower(step, factor) for step in steps)


def _slower(step: Step, factor: float) -> Step:
    match step:
        case Think(time):
            return Think(Scaled(time, factor))
        case Loop(inner, times):
            return Loop(slower(inner, factor), times)
        case Choose(weights, branches):
            return Choose(weights, tuple(slower(branch, factor) for branch in branches))
    return step
