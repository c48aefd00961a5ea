"""What the laboratory measures, programs with several blocks, from a state of the page cache; and what comes of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sim.error import UserError
from sim.units import GIB, KIB, MIB
from workloads.stdio import StdioProgram, programs
from workloads.stdio.calls import Flag

LEAST, MOST = 2 * MIB, GIB
"""Bytes of a file: two strides of the lecture, and C's int holds every offset."""


class ProgramStart(Enum):
    """Where the file is when a program begins."""

    NEW = "new"
    WARM = "warm"
    COLD = "cold"


def short(size: int) -> str:
    """Bytes as 512, 64K, 1M."""
    for unit, letter in ((MIB, "M"), (KIB, "K")):
        if size >= unit and not size % unit:
            return f"{size // unit}{letter}"
    return str(size)


@dataclass(frozen=True)
class Cell:
    """A *program* that begins at *start*."""

    program: StdioProgram
    start: ProgramStart

    @property
    def waits(self) -> bool:
        """For a device, rather than only for the processor."""
        return self.program.sync or self.program.direct or self.start is ProgramStart.COLD

    @property
    def title(self) -> str:
        """What it is called on a page."""
        program = self.program
        stride = f"stride {short(program.stride)}" if program.stride != programs()[program.name].stride else ""
        start = "" if self.start is ProgramStart.NEW else self.start.value
        return " ".join(filter(None, [program.name, short(program.block), stride, *sorted(program.flags), start]))

    @property
    def names_its_file(self) -> bool:
        """File systems need not sync a file that has no name."""
        return self.program.sync


WRITES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("w01", (1, 512)), ("w02", (512, 4 * KIB, 16 * KIB, 64 * KIB, MIB)), ("w03", (1,)),
    ("w04", (64, 512, 4 * KIB, 16 * KIB, 64 * KIB)), ("w05", (1,)),
    ("w06", (16, 512, 4 * KIB, 8 * KIB, 64 * KIB)),
)  # fmt: skip
READS: tuple[tuple[str, ProgramStart, tuple[int, ...]], ...] = (
    ("r01", ProgramStart.WARM, (1, 512, 4 * KIB, 16 * KIB, 64 * KIB)), ("r01", ProgramStart.COLD, (4 * KIB, 64 * KIB)),
    ("r06", ProgramStart.WARM, (1, 512, 4 * KIB)), ("r06", ProgramStart.COLD, (4 * KIB,)),
    ("r08", ProgramStart.WARM, (1, 512, 4 * KIB)), ("r08", ProgramStart.COLD, (4 * KIB,)),
)  # fmt: skip
DIRECT = (512, 4 * KIB, 16 * KIB, 64 * KIB, MIB)


def cells(size: int) -> Iterator[Cell]:
    """All of the laboratory, with files of *size* bytes."""
    if not LEAST <= size <= MOST or size % MIB:
        raise UserError(f"--size must be whole MiB from {LEAST // MIB} to {MOST // MIB}, not {size} bytes")
    lecture = {name: each.changed(size=size) for name, each in programs().items()}
    for name, blocks in WRITES:
        yield from (Cell(lecture[name].changed(block=block), ProgramStart.NEW) for block in blocks)
    direct = frozenset({Flag.DIRECT})
    for block in DIRECT:
        yield Cell(lecture["w04"].changed(block=block, flags=direct), ProgramStart.NEW)
    for name, start, blocks in READS:
        yield from (Cell(lecture[name].changed(block=block), start) for block in blocks)
    for block in DIRECT:
        yield Cell(lecture["r06"].changed(block=block, flags=direct), ProgramStart.COLD)


@dataclass(frozen=True)
class MeasuredRow:
    """Seconds of a call: the median of *runs* and its quartiles; *calls* and *system_calls* of all runs together.

    *reached* is how many calls of the program there was time for, whenever it began anew. *undisturbed* is what a
    call takes where nothing else runs, if that is known: for programs that wait for nothing, the processor's time.
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
        """What a simulation of this machine with nothing else on it should give."""
        return self.median if self.undisturbed is None else self.undisturbed
