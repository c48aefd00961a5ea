"""Lists the cells to measure (a program and the state of its file); writes and reads their times as a CSV table."""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from io import StringIO
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TypeVar

import pandas as pd

from spindle.output.files import write_whole
from spindle.output.tables import number, table_text
from spindle.sim.error import UserError, check_known, plain
from spindle.sim.units import GIB, KIB, MIB
from spindle.workloads.stdio import Flag, StdioProgram
from spindle.workloads.stdio_files import programs

# The cells that are measured, and the measured row of each.

MIN_FILE_SIZE, MAX_FILE_SIZE = 2 * MIB, GIB
"""Bytes of a file: at least two strides of the lecture, and at most what a C int can address."""


class ProgramStart(Enum):
    """State of the file when a program begins: new, in the page cache (warm), or not in it (cold)."""

    NEW = "new"
    WARM = "warm"
    COLD = "cold"


def short(size: int) -> str:
    """Return *size* in bytes as text: 512, 64K, 1M."""
    for unit, letter in ((MIB, "M"), (KIB, "K")):
        if size >= unit and not size % unit:
            return f"{size // unit}{letter}"
    return str(size)


@dataclass(frozen=True)
class Cell:
    """A cell of the table of measurements: a *program* whose file is in the state *start*."""

    program: StdioProgram
    start: ProgramStart

    @property
    def waits(self) -> bool:
        """True if the program waits for a device, not only for the processor."""
        return self.program.sync or self.program.direct or self.start is ProgramStart.COLD

    @property
    def title(self) -> str:
        """Name of the cell in the text of the answer."""
        program = self.program
        stride = f"stride {short(program.stride)}" if program.stride != programs()[program.name].stride else ""
        start = "" if self.start is ProgramStart.NEW else self.start.value
        return " ".join(filter(None, [program.name, short(program.block), stride, *sorted(program.flags), start]))

    @property
    def names_its_file(self) -> bool:
        """True if the file must keep its name: file systems need not sync a file without one."""
        return self.program.sync


WRITE_CELLS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("w01", (1, 512)), ("w02", (512, 4 * KIB, 16 * KIB, 64 * KIB, MIB)), ("w03", (1,)),
    ("w04", (64, 512, 4 * KIB, 16 * KIB, 64 * KIB)), ("w05", (1,)),
    ("w06", (16, 512, 4 * KIB, 8 * KIB, 64 * KIB)),
)  # fmt: skip
READ_CELLS: tuple[tuple[str, ProgramStart, tuple[int, ...]], ...] = (
    ("r01", ProgramStart.WARM, (1, 512, 4 * KIB, 16 * KIB, 64 * KIB)), ("r01", ProgramStart.COLD, (4 * KIB, 64 * KIB)),
    ("r06", ProgramStart.WARM, (1, 512, 4 * KIB)), ("r06", ProgramStart.COLD, (4 * KIB,)),
    ("r08", ProgramStart.WARM, (1, 512, 4 * KIB)), ("r08", ProgramStart.COLD, (4 * KIB,)),
)  # fmt: skip
DIRECT_BLOCKS = (512, 4 * KIB, 16 * KIB, 64 * KIB, MIB)


def cells(size: int) -> Iterator[Cell]:
    """Yield all cells to measure, with files of *size* bytes."""
    if not MIN_FILE_SIZE <= size <= MAX_FILE_SIZE or size % MIB:
        low, high = MIN_FILE_SIZE // MIB, MAX_FILE_SIZE // MIB
        raise UserError(f"--size must be whole MiB from {low} to {high}, not {size} bytes")
    lecture = {name: each.change(size=size) for name, each in programs().items()}
    for name, blocks in WRITE_CELLS:
        yield from (Cell(lecture[name].change(block=block), ProgramStart.NEW) for block in blocks)
    direct = frozenset({Flag.DIRECT})
    for block in DIRECT_BLOCKS:
        yield Cell(lecture["w04"].change(block=block, flags=direct), ProgramStart.NEW)
    for name, start, blocks in READ_CELLS:
        yield from (Cell(lecture[name].change(block=block), start) for block in blocks)
    for block in DIRECT_BLOCKS:
        yield Cell(lecture["r06"].change(block=block, flags=direct), ProgramStart.COLD)


@dataclass(frozen=True)
class MeasuredRow:
    """The measured seconds of a call in a *cell*: *median* and quartiles (*low*, *high*) of *runs*.

    *calls* and *system_calls* are of all runs together. A pass of the program made *reached* calls at most.
    *undisturbed* is the time of a call if nothing else runs; known for programs that wait for nothing, as processor
    time.
    """

    cell: Cell
    runs: int
    calls: int
    reached: int
    median: float
    low: float
    high: float
    undisturbed: float | None
    system_calls: int | None
    how: str

    @property
    def seconds(self) -> float:
        """Seconds to which a simulation is compared: of a call if nothing else runs, as far as known."""
        return self.median if self.undisturbed is None else self.undisturbed


TABLE_COLUMNS = ("program", "flags", "block", "size", "stride", "start", "runs", "calls", "reached", "seconds_median",
           "seconds_q25", "seconds_q75", "seconds_undisturbed", "system_calls", "how")  # fmt: skip
MAX_TABLE_BYTES, MAX_ROWS, MAX_CHARACTERS = MIB, 1000, 500
T = TypeVar("T")
MAX_FILE, MAX_COUNT, MAX_SECONDS = GIB, 10**12, 1e6


