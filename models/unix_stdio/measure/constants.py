"""The constants of a machine, and from which row of a table each is fitted: the same rule for every machine."""

from dataclasses import dataclass

from models.unix_stdio.measure.cell import Cell, ProgramStart, short
from sim.units import KIB
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
