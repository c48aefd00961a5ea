"""Constants fitted each to one measured row, the same for every machine; the simulation predicts all other rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.optimize import nnls

from models.unix_stdio.machines import LECTURE
from models.unix_stdio.measure.cell import Cell, MeasuredRow, ProgramStart, short
from models.unix_stdio.measure.predict import predicted, simulates
from models.unix_stdio.parameters import UnixParameters
from sim.error import UserError
from sim.parameter import changed
from sim.units import KIB, US
from workloads.stdio import programs
from workloads.stdio.calls import Flag

SYNC, DIRECT = Flag.SYNC, Flag.DIRECT


@dataclass(frozen=True)
class FittedConstant:
    """A parameter, fitted so that the simulation gives what was measured of one cell: *program* with *block*."""

    parameter: str
    says: str
    program: str
    block: int
    start: ProgramStart
    flags: frozenset[Flag] = frozenset()

    def matches(self, cell: Cell) -> bool:
        program = cell.program
        ours = (self.program, self.block, self.start, self.flags, programs()[self.program].stride)
        return ours == (program.name, program.block, cell.start, program.flags, program.stride)

    @property
    def row(self) -> str:
        """What the row is called on a page."""
        start = "" if self.start is ProgramStart.NEW else self.start.value
        return " ".join(filter(None, [self.program, short(self.block), *sorted(self.flags), start]))


PROCESSOR = (
    FittedConstant("read_call", "R of read", "r01", 1, ProgramStart.WARM),
    FittedConstant("copy", "U, between program and cache", "r01", 64 * KIB, ProgramStart.WARM),
    FittedConstant("seek_call", "lseek", "r06", 1, ProgramStart.WARM),
    FittedConstant("write_call", "R of write", "w03", 1, ProgramStart.NEW),
    FittedConstant("new_page", "a new page", "w04", 64 * KIB, ProgramStart.NEW),
    FittedConstant("new_folio", "a folio, whatever its size", "w06", 4 * KIB, ProgramStart.NEW),
    FittedConstant("library_call", "R of fwrite and fread", "w05", 1, ProgramStart.NEW),
)
"""Calls that end in the page cache: the smallest block shows R, the largest U, a page at a time what a page costs."""

DEVICE = (
    FittedConstant("write_request", "R of the drive, writing", "w04", 512, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("write_byte", "U of the drive, writing", "w04", 64 * KIB, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("allocate", "a block of the file system", "w04", 4 * KIB, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("flush", "until it is safe", "w02", 4 * KIB, ProgramStart.NEW, frozenset({SYNC, DIRECT})),
    FittedConstant("write_out", "pages sent out at once", "w01", 1, ProgramStart.NEW, frozenset({SYNC})),
    FittedConstant("read_request", "R of the drive, reading", "r06", 512, ProgramStart.COLD, frozenset({DIRECT})),
    FittedConstant("read_byte", "U of the drive, reading", "r06", 64 * KIB, ProgramStart.COLD, frozenset({DIRECT})),
)
"""The drive: past the page cache, and with one that must wait for it."""


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
