"""Reads the table of programs measured on a virtual machine of 2026: their calls, times, and which were fitted."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

MEASURED_TABLE = Path(__file__).with_name("measured_2026.csv")
"""CSV of every measurement of at most 64 KiB a call; ``quiet_us`` is the median of runs that others did not disturb."""
CLOSE_SHARE = 0.15
"""Largest error that counts as close: quiet runs repeat about as well."""
LARGE_FILE, SHORT_RUN = 1 << 27, 0.1
"""Programs on files of more bytes are simulated for this many seconds only."""


class MeasuredProgram(NamedTuple):
    """One measured program: its file in the page cache if *warm*; microseconds a call in quiet runs, and quartiles."""

    name: str
    program: StdioProgram
    warm: bool
    quiet: float
    quartiles: tuple[float, float]
    fitted: bool

    @property
    def seconds(self) -> float:
        """Return the seconds after which the program is interrupted."""
        return SHORT_RUN if self.program.size > LARGE_FILE else 1000.0

    def is_close(self, us: float) -> bool:
        return abs(us / self.quiet - 1.0) <= CLOSE_SHARE

    def is_usual(self, us: float) -> bool:
        """Return whether *us* is close, or within the quartiles of all runs."""
        return self.is_close(us) or self.quartiles[0] <= us <= self.quartiles[1]


@cache
def measured_programs() -> tuple[MeasuredProgram, ...]:
    with MEASURED_TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_program(row) for row in csv.DictReader(file))


@cache
def not_fitted() -> tuple[MeasuredProgram, ...]:
    """Return the measured programs that no constant of the machine was fitted to."""
    return tuple(each for each in measured_programs() if not each.fitted)


def _program(row: dict[str, str]) -> MeasuredProgram:
    block, size, stride = (int(row[name]) for name in ("block", "size", "stride"))
    flags = frozenset(Flag(flag) for flag in row["flags"].split("+") if flag)
    program = StdioProgram(row["row"], "-", StdioCall(row["call"]), block, size, stride, flags, Advice(row["advice"]))
    return MeasuredProgram(
        f"{row['row']}, {block} bytes" + (f", stride {stride}" if stride else ""), program, row["warm"] == "1",
        float(row["quiet_us"]), (float(row["q25_us"]), float(row["q75_us"])), row["fitted"] == "1",
    )  # fmt: skip
