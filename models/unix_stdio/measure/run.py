"""One run of one program on the user's machine: its bytes, its calls, and how long it took."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from models.unix_stdio.measure.cell import Cell, ProgramStart
from models.unix_stdio.measure.costs import NO_COSTS, Sample
from models.unix_stdio.measure.libc import NO_TIME, Memory, Took
from models.unix_stdio.measure.loops import ProgramLoop, started
from models.unix_stdio.measure.scratch import Scratch
from sim.request import WRITE
from sim.units import KIB, MIB, MS
from workloads.stdio import StdioProgram
from workloads.stdio.calls import Layer

AT_A_TIME = 0.2
"""Seconds, about, between readings of the clock: a loop in C cannot be interrupted."""
LONG_ENOUGH = 20 * MS
PASSES = 20
FEW, MANY = 4, 16 * KIB
"""Calls at first, of programs that wait for a device and of those that do not; whole pages of bytes."""
COUNTERS = Path("/proc/self/io")


@dataclass(frozen=True)
class TimedCalls:
    """So many *calls*, together *took*, *reached* of them each time that the program began anew.

    *system_calls* is None where the kernel does not count them.
    """

    calls: int
    reached: int
    took: Took
    system_calls: int | None


class MeasureBench:
    """Where programs run: a scratch folder, a file to be read, memory for the largest block."""

    def __init__(self, scratch: Scratch, source: str, sample: Sample, size: int) -> None:
        self.scratch = scratch
        self.source = source
        self.memory = Memory(max(size, MIB))
        self._sample = sample

    def run(self, cell: Cell, seconds: float) -> TimedCalls:
        """Run *cell* over and over until that is long enough to be measured, but at most *seconds* or so."""
        passes: list[TimedCalls] = []
        costs, wall = self._sample.costs() if matters(cell.program) else NO_COSTS, 0.0
        while not passes or (wall < min(LONG_ENOUGH, seconds) and len(passes) < PASSES):
            with self._ready(cell) as path, started(cell.program, path, self.memory) as loop:
                done = _pass(cell, loop, seconds - wall)
            own = loop.overhead(costs) * done.calls
            passes.append(replace(done, took=done.took.less(Took(own, own))))
            wall += max(0.0, done.took.elapsed)  # what is subtracted may be more than a short pass took
        return _together(passes)

    @contextmanager
    def _ready(self, cell: Cell) -> Iterator[str]:
        if cell.start is ProgramStart.NEW:
            with self.scratch.file(named=cell.names_its_file) as path:
                yield path
        else:
            fill(self.source, cell.start)
            yield self.source


def fill(path: str, start: ProgramStart) -> None:
    """Have all of the file in the page cache, or nothing."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if start is ProgramStart.COLD:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        else:
            while os.read(descriptor, MIB):
                pass
    finally:
        os.close(descriptor)


def matters(program: StdioProgram) -> bool:
    """Whether what a call costs Python is something beside what it takes; it is nothing to a drive, or to tofile."""
    return not program.flags and not (program.layer is Layer.STDIO and program.operation is WRITE)


def _pass(cell: Cell, loop: ProgramLoop, seconds: float) -> TimedCalls:
    """One pass of the program, as far as it gets in *seconds*."""
    program = cell.program
    done, took = 0, NO_TIME
    before = _counted()
    calls = min(program.calls, FEW if cell.waits else max(FEW, min(MANY, 16 * MIB // program.block)))
    while calls and (not done or took.elapsed < seconds):
        moved, spent = loop.more(calls)
        if moved != calls * program.block:
            raise OSError(f"{program.call} did not do what it should")
        done, took = done + calls, took.plus(spent)
        calls = min(calls if spent.elapsed > AT_A_TIME / 2 else 2 * calls, program.calls - done)
    after = _counted()
    return TimedCalls(done, done, took, None if before is None or after is None else after - before - 1)


def _together(passes: list[TimedCalls]) -> TimedCalls:
    took, counted = NO_TIME, [each.system_calls for each in passes if each.system_calls is not None]
    for each in passes:
        took = took.plus(each.took)
    return TimedCalls(sum(each.calls for each in passes), max(each.reached for each in passes), took,
               sum(counted) if len(counted) == len(passes) else None)  # fmt: skip


def _counted() -> int | None:
    """The calls of read and write that this process made, this one not among them."""
    try:
        counters = dict(line.split(": ") for line in COUNTERS.read_text("ascii").splitlines())
        return int(counters["syscr"]) + int(counters["syscw"])
    except (OSError, KeyError, ValueError):
        return None
