"""Makes the calls of a program for real, in batches by loops in C, and times them less the cost of these loops."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from spindle.lab.measure import libc
from spindle.lab.measure.call_cost import NO_COSTS, Sample, TimerCosts
from spindle.lab.measure.libc import NO_TIME, Memory, Took, after_seeks, measure_time, total
from spindle.lab.measure.scratch import Scratch
from spindle.lab.measure.table import Cell, ProgramStart
from spindle.sim.request import WRITE
from spindle.sim.units import KIB, MIB, MS
from spindle.workloads.stdio import Advice, Flag, Layer, StdioProgram

OPEN_FLAGS = {Flag.SYNC: os.O_SYNC, Flag.DSYNC: os.O_DSYNC, Flag.DIRECT: getattr(os, "O_DIRECT", 0)}
ADVICE = {Advice.SEQUENTIAL: "POSIX_FADV_SEQUENTIAL", Advice.RANDOM: "POSIX_FADV_RANDOM"}


class ProgramLoop(Protocol):
    """A program that is being run, some calls at a time."""

    def advance(self, calls: int) -> tuple[int, Took]:
        """Make the next *calls* calls; return the bytes that they moved, and the time they took."""

    def overhead(self, costs: TimerCosts) -> float:
        """Return the seconds that the loop itself adds to each call."""


@contextmanager
def start_program(program: StdioProgram, path: str, memory: Memory) -> Iterator[ProgramLoop]:
    """Start *program* on the file *path*, with *memory* of a block or more."""
    writes, view = program.operation is WRITE, memory.view[: program.block]
    if program.layer is Layer.STDIO and not writes:
        with libc.stream(path) as stream:
            yield _reads_of_stdio(program, memory, stream)
        return
    with open(path, "wb" if writes else "rb", buffering=0, opener=partial(_open, program)) as file:
        if program.layer is Layer.STDIO:
            yield Elements(program, file)
        elif program.stride:
            yield Seeking(program, lambda offsets: map(file.seek, offsets), lambda: map(file.readinto, repeat(view)))
        else:
            yield Calling(file.write if writes else file.readinto, view)


def _open(program: StdioProgram, path: str, flags: int) -> int:
    """Call open(2) as *program* does; the new file is not truncated before it is written."""
    descriptor = os.open(path, flags & ~os.O_TRUNC | sum(map(OPEN_FLAGS.__getitem__, program.flags)))
    if program.advice in ADVICE:
        os.posix_fadvise(descriptor, 0, 0, getattr(os, ADVICE[program.advice]))
    return descriptor


def _reads_of_stdio(program: StdioProgram, memory: Memory, stream: Any) -> ProgramLoop:
    arguments = (memory.address, 1, program.block, stream)
    if not program.stride:
        return Calling(libc.FREAD, *arguments, by_file=False)
    seeks = lambda offsets: map(libc.FSEEK, repeat(stream), offsets, repeat(os.SEEK_SET))  # noqa: E731
    return Seeking(program, seeks, lambda: map(libc.FREAD, *map(repeat, arguments)), by_file=False)


class Calling:
    """The loop of a program that repeats one call, by map and sum, so that no line of Python runs in between."""

    def __init__(self, call: Callable[..., int], *arguments: Any, by_file: bool = True) -> None:
        self._call, self._arguments, self._by_file = call, arguments, by_file

    def advance(self, calls: int) -> tuple[int, Took]:
        return measure_time(lambda: total(self._call, calls, *self._arguments))

    def overhead(self, costs: TimerCosts) -> float:
        return costs.file if self._by_file else costs.empty


class Seeking:
    """The loop of a program that seeks before each call; offsets are computed before the clock is read."""

    def __init__(
        self, program: StdioProgram, seeks: Callable[[Iterable[int]], Iterable[int]],
        answers: Callable[[], Iterable[int]], by_file: bool = True,
    ) -> None:  # fmt: skip
        self._offsets = program.offsets()
        self._seeks, self._answers, self._by_file = seeks, answers, by_file

    def advance(self, calls: int) -> tuple[int, Took]:
        offsets = list(islice(self._offsets, calls))
        return measure_time(lambda: after_seeks(self._seeks(offsets), self._answers()))

    def overhead(self, costs: TimerCosts) -> float:
        """Return the seconds that the loop adds; fread after fseek makes no system call, for fseek fills the buffer."""
        return costs.pair + (2.0 * costs.file if self._by_file else costs.ctypes + costs.empty)


class Elements:
    """The loop of a program of fwrite: numpy writes an array whose elements are all the same, each by one fwrite.

    The loop is in C and takes a nanosecond or two of each call, which is not subtracted; opening a stream on the file
    and closing it, once for each array, is.
    """

    def __init__(self, program: StdioProgram, file: Any) -> None:
        self._file, self._block = file, program.block
        self._element = np.frombuffer(b"6" * program.block, f"V{program.block}")

    def advance(self, calls: int) -> tuple[int, Took]:
        elements = np.broadcast_to(self._element, calls)
        _, empty = measure_time(lambda: self._element[:0].tofile(self._file))
        _, took = measure_time(lambda: elements.tofile(self._file))
        return self._block * calls, took.minus(empty)

    def overhead(self, costs: TimerCosts) -> float:
        return 0.0


def describe_calls(program: StdioProgram) -> str:
    """Describe how such a program's calls are made, and the share of the loop in their time."""
    if program.layer is Layer.CALLS:
        return "by Python's unbuffered file, less what a call of it costs beside the kernel"
    if program.operation is WRITE:
        return "fwrite by numpy's tofile, less opening and closing"
    return "fseek and fread by ctypes, less what calls of it cost"


