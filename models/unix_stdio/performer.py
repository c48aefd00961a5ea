"""Performs the calls of a program in order; calls that cannot interact with anything else are done in one step."""

from collections.abc import Sequence

import simpy

from spindle.models.unix_stdio.layers import CallLayer
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.workloads.stdio import StdioProgram

MAX_REQUESTS = 25_000
"""Requests of the disc after which a program is interrupted: synchronous writes of 10 MB by bytes are ten million."""


class Progress:
    """Progress of a program: *calls*, *bytes*, the *seconds* from its first call to its last, and their parts."""

    def __init__(self) -> None:
        self.calls = self.bytes = 0
        self.seconds = self.library = self.in_calls = self.copying = self.pages = 0.0
        self.phases: tuple[float, ...] = ()
        self.charges = self.requests = 0
        self.interrupted = False

    def stop(self, now: float, work: ProgramWork, requests: int) -> None:
        """Note the end of the last call, with *requests* requests of the disc; closing the file does not count."""
        self.seconds, self.requests = now, requests
        self.phases, self.charges = tuple(work.account.seconds), work.account.charges
        self.library, self.in_calls = work.library, work.calls
        self.copying, self.pages = work.copying, work.pages


class Performer:
    """Performs *program* on a *layer* until its end, or the instant *until*, or after too many *requests* to disc."""

    def __init__(
        self, env: simpy.Environment, program: StdioProgram, layer: CallLayer, work: ProgramWork, until: float,
        requests: Sequence[int],
    ) -> None:  # fmt: skip
        self._env = env
        self._program = program
        self._layer = layer
        self._work = work
        self._until = until
        self._requests = requests
        self.progress = Progress()

    def perform(self, log: ResponseLog) -> Wait:
        """Make all calls of the program, which are one response, and close its file."""
        progress = self.progress
        yield from self._strides() if self._program.stride else self._sequence()
        yield from self._work.pay()
        progress.stop(self._env.now, self._work, len(self._requests))
        ended = progress.seconds
        log.record(Transaction("program", self._program.name, 0.0, ended, ended, progress.phases), progress.charges)
        yield from self._layer.close()
        self._work.listed.end(0.0)

    def share(self) -> float:
        """Return the share of its bytes that is done, or of its time if that is larger."""
        return min(1.0, max(self.progress.bytes / self._program.size, self._env.now / self._until))

    def _must_stop(self) -> bool:
        progress = self.progress
        soon = self._env.now + self._work.owed_seconds
        progress.interrupted = soon >= self._until or len(self._requests) >= MAX_REQUESTS
        return progress.interrupted

    def _did(self, calls: int, length: int) -> None:
        self.progress.calls += calls
        self.progress.bytes += length

    def _sequence(self) -> Wait:
        layer, block, size = self._layer, self._program.block, self._program.size
        at = 0
        while at < size and not self._must_stop():
            length = min(block, size - at)
            yield from layer.call(at, length)
            self._did(1, length)
            at += length
            calls = 0 if self._work.listed.open else min(layer.alike(at, block), (size - at) // block)
            if calls:
                yield from layer.repeat(at, block, calls)
                self._did(calls, calls * block)
                at += calls * block

    def _strides(self) -> Wait:
        program = self._program
        first = 0
        while first < program.stride and not self._must_stop():
            row = range(first, program.size, program.stride)
            yield from self._row(row)
            rows = self._rows_alike(first, len(row))
            if rows and not self.progress.interrupted and self._layer.repeat_rows(program.block, rows * len(row)):
                self._did(rows * len(row), rows * len(row) * program.block)
                first += rows * program.block
            first += program.block

    def _row(self, row: range) -> Wait:
        layer, program = self._layer, self._program
        for at in row:
            if self._must_stop():
                return
            length = program.length(at)
            yield from layer.seek(at)
            yield from layer.call(at, length)
            self._did(1, length)

    def _rows_alike(self, first: int, columns: int) -> int:
        """Return the number of coming rows within the same pages, if a row moves from page to page each time."""
        program = self._program
        if self._work.listed.open or columns < 2 or program.stride % PAGE or program.size % PAGE:
            return 0
        return -(first + program.block) % PAGE // program.block