def write(rows: list[MeasuredRow], path: Path, head: Mapping[str, str]) -> None:
    """Write *rows* under a comment line for each entry of *head*."""
    comment = "".join(f"# {name}: {plain(' '.join(value.split()))}\n" for name, value in head.items())
    table = table_text(pd.DataFrame(map(_line, rows), columns=TABLE_COLUMNS))
    write_whole(path, comment.encode("utf-8", "backslashreplace") + table)


def _line(row: MeasuredRow) -> list[object]:
    program = row.cell.program
    seconds = (row.median, row.low, row.high, row.undisturbed)
    return [
        program.name, " ".join(sorted(program.flags)), program.block, program.size, program.stride,
        row.cell.start.value, row.runs, row.calls, row.reached,
        *("" if each is None else number(each) for each in seconds), row.system_calls, row.how,
    ]  # fmt: skip


def read(path: Path) -> tuple[list[MeasuredRow], dict[str, str]]:
    """Read the rows in *path*, and its head; a UserError begins with the file and the line."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read(MAX_TABLE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}") from error
    if len(text) > MAX_TABLE_BYTES:
        raise UserError(f"{path} is longer than {MAX_TABLE_BYTES} characters")
    rows: dict[Cell, MeasuredRow] = {}
    for line, values in _records(path, text):
        try:
            row = _row(values)
        except UserError as error:
            raise UserError(f"{path}:{line}: {error}") from error
        if row.cell in rows:
            raise UserError(f"{path}:{line}: {row.cell.title} was there before")
        rows[row.cell] = row
    return list(rows.values()), _head(text)


def _head(text: str) -> dict[str, str]:
    """Return names and values in the comments, without control characters."""
    lines = ("".join(filter(str.isprintable, line))[:MAX_CHARACTERS] for line in text.splitlines()[:MAX_ROWS])
    pairs = (line[1:].partition(":") for line in lines if line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _records(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines after the head, each with its number."""
    lines = text.splitlines(keepends=True)
    comments = next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))
    reader = csv.reader(StringIO("".join(lines[comments:])), strict=True)
    try:
        head = next(reader, [])
        for name in TABLE_COLUMNS:
            if head.count(name) != 1:
                raise UserError(f"{path}:{comments + 1}: there must be one column {name}")
        for values in islice(reader, MAX_ROWS + 1):
            line = comments + reader.line_num
            if reader.line_num > MAX_ROWS + 1:
                raise UserError(f"{path}:{line}: more than {MAX_ROWS} rows")
            if len(values) != len(head):
                raise UserError(f"{path}:{line}: {len(values)} values for {len(head)} columns")
            yield line, dict(zip(head, values, strict=True))
    except csv.Error as error:
        raise UserError(f"{path}:{comments + reader.line_num}: {error}") from error


def _row(values: Mapping[str, str]) -> MeasuredRow:
    for name, text in values.items():
        if len(text) > MAX_CHARACTERS:
            raise UserError(f"{name[:40]!r} is longer than {MAX_CHARACTERS} characters")
    low, middle, high = (_seconds(f"seconds_{name}", values) for name in ("q25", "median", "q75"))
    if not low <= middle <= high:
        raise UserError("seconds_q25, seconds_median and seconds_q75 must not fall")
    cell = _cell(values)
    reached = _whole_number("reached", values, 1)
    if reached > cell.program.calls:
        raise UserError(f"reached must be at most the {cell.program.calls} calls of the program, not {reached}")
    return MeasuredRow(
        cell, _whole_number("runs", values, 1), _whole_number("calls", values, 1), reached, middle, low, high,
        _read_optional(_seconds, "seconds_undisturbed", values),
        _read_optional(lambda name, entry: _whole_number(name, entry, 0), "system_calls", values), values["how"],
    )  # fmt: skip


def _cell(values: Mapping[str, str]) -> Cell:
    lecture, flags, starts = (
        programs(),
        {each.value: each for each in Flag},
        {each.value: each for each in ProgramStart},
    )
    name, start = values["program"], values["start"]
    check_known("program", lecture, name)
    check_known("flag", flags, *values["flags"].split())
    check_known("start", starts, start)
    program = lecture[name].change(
        block=_whole_number("block", values, 1), size=_whole_number("size", values, 1, MAX_FILE),
        stride=_whole_number("stride", values, 0), flags=frozenset(flags[each] for each in values["flags"].split()),
    )  # fmt: skip
    return Cell(program, starts[start])


def _read_optional(reader: Callable[[str, Mapping[str, str]], T], name: str, values: Mapping[str, str]) -> T | None:
    return reader(name, values) if values[name] else None


def _seconds(name: str, values: Mapping[str, str]) -> float:
    try:
        seconds = float(values[name])
    except ValueError:
        seconds = -1.0
    if not (isfinite(seconds) and 0.0 < seconds <= MAX_SECONDS):
        raise UserError(f"{name} must be seconds above 0, at most {MAX_SECONDS:g}, not {values[name][:40]!r}")
    return seconds


def _whole_number(name: str, values: Mapping[str, str], least: int, most: int = MAX_COUNT) -> int:
    text = values[name]
    if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):
        raise UserError(f"{name} must be a whole number from {least} to {most}, not {text[:40]!r}")
    return int(text)
