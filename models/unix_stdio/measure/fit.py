"""Constants fitted to measured rows, as many as constants; all other rows are predicted by the simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.optimize import nnls

from models.unix_stdio.machines import LECTURE
from models.unix_stdio.measure.constants import DEVICE, PROCESSOR, FittedConstant
from models.unix_stdio.measure.predict import predicted, simulates
from models.unix_stdio.measure.row import MeasuredRow
from models.unix_stdio.parameters import UnixParameters
from sim.error import UserError
from sim.parameter import changed
from sim.units import US

FITTED = tuple(constant.parameter for constant in (*PROCESSOR, *DEVICE))
LEAST = {each.name: 1e-12 if each.metadata["rule"].positive else 0.0 for each in fields(UnixParameters)}
"""Seconds; a drive cannot take no time at all."""
STEPS = {"copy": 1e-3 * US, "write_byte": 1e-3 * US, "read_byte": 1e-3 * US}


@dataclass(frozen=True)
class FittedMachine:
    """A *machine* that takes as long as the rows that were *used*; *device*: whether these include its drive."""

    machine: UnixParameters
    used: Mapping[FittedConstant, MeasuredRow]
    device: bool


def fit(rows: Sequence[MeasuredRow], kernel: Mapping[str, int]) -> FittedMachine:
    """The machine of *rows*, whose *kernel* is set so."""
    machine = changed(LECTURE, **{name: LEAST[name] for name in FITTED}, **kernel)
    processor = {each: row for each in PROCESSOR if (row := _row(each, rows)) is not None}
    lacking = [each.row for each in PROCESSOR if each not in processor]
    if lacking:
        raise UserError(f"nothing can be fitted without a row of {lacking[0]}")
    machine = _fitted(machine, processor)
    device = {each: row for each in DEVICE if (row := _row(each, rows)) is not None}
    complete = len(device) == len(DEVICE)
    if complete:
        machine = _fitted(machine, device)
    used = {**processor, **(device if complete else {})}
    return FittedMachine(machine, used, complete)


def _row(constant: FittedConstant, rows: Sequence[MeasuredRow]) -> MeasuredRow | None:
    return next((row for row in rows if constant.matches(row.cell) and simulates(row.cell, row.reached)), None)


def _fitted(machine: UnixParameters, wanted: Mapping[FittedConstant, MeasuredRow]) -> UnixParameters:
    """*machine* with the constants that give what is *wanted*, none of them negative.

    The time of a call is linear in each, so that a step of each shows how much of it a call takes. Where measurements
    contradict one another (a larger block that takes less), shares of what was measured are missed as little as can be.
    """
    names = [constant.parameter for constant in wanted]
    rows = list(wanted.values())
    base = [_seconds(machine, row) for row in rows]
    steps = {name: STEPS.get(name, US) for name in names}
    taking = np.array([
        [(_seconds(changed(machine, **{name: LEAST[name] + step}), row) - zero) / row.seconds
         for name, step in steps.items()] for row, zero in zip(rows, base, strict=True)
    ])  # fmt: skip
    missing = np.array([1.0 - zero / row.seconds for row, zero in zip(rows, base, strict=True)])
    solution, _ = nnls(taking, missing)
    return changed(machine, **{name: LEAST[name] + float(many) * steps[name]
                               for name, many in zip(names, solution, strict=True)})  # fmt: skip


def _seconds(machine: UnixParameters, row: MeasuredRow) -> float:
    return predicted(row.cell, row.reached, machine)
