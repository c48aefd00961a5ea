"""The constants of a machine, and from which row of a table each is fitted: the same rule for every machine."""

from dataclasses import dataclass

from models.unix_stdio.measure.cell import Cell, Start, short
from sim.units import KIB
from workloads.stdio import programs
from workloads.stdio.calls import Flag

SYNC, DIRECT = Flag.SYNC, Flag.DIRECT


@dataclass(frozen=True)
class Constant:
    """A parameter, fitted so that the simulation gives what was measured of one cell: *program* with *block*."""

    parameter: str
    says: str
    program: str
    block: int
    start: Start
    flags: frozenset[Flag] = frozenset()

    def matches(self, cell: Cell) -> bool:
        program = cell.program
        ours = (self.program, self.block, self.start, self.flags, programs()[self.program].stride)
        return ours == (program.name, program.block, cell.start, program.flags, program.stride)

    @property
    def row(self) -> str:
        """What the row is called on a page."""
        start = "" if self.start is Start.NEW else self.start.value
        return " ".join(filter(None, [self.program, short(self.block), *sorted(self.flags), start]))


PROCESSOR = (
    Constant("read_call", "R of read", "r01", 1, Start.WARM),
    Constant("copy", "U, between program and cache", "r01", 64 * KIB, Start.WARM),
    Constant("seek_call", "lseek", "r06", 1, Start.WARM),
    Constant("write_call", "R of write", "w03", 1, Start.NEW),
    Constant("new_page", "a new page", "w04", 64 * KIB, Start.NEW),
    Constant("new_folio", "a folio, whatever its size", "w06", 4 * KIB, Start.NEW),
    Constant("library_call", "R of fwrite and fread", "w05", 1, Start.NEW),
)
"""Calls that end in the page cache: the smallest block shows R, the largest U, a page at a time what a page costs."""

DEVICE = (
    Constant("write_request", "R of the drive, writing", "w04", 512, Start.NEW, frozenset({DIRECT})),
    Constant("write_byte", "U of the drive, writing", "w04", 64 * KIB, Start.NEW, frozenset({DIRECT})),
    Constant("allocate", "a block of the file system", "w04", 4 * KIB, Start.NEW, frozenset({DIRECT})),
    Constant("flush", "until it is safe", "w02", 4 * KIB, Start.NEW, frozenset({SYNC, DIRECT})),
    Constant("write_out", "pages sent out at once", "w01", 1, Start.NEW, frozenset({SYNC})),
    Constant("read_request", "R of the drive, reading", "r06", 512, Start.COLD, frozenset({DIRECT})),
    Constant("read_byte", "U of the drive, reading", "r06", 64 * KIB, Start.COLD, frozenset({DIRECT})),
)
"""The drive: past the page cache, and with one that must wait for it."""
