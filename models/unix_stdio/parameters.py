"""Parameters, with sources, of the machine of lecture CS61 and of a virtual machine of 2026; and the programs that were
measured on the latter.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spindle.sim.parameter import ParameterSource, Rule, assumed, change, check, cited, fitted
from spindle.sim.units import GIB, KIB, MIB, MS, US
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

NS = 1e-9
PAGE = 4096
"""Bytes of a page of the page cache."""
_SHARE = Rule(0.0, 1.0)
_WORK = Rule(0.0, 1.0)
"""CPU time of one act, of which a run may do ten million."""
_PER_BYTE = Rule(0.0, 1 * US)
_REQUEST = Rule(0.0, 10.0, positive=True)
_CLOCK = Rule(0.01, 86_400.0)
_KERNEL = "Linux, Documentation/admin-guide/sysctl/vm.rst"


@dataclass(frozen=True)
class UnixParameters:
    """Seconds and bytes. "CS61" is the lecture on caching and buffered I/O (l17); "S2-11" and the like are its claims.

    The lecture has a call or a request of *size* bytes take R + size x U: R seconds, and U seconds a byte.
    """

    # The library
    library_call: float = fitted(34.14 * NS, "S2-11: 27,000,000 bytes a second; one fwrite or fread without its system "
                                 "calls", "s", _WORK)
    buffer: int = cited(4096, "CS61, w05: strace shows writes of 4096 bytes, the st_blksize of the file", "bytes",
                        Rule(128, 1 << 24))

    # System calls
    write_call: float = fitted(2.105 * US, "S2-08: 474,492 bytes a second; R of a write into the page cache",
                               "s", _WORK)
    read_call: float = assumed(1.3 * US, "R of a read; 0.63 of a write's, as on the machine of 2026", "s", _WORK)
    seek_call: float = assumed(0.4 * US, "0.2 of a write's, as on the machine of 2026", "s", _WORK)

    # Pages
    copy: float = assumed(0.25 * NS, "4 GB/s into or out of the page cache, as memory of 2012 did", "s/byte", _PER_BYTE)
    new_page: float = fitted(8.73 * US, "S2-14: 409,000,000 bytes a second; to allocate a page and enter it",
                             "s", _WORK)
    new_folio: float = assumed(0.0, "kernels of 2012 have single pages only", "s", _WORK)

    # The disc: R and U of the lecture, whose R has the journal's waits in it
    write_request: float = fitted(38.05 * MS, "S2-02: 26 bytes a second, a page written for each", "s", _REQUEST)
    write_byte: float = fitted(100.25 * NS, "S2-05: ln 16.08, taken as the whole file in one write",
                               "s/byte", _PER_BYTE)
    read_request: float = assumed(12.7 * MS, "8.5 ms of seek and half a turn at 7200 rpm; not in the lecture", "s",
                                  _REQUEST)
    read_byte: float = assumed(10.0 * NS, "100 MB/s, as discs of 2012 read; not in the lecture", "s/byte", _PER_BYTE)
    flush: float = assumed(0.0, "what a synchronous write waits beyond its request; R includes it", "s", _WORK)
    write_out: float = assumed(0.0, "CPU time to send pages out at once; the lecture's R includes it", "s", _WORK)
    allocate: float = assumed(0.0, "time to allocate blocks for what O_DIRECT or O_SYNC adds; R includes it",
                              "s", _WORK)

    # The kernel
    memory: int = assumed(2 * GIB, "bytes for the page cache; nothing of it is ever evicted here", "bytes",
                          Rule(KIB, 1 << 50))
    background: float = cited(0.10, f"{_KERNEL}: dirty_background_ratio", "1", _SHARE)
    limit: float = cited(0.20, f"{_KERNEL}: dirty_ratio", "1", _SHARE)
    expiry: float = cited(30.0, f"{_KERNEL}: dirty_expire_centisecs", "s", _CLOCK)
    period: float = cited(5.0, f"{_KERNEL}: dirty_writeback_centisecs", "s", _CLOCK)
    commit: float = cited(5.0, "Linux, Documentation/filesystems/ext4: commit, the age at which metadata are written",
                          "s", _CLOCK)
    read_ahead: int = cited(128 * KIB, "read_ahead_kb, 128 by default", "bytes", Rule(0, 1 << 30))
    request: int = cited(1280 * KIB, "max_sectors_kb, 1280 by default", "bytes", Rule(4096, 1 << 30))

    def __post_init__(self) -> None:
        check(self)


# The machines that the programs may run on, each with its numbers: the lecture's, and a virtual one of 2026.

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
"""CSV of every measurement of at most 64 KiB a call; ``quiet_us`` is the median of runs that others did not disturb."""
CLOSE_SHARE = 0.15
"""Largest error that counts as close: quiet runs repeat about as well."""
LARGE_FILE, SHORT_RUN = 1 << 27, 0.1
"""Programs on files of more bytes are simulated for this many seconds only."""


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
        """Return the seconds after which the program is interrupted."""
        return SHORT_RUN if self.program.size > LARGE_FILE else 1000.0

    def is_close(self, us: float) -> bool:
        return abs(us / self.quiet - 1.0) <= CLOSE_SHARE

    def is_usual(self, us: float) -> bool:
        """Tell if *us* is close, or within the quartiles of all runs."""
        return self.is_close(us) or self.quartiles[0] <= us <= self.quartiles[1]


@cache
def measured_programs() -> tuple[MeasuredProgram, ...]:
    with TABLE.open(encoding="utf-8", newline="") as file:
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
