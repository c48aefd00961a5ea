"""Fits constants of a machine for stdio programs, each to one measured row, and predicts the other rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from statistics import mean, median
from typing import Any

import numpy as np
from scipy.optimize import nnls

from spindle.lab.measure.table import Cell, MeasuredRow, ProgramStart, short
from spindle.models.unix_stdio.parameters import LECTURE, PAGE, UnixParameters
from spindle.models.unix_stdio.run import UnixOptions, run_stack
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.units import KIB, MIB, US
from spindle.workloads.stdio import Flag, StdioProgram
from spindle.workloads.stdio_files import programs

# Prediction of the seconds of a measured call, by simulation.

MAX_RUN_SECONDS = 1e9
SIMULATED_STRIDE = 64 * KIB
MAX_STEPS = 1 << 18
MAX_WAITING_CALLS, MIN_CALLS = 256, 16
"""The most simulated calls of a program that waits for the drive, and the fewest of one that does not."""


@lru_cache(maxsize=4096)
def predict(cell: Cell, reached: int, machine: UnixParameters = LECTURE) -> float:
    """Simulate *cell* on *machine*; return the seconds of a call, as a mean of the first *reached* calls."""
    stack = run_stack(_part(cell, reached), MAX_RUN_SECONDS, cell.start is ProgramStart.WARM, UnixOptions(machine))
    progress = stack.performer.progress
    return progress.seconds / progress.calls


def _part(cell: Cell, reached: int) -> StdioProgram:
    """Return a part of the program whose calls take as long as those of the whole.

    Read-ahead depends on all calls before, so a program that relies on it is simulated as far as it got, or to its end
    if it has a stride. Otherwise all calls are alike except for where pages begin, and some of them are enough; the
    distance of blocks does not matter either.
    """
    program = cell.program
    if relies_on_read_ahead(cell):
        return program if program.stride else program.change(size=reached * program.block)
    calls = min(reached, MAX_WAITING_CALLS if program.sync or program.direct else max(MIN_CALLS, MIB // program.block))
    if not program.stride:
        return program.change(size=min(program.size, calls * program.block))
    columns = -(-program.size // program.stride)
    stride = program.block * -(-calls // columns) if program.direct else min(program.stride, SIMULATED_STRIDE)
    return program.change(size=stride * columns, stride=stride) if not stride % program.block else program


def relies_on_read_ahead(cell: Cell) -> bool:
    return cell.start is ProgramStart.COLD and not cell.program.direct


def simulates(cell: Cell, reached: int) -> bool:
    """Tell if *cell* can be simulated as it was measured, and soon enough.

    A program with a stride that was cut short had not touched all its pages yet. Calls with separate pages are
    simulated one by one, and so are those of strides that are not whole pages.
    """
    if relies_on_read_ahead(cell) and cell.program.stride and reached < cell.program.calls:
        return False
    program = _part(cell, reached)
    by_page = not program.stride or not (program.stride % PAGE or program.size % PAGE or program.stride == program.size)
    steps = min(program.calls, program.size // PAGE + 1) if by_page else program.calls
    return steps <= MAX_STEPS


SYNC, DIRECT = Flag.SYNC, Flag.DIRECT


@dataclass(frozen=True)
class FittedConstant:
    """A parameter of the machine, and the cell whose measured time it is fitted to: *program* with *block*."""

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
        """Name of the row in the text of the answer."""
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
"""Calls that end in the page cache: the smallest block determines R, the time of a call, the largest U, of a byte."""

DEVICE = (
    FittedConstant("write_request", "R of the drive, writing", "w04", 512, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("write_byte", "U of the drive, writing", "w04", 64 * KIB, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("allocate", "a block of the file system", "w04", 4 * KIB, ProgramStart.NEW, frozenset({DIRECT})),
    FittedConstant("flush", "until it is safe", "w02", 4 * KIB, ProgramStart.NEW, frozenset({SYNC, DIRECT})),
    FittedConstant("write_out", "pages sent out at once", "w01", 1, ProgramStart.NEW, frozenset({SYNC})),
    FittedConstant("read_request", "R of the drive, reading", "r06", 512, ProgramStart.COLD, frozenset({DIRECT})),
    FittedConstant("read_byte", "U of the drive, reading", "r06", 64 * KIB, ProgramStart.COLD, frozenset({DIRECT})),
)
"""Calls that wait for the drive: past the page cache (DIRECT), or through it (SYNC)."""

FITTED = tuple(constant.parameter for constant in (*PROCESSOR, *DEVICE))
LEAST_SECONDS = {each.name: 1e-12 if each.metadata["rule"].positive else 0.0 for each in fields(UnixParameters)}
"""Least value of each parameter, in seconds; a drive cannot take no time at all."""
FIT_STEPS = {"copy": 1e-3 * US, "write_byte": 1e-3 * US, "read_byte": 1e-3 * US}


@dataclass(frozen=True)
class FittedMachine:
    """A fitted *machine*, which takes as long as the rows that were *used*; *device*: True if its drive was fitted."""

    machine: UnixParameters
    used: Mapping[FittedConstant, MeasuredRow]
    device: bool


def fit(rows: Sequence[MeasuredRow], kernel: Mapping[str, int]) -> FittedMachine:
    """Fit the constants of a machine to *rows*; *kernel* are settings of its kernel."""
    machine = change(LECTURE, **{name: LEAST_SECONDS[name] for name in FITTED}, **kernel)
    processor = {each: row for each in PROCESSOR if (row := _row(each, rows)) is not None}
    lacking = [each.row for each in PROCESSOR if each not in processor]
    if lacking:
        raise UserError(f"nothing can be fitted without a row of {lacking[0]}")
    machine = _fit(machine, processor)
    device = {each: row for each in DEVICE if (row := _row(each, rows)) is not None}
    complete = len(device) == len(DEVICE)
    if complete:
        machine = _fit(machine, device)
    used = {**processor, **(device if complete else {})}
    return FittedMachine(machine, used, complete)


def _row(constant: FittedConstant, rows: Sequence[MeasuredRow]) -> MeasuredRow | None:
    return next((row for row in rows if constant.matches(row.cell)), None)


def _fit(machine: UnixParameters, wanted: Mapping[FittedConstant, MeasuredRow]) -> UnixParameters:
    """Fit the constants in *wanted*, none of them negative, to the row of each.

    The time of a call is linear in each constant, so a step of each shows how much of it a call has. Where measurements
    contradict each other (a larger block that takes less), relative errors are minimised.
    """
    names = [constant.parameter for constant in wanted]
    rows = list(wanted.values())
    base = [_seconds(machine, row) for row in rows]
    steps = {name: FIT_STEPS.get(name, US) for name in names}
    taking = np.array([
        [(_seconds(change(machine, **{name: LEAST_SECONDS[name] + step}), row) - zero) / row.seconds
         for name, step in steps.items()] for row, zero in zip(rows, base, strict=True)
    ])  # fmt: skip
    missing = np.array([1.0 - zero / row.seconds for row, zero in zip(rows, base, strict=True)])
    solution, _ = nnls(taking, missing)
    return change(machine, **{name: LEAST_SECONDS[name] + float(many) * steps[name]
                               for name, many in zip(names, solution, strict=True)})  # fmt: skip


def _seconds(machine: UnixParameters, row: MeasuredRow) -> float:
    return predict(row.cell, row.reached, machine)


# Comparison of each measured row with its prediction.

NEAR_ERROR = 0.15
"""A prediction is near up to this relative error."""
BUSY_STRETCH = 1.25
"""Factor on undisturbed calls above which a machine is called busy."""
MAX_JUDGED_BLOCK = 64 * KIB
"""Largest block that is judged: the kernel splits larger ones, or allocates them in pieces of its choice."""
KERNEL_SETTINGS = {"read_ahead": "drive read_ahead_kb", "request": "drive max_sectors_kb"}
"""Parameters of the model and the settings of the kernel that they are."""
MAX_KIB = 1 << 20
Watched = Callable[[Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True)
class MeasuredCell:
    """A measured *row*, the predicted seconds of its call (None: not simulated), and if it was *fitted*."""

    row: MeasuredRow
    predicted: float | None
    fitted: bool

    @property
    def error(self) -> float | None:
        """The relative error of the prediction; positive if it is too large."""
        return None if self.predicted is None else self.predicted / self.row.seconds - 1.0

    @property
    def is_judged(self) -> bool:
        """True if the row counts for the error of the simulation."""
        return self.predicted is not None and not self.fitted and self.row.cell.program.block <= MAX_JUDGED_BLOCK

    @property
    def is_near(self) -> bool:
        """True within NEAR_ERROR; for a program that waits for a drive, also between the quartiles."""
        if self.predicted is None or self.error is None:
            return False
        between = self.row.cell.waits and self.row.low <= self.predicted <= self.row.high
        return between or abs(self.error) <= NEAR_ERROR


@dataclass(frozen=True)
class Comparison:
    """A *fit*, and all measured *rows* with its predictions."""

    fit: FittedMachine
    rows: Sequence[MeasuredCell]

    @property
    def judged_cells(self) -> list[MeasuredCell]:
        return [each for each in self.rows if each.is_judged]

    @property
    def near_count(self) -> int:
        return sum(each.is_near for each in self.judged_cells)

    @property
    def mean_error(self) -> float:
        """Mean absolute error of the judged rows; 0 if there are none."""
        errors = [abs(each.error) for each in self.judged_cells if each.error is not None]
        return mean(errors) if errors else 0.0

    @property
    def stretch(self) -> float:
        """The factor by which calls that wait for nothing took longer than undisturbed: the median of the rows."""
        rows = [each.row for each in self.rows if each.row.undisturbed and not each.row.cell.waits]
        return median(row.median / row.seconds for row in rows) if rows else 1.0


def compare(rows: Sequence[MeasuredRow], head: Mapping[str, str], watched: Watched = lambda every: every) -> Comparison:
    """Fit a machine to *rows*, with the kernel settings in *head*, and predict all of them."""
    made = fit(rows, kernel(head))
    used = {row.cell for row in made.used.values()}
    held = []
    for row in watched(rows):
        predictable = (made.device or not row.cell.waits) and simulates(row.cell, row.reached)
        prediction = predict(row.cell, row.reached, made.machine) if predictable else None
        held.append(MeasuredCell(row, prediction, row.cell in used))
    return Comparison(made, held)


def kernel(head: Mapping[str, str]) -> dict[str, int]:
    """Return the kernel settings that the simulation uses, as far as *head* has them."""
    settings = {}
    for parameter, name in KERNEL_SETTINGS.items():
        text = head.get(name)
        if text is not None:
            if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 <= int(text) <= MAX_KIB):
                raise UserError(f"{name} must be KiB up to {MAX_KIB}, not {text[:40]!r}")
            settings[parameter] = int(text) * KIB
    return settings
