"""The simulation's prediction of the seconds of a measured call."""

from functools import lru_cache

from models.unix_stdio.machines import LECTURE
from models.unix_stdio.measure.cell import Cell, ProgramStart
from models.unix_stdio.parameters import PAGE, UnixParameters
from models.unix_stdio.run import UnixOptions, performed
from sim.units import KIB, MIB
from workloads.stdio import StdioProgram

LONGEST = 1e9
CLOSE = 64 * KIB
MOST_STEPS = 1 << 18
FEW, MANY = 256, 16
"""Calls: of those that wait for the drive no more are simulated, of others no fewer."""


@lru_cache(maxsize=4096)
def predicted(cell: Cell, reached: int, machine: UnixParameters = LECTURE) -> float:
    """Seconds a call of *cell* on *machine*, of the first *reached* calls."""
    stack = performed(_part(cell, reached), LONGEST, cell.start is ProgramStart.WARM, UnixOptions(machine))
    progress = stack.performer.progress
    return progress.seconds / progress.calls


def _part(cell: Cell, reached: int) -> StdioProgram:
    """As much of the program as determines the time of the rest.

    Read-ahead learns from all calls, so that a program that relies on it is simulated as far as it got, or to its
    end where it has a stride. Otherwise all calls are alike but for where pages begin, and some are enough; it does
    not matter either how far apart blocks are.
    """
    program = cell.program
    if relies_on_read_ahead(cell):
        return program if program.stride else program.changed(size=reached * program.block)
    calls = min(reached, FEW if program.sync or program.direct else max(MANY, MIB // program.block))
    if not program.stride:
        return program.changed(size=min(program.size, calls * program.block))
    columns = -(-program.size // program.stride)
    stride = program.block * -(-calls // columns) if program.direct else min(program.stride, CLOSE)
    return program.changed(size=stride * columns, stride=stride) if not stride % program.block else program


def relies_on_read_ahead(cell: Cell) -> bool:
    return cell.start is ProgramStart.COLD and not cell.program.direct


def simulates(cell: Cell, reached: int) -> bool:
    """Whether what is simulated is what was measured, and does not take too long.

    A stride that was cut short had not met all its pages yet. Calls that have pages of their own are simulated one by
    one, and so are those of strides that are not whole pages.
    """
    if relies_on_read_ahead(cell) and cell.program.stride and reached < cell.program.calls:
        return False
    program = _part(cell, reached)
    by_page = not program.stride or not (program.stride % PAGE or program.size % PAGE or program.stride == program.size)
    steps = min(program.calls, program.size // PAGE + 1) if by_page else program.calls
    return steps <= MOST_STEPS