BATCH_SECONDS = 0.2
"""About the seconds between readings of the clock: a loop in C cannot be interrupted."""
MIN_MEASURED = 20 * MS
MAX_PASSES = 20
"""A program is repeated until it took MIN_MEASURED seconds, MAX_PASSES times at most."""
FIRST_WAITING_CALLS, FIRST_CALLS = 4, 16 * KIB
"""Calls of the first batch, for programs that wait for a device and for others."""
COUNTERS = Path("/proc/self/io")


@dataclass(frozen=True)
class TimedCalls:
    """A measurement: *calls* calls *took* a time together. A pass of the program made *reached* of them at most.

    *system_calls* is None where the kernel does not count them.
    """

    calls: int
    reached: int
    took: Took
    system_calls: int | None


class MeasureBench:
    """Runs programs in a scratch folder, with a file to read and memory for the largest block."""

    def __init__(self, scratch: Scratch, source: str, sample: Sample, size: int) -> None:
        self.scratch = scratch
        self.source = source
        self.memory = Memory(max(size, MIB))
        self._sample = sample

    def run(self, cell: Cell, seconds: float) -> TimedCalls:
        """Run *cell* repeatedly until its time can be measured, for about *seconds* at most."""
        passes: list[TimedCalls] = []
        costs, wall = self._sample.costs() if matters(cell.program) else NO_COSTS, 0.0
        while not passes or (wall < min(MIN_MEASURED, seconds) and len(passes) < MAX_PASSES):
            with self._ready(cell) as path, start_program(cell.program, path, self.memory) as loop:
                done = _pass(cell, loop, seconds - wall)
            own = loop.overhead(costs) * done.calls
            passes.append(replace(done, took=done.took.minus(Took(own, own))))
            wall += max(0.0, done.took.elapsed)  # the costs subtracted may exceed the time of a short pass
        return _join(passes)

    @contextmanager
    def _ready(self, cell: Cell) -> Iterator[str]:
        if cell.start is ProgramStart.NEW:
            with self.scratch.file(named=cell.names_its_file) as path:
                yield path
        else:
            fill(self.source, cell.start)
            yield self.source


def fill(path: str, start: ProgramStart) -> None:
    """Read all of the file into the page cache, or drop it from there."""
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
    """Tell if Python's overhead matters in a call; it does not if a drive is waited for, nor in tofile."""
    return not program.flags and not (program.layer is Layer.STDIO and program.operation is WRITE)


def _pass(cell: Cell, loop: ProgramLoop, seconds: float) -> TimedCalls:
    """Run the program once, as far as it gets in *seconds*."""
    program = cell.program
    done, took = 0, NO_TIME
    before = _count_calls()
    first = FIRST_WAITING_CALLS if cell.waits else max(FIRST_WAITING_CALLS, min(FIRST_CALLS, 16 * MIB // program.block))
    calls = min(program.calls, first)
    while calls and (not done or took.elapsed < seconds):
        moved, spent = loop.advance(calls)
        if moved != calls * program.block:
            raise OSError(f"{program.call} did not do what it should")
        done, took = done + calls, took.plus(spent)
        calls = min(calls if spent.elapsed > BATCH_SECONDS / 2 else 2 * calls, program.calls - done)
    after = _count_calls()
    return TimedCalls(done, done, took, None if before is None or after is None else after - before - 1)


def _join(passes: list[TimedCalls]) -> TimedCalls:
    took, counted = NO_TIME, [each.system_calls for each in passes if each.system_calls is not None]
    for each in passes:
        took = took.plus(each.took)
    return TimedCalls(sum(each.calls for each in passes), max(each.reached for each in passes), took,
               sum(counted) if len(counted) == len(passes) else None)  # fmt: skip


def _count_calls() -> int | None:
    """Return the number of calls of read and write that this process made before this one."""
    try:
        counters = dict(line.split(": ") for line in COUNTERS.read_text("ascii").splitlines())
        return int(counters["syscr"]) + int(counters["syscw"])
    except (OSError, KeyError, ValueError):
        return None
