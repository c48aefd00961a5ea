"""The loop of a program: its calls made for real, some at a time, by loops that are in C; and what that costs."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice, repeat
from typing import Any, Protocol

import numpy as np

from models.unix_stdio.measure import libc
from models.unix_stdio.measure.costs import TimerCosts
from models.unix_stdio.measure.libc import Memory, Took, after_seeks, timed, total
from sim.request import WRITE
from workloads.stdio import StdioProgram
from workloads.stdio.calls import Advice, Flag, Layer

FLAGS = {Flag.SYNC: os.O_SYNC, Flag.DSYNC: os.O_DSYNC, Flag.DIRECT: getattr(os, "O_DIRECT", 0)}
ADVICE = {Advice.SEQUENTIAL: "POSIX_FADV_SEQUENTIAL", Advice.RANDOM: "POSIX_FADV_RANDOM"}


class ProgramLoop(Protocol):
    """Where a program has got to."""

    def more(self, calls: int) -> tuple[int, Took]:
        """The bytes that its next *calls* calls moved, and how long they took."""

    def overhead(self, costs: TimerCosts) -> float:
        """How many seconds of a call of the program's are the loop's own."""


@contextmanager
def started(program: StdioProgram, path: str, memory: Memory) -> Iterator[ProgramLoop]:
    """*program* working on the file *path*, with *memory* of a block or more."""
    writes, view = program.operation is WRITE, memory.view[: program.block]
    if program.layer is Layer.STDIO and not writes:
        with libc.stream(path) as stream:
            yield _reads_of_stdio(program, memory, stream)
        return
    with open(path, "wb" if writes else "rb", buffering=0, opener=partial(_opened, program)) as file:
        if program.layer is Layer.STDIO:
            yield Elements(program, file)
        elif program.stride:
            yield Seeking(program, lambda offsets: map(file.seek, offsets), lambda: map(file.readinto, repeat(view)))
        else:
            yield Calling(file.write if writes else file.readinto, view)


def _opened(program: StdioProgram, path: str, flags: int) -> int:
    """open(2) as *program* calls it; the file is a new one already, which is not made shorter before it is written."""
    descriptor = os.open(path, flags & ~os.O_TRUNC | sum(map(FLAGS.__getitem__, program.flags)))
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
    """One call after another, by a map that Python's sum pulls on: neither runs a line of Python."""

    def __init__(self, call: Callable[..., int], *arguments: Any, by_file: bool = True) -> None:
        self._call, self._arguments, self._by_file = call, arguments, by_file

    def more(self, calls: int) -> tuple[int, Took]:
        return timed(lambda: total(self._call, calls, *self._arguments))

    def overhead(self, costs: TimerCosts) -> float:
        return costs.file if self._by_file else costs.empty


class Seeking:
    """A seek before each call; how to get from one block to the next is worked out before the clock is read."""

    def __init__(
        self, program: StdioProgram, seeks: Callable[[Iterable[int]], Iterable[int]],
        answers: Callable[[], Iterable[int]], by_file: bool = True,
    ) -> None:  # fmt: skip
        self._offsets = program.offsets()
        self._seeks, self._answers, self._by_file = seeks, answers, by_file

    def more(self, calls: int) -> tuple[int, Took]:
        offsets = list(islice(self._offsets, calls))
        return timed(lambda: after_seeks(self._seeks(offsets), self._answers()))

    def overhead(self, costs: TimerCosts) -> float:
        """fseek fills the buffer itself, so that fread after it finds the byte and calls no kernel."""
        return costs.pair + (2.0 * costs.file if self._by_file else costs.ctypes + costs.empty)


class Elements:
    """fwrite from numpy, which writes an array that has gaps, or always the same element, one fwrite an element.

    The loop is in C and takes a nanosecond or two of each call, which stays in what is measured; opening a stream on
    the file and closing it, once for each array, is subtracted at once.
    """

    def __init__(self, program: StdioProgram, file: Any) -> None:
        self._file, self._block = file, program.block
        self._element = np.frombuffer(b"6" * program.block, f"V{program.block}")

    def more(self, calls: int) -> tuple[int, Took]:
        elements = np.broadcast_to(self._element, calls)
        _, empty = timed(lambda: self._element[:0].tofile(self._file))
        _, took = timed(lambda: elements.tofile(self._file))
        return self._block * calls, took.less(empty)

    def overhead(self, costs: TimerCosts) -> float:
        return 0.0


def how(program: StdioProgram) -> str:
    """How such a program's calls are made, and what of their time is the loop's."""
    if program.layer is Layer.CALLS:
        return "by Python's unbuffered file, less what a call of it costs beside the kernel"
    if program.operation is WRITE:
        return "fwrite by numpy's tofile, less opening and closing"
    return "fseek and fread by ctypes, less what calls of it cost"
