"""The machines that the programs may run on, each with its numbers: the lecture's, and a virtual one of 2026."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spindle.models.unix_stdio.parameters import NS, UnixParameters
from spindle.sim.parameter import ParameterSource, change
from spindle.sim.units import GIB, MIB, US
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

LECTURE = UnixParameters()

VIRTUAL_2026 = change(
    LECTURE,
    library_call=16.43 * NS, write_call=0.5579 * US, read_call=0.3501 * US, seek_call=0.1136 * US,
    copy=0.03318 * NS, new_page=0.8276 * US, new_folio=1.203 * US,
    write_request=39.66 * US, write_byte=0.324 * NS, flush=78.5 * US, write_out=17.5 * US, allocate=20.4 * US,
    read_request=52.5 * US, read_byte=0.666 * NS,
    memory=22 * GIB, read_ahead=8 * MIB, request=4 * MIB,
)  # fmt: skip
"""Linux 6.18 on two virtual AMD EPYC, ext4 on a virtio disc with a write-back cache of its host."""

_ = "on the machine itself, median of the quiet runs"
SOURCES: Mapping[str, ParameterSource] = {
    "library_call": ParameterSource("fitted", f"fwrite of 1 byte, {_}"),
    "write_call": ParameterSource("fitted", f"write of 1 byte, {_}"),
    "read_call": ParameterSource("fitted", f"read of 1 byte, warm, {_}"),
    "seek_call": ParameterSource("fitted", f"lseek alone, {_}"),
    "copy": ParameterSource("fitted", f"read of 64 KiB, warm, {_}"),
    "new_page": ParameterSource("fitted", f"write of 64 KiB to a new file, one folio of 16 pages, {_}"),
    "new_folio": ParameterSource("fitted", f"fwrite of 4096 bytes, a folio of one page each, {_}"),
    "write_request": ParameterSource("fitted", f"O_DIRECT, 512 bytes, {_}"),
    "write_byte": ParameterSource("fitted", f"O_DIRECT, 64 KiB, {_}"),
    "allocate": ParameterSource("fitted", f"O_DIRECT, 4096 bytes: each adds a block, of eight of 512 bytes one, {_}"),
    "flush": ParameterSource("fitted", f"O_SYNC and O_DIRECT, 4096 bytes, {_}"),
    "write_out": ParameterSource("fitted", f"O_SYNC, 1 byte, {_}"),
    "read_request": ParameterSource("fitted", f"O_DIRECT, 512 bytes here and there, {_}"),
    "read_byte": ParameterSource("fitted", f"O_DIRECT, 64 KiB here and there, {_}"),
    "memory": ParameterSource("cited", "of 24.7 GB, what is not the system's own"),
    "read_ahead": ParameterSource("cited", "read_ahead_kb as found"),
    "request": ParameterSource("cited", "max_sectors_kb as found"),
}
"""Numbers that differ from the lecture's machine, and their sources; the rest is the kernel's."""

MACHINES: Mapping[str, UnixParameters] = {"lecture": LECTURE, "virtual-2026": VIRTUAL_2026}


# Programs that were measured on the machine of 2026: what each does, how long a call took, and what was fitted.

TABLE = Path(__file__).with_name("measured_2026.csv")
"""Every row of at most 64 KiB a call; ``quiet_us`` is the median of the runs that others did not disturb."""
CLOSE = 0.15
"""About as well as the quiet runs repeat."""
LARGE, SHORT = 1 << 27, 0.1
"""Size of a file in bytes of which only SHORT seconds are simulated."""


class MeasuredProgram(NamedTuple):
    """A *program*, with its file in the page cache if *warm*; microseconds a call of the quiet runs, and quartiles."""

    name: str
    program: StdioProgram
    warm: bool
    quiet: float
    quartiles: tuple[float, float]
    fitted: bool

    @property
    def seconds(self) -> float:
        """After which it is interrupted."""
        return SHORT if self.program.size > LARGE else 1000.0

    def is_close(self, us: float) -> bool:
        return abs(us / self.quiet - 1.0) <= CLOSE

    def is_usual(self, us: float) -> bool:
        """Close, or within the quartiles of all runs."""
        return self.is_close(us) or self.quartiles[0] <= us <= self.quartiles[1]


@cache
def measured_programs() -> tuple[MeasuredProgram, ...]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_program(row) for row in csv.DictReader(file))


@cache
def not_fitted() -> tuple[MeasuredProgram, ...]:
    """Those that no constant of the machine was taken from."""
    return tuple(each for each in measured_programs() if not each.fitted)


def _program(row: dict[str, str]) -> MeasuredProgram:
    block, size, stride = (int(row[name]) for name in ("block", "size", "stride"))
    flags = frozenset(Flag(flag) for flag in row["flags"].split("+") if flag)
    program = StdioProgram(row["row"], "-", StdioCall(row["call"]), block, size, stride, flags, Advice(row["advice"]))
    return MeasuredProgram(
        f"{row['row']}, {block} bytes" + (f", stride {stride}" if stride else ""), program, row["warm"] == "1",
        float(row["quiet_us"]), (float(row["q25_us"]), float(row["q75_us"])), row["fitted"] == "1",
    )  # fmt: skip
