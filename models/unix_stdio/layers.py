"""Layers that a program may call, system calls or stdio with its buffers; and the performer of its calls, which
simulates together those that cannot interact with anything."""

from collections.abc import Sequence
from typing import Protocol

import simpy

from spindle.models.unix_stdio.page_cache.reading import ReadCall
from spindle.models.unix_stdio.page_cache.writing import WriteHistory, Writing
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.workloads.stdio import StdioProgram

# The buffers of stdio as in the GNU C library: which system calls a call of the library becomes.

class OutputBuffer:
    """The buffer of fwrite. Large pieces bypass it, in whole multiples of its size; the rest waits in it."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._putting = False
        self.held = 0

    def put(self, length: int) -> list[int]:
        """fwrite of *length* bytes: the bytes of each write(2) that it takes, in order.

        What fits goes into the buffer. If anything is left, the buffer is written, then whole buffers of the rest
        are, straight from the caller's memory. So a buffer that is exactly full is written by the next call only.
        """
        room = self._capacity - self.held if self._putting else 0
        part = min(room, length)
        self.held += part
        length -= part
        if not length:
            return []
        writes = self.flush()
        self._putting = True
        past = length - length % self._capacity
        self.held = length - past
        return [*writes, past] if past else writes

    def silent(self, length: int) -> int:
        """Return the number of further calls of *length* bytes that need no system call."""
        return (self._capacity - self.held) // length if self._putting else 0

    def flush(self) -> list[int]:
        """fflush, and the first half of fseek and fclose: the bytes of the write(2) that it takes, if any."""
        writes = [self.held] if self.held else []
        self.held = 0
        return writes

    def seek(self) -> list[int]:
        """fseek: the bytes held are written, and the next call begins as the first did."""
        self._putting = False
        return self.flush()


class InputBuffer:
    """The buffer of fread on a file of *size* bytes: it holds *start* to *end*, and *position* is the next byte."""

    def __init__(self, capacity: int, size: int) -> None:
        self._capacity = capacity
        self._size = size
        self.start = self.end = self.position = 0

    def get(self, length: int) -> list[tuple[int, int]]:
        """fread of *length* bytes: the first byte and the bytes of each read(2) that it takes, in order.

        As much as a buffer or more is read past it, in whole multiples; less fills it.
        """
        reads: list[tuple[int, int]] = []
        goal = min(self.position + length, self._size)
        while True:
            self.position = max(self.position, min(goal, self.end))
            wanted = goal - self.position
            if not wanted:
                return reads
            past = wanted - wanted % self._capacity
            first = self.position
            many = min(past or self._capacity, self._size - first)
            reads.append((first, many))
            if past:
                self.position = self.start = self.end = first + many
            else:
                self.start, self.end = first, first + many

    def silent(self, length: int) -> int:
        """Return the number of further calls of *length* bytes that need no system call."""
        return (self.end - self.position) // length

    def seek(self, offset: int) -> list[tuple[int, int]]:
        """fseek to *offset*: the reads it takes, beside its lseek.

        Within the buffer it moves the pointer. Else it goes to the boundary before, and fills the buffer at once
        unless that is the offset itself.
        """
        if self.start <= offset < self.end:
            self.position = offset
            return []
        first = offset - offset % self._capacity
        self.start = self.end = self.position = offset
        if first == offset:
            return []
        self.start, self.end = first, min(first + self._capacity, self._size)
        return [(first, self.end - first)]


class CallLayer(Protocol):
    """The destination of each call of the program."""

    def call(self, first: int, length: int) -> Wait:
        """Move *length* bytes at *first*."""

    def seek(self, first: int) -> Wait:
        """Move to byte *first* for the next call."""

    def alike(self, first: int, length: int) -> int:
        """Return the number of further calls, in a row from *first* on, that are sure to interact with nothing."""

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        """Make *calls* such calls."""

    def repeat_rows(self, length: int, calls: int) -> bool:
        """Seek and call *calls* times within pages that were just read in turn; False if that may interact."""

    def close(self) -> Wait: ...


class Reads:
    """read(2) and lseek(2)."""

    def __init__(self, work: ProgramWork, reading: ReadCall, cached: bool) -> None:
        self._work = work
        self._reading = reading
        self._cached = cached

    def call(self, first: int, length: int) -> Wait:
        return self._reading.read(first, length)

    def seek(self, first: int) -> Wait:
        self._work.called_seek(first=first)
        return
        yield

    def alike(self, first: int, length: int) -> int:
        return self._reading.alike(first, length)

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        self._reading.repeat(length, calls)
        self._reading.note_end(first + length * calls)
        return
        yield

    def repeat_rows(self, length: int, calls: int) -> bool:
        if self._cached:
            self._work.called_seek(calls)
            self._reading.repeat(length, calls)
        return self._cached

    def close(self) -> Wait:
        yield from self._work.pay()


class Writes:
    """write(2) and lseek(2)."""

    def __init__(self, env: simpy.Environment, work: ProgramWork, writing: Writing, at_risk: WriteHistory) -> None:
        self._env = env
        self._work = work
        self._writing = writing
        self._at_risk = at_risk

    def call(self, first: int, length: int) -> Wait:
        yield from self._writing.write(first, length)
        self._note()

    def seek(self, first: int) -> Wait:
        self._work.called_seek(first=first)
        return
        yield

    def alike(self, first: int, length: int) -> int:
        return self._writing.alike(first, length)

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        yield from self._writing.repeat(first, length, calls)
        self._note()

    def repeat_rows(self, length: int, calls: int) -> bool:
        return False  # each page counts what is in it

    def _note(self) -> None:
        written = self._work.bytes_written
        self._at_risk.handed_over(self._env.now, written, written)

    def close(self) -> Wait:
        yield from self._work.pay()


class Freads:
    """fread and fseek."""

    def __init__(self, work: ProgramWork, reading: ReadCall, buffer: InputBuffer) -> None:
        self._work = work
        self._reading = reading
        self._buffer = buffer

    def call(self, first: int, length: int) -> Wait:
        self._work.called_library()
        for at, many in self._buffer.get(length):
            yield from self._reading.read(at, many)

    def seek(self, first: int) -> Wait:
        fills = self._buffer.seek(first)
        self._work.called_seek(first=fills[0][0] if fills else first)
        for at, many in fills:
            yield from self._reading.read(at, many)

    def alike(self, first: int, length: int) -> int:
        return self._buffer.silent(length)

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        self._work.called_library(calls)
        self._buffer.position += length * calls
        return
        yield

    def repeat_rows(self, length: int, calls: int) -> bool:
        """Repeat: every seek leaves the buffer, and fills it as the one before in its place did."""
        filled = self._buffer.end - self._buffer.start
        self._work.called_seek(calls)
        self._work.called_library(calls)
        self._reading.repeat(filled, calls)
        return True

    def close(self) -> Wait:
        yield from self._work.pay()


class Fwrites:
    """fwrite and fseek. The kernel learns of bytes when the buffer is written."""

    def __init__(
        self, env: simpy.Environment, work: ProgramWork, writing: Writing, buffer: OutputBuffer, at_risk: WriteHistory
    ) -> None:
        self._env = env
        self._work = work
        self._writing = writing
        self._buffer = buffer
        self._at_risk = at_risk
        self._at = 0

    def call(self, first: int, length: int) -> Wait:
        self._work.called_library()
        yield from self._write(self._buffer.put(length))

    def seek(self, first: int) -> Wait:
        yield from self._write(self._buffer.seek())
        self._work.called_seek(first=first)
        self._at = first

    def alike(self, first: int, length: int) -> int:
        return self._buffer.silent(length)

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        self._work.called_library(calls)
        self._buffer.put(length * calls)
        yield from self._work.pay()
        self._note()

    def repeat_rows(self, length: int, calls: int) -> bool:
        return False

    def _write(self, lengths: list[int]) -> Wait:
        for length in lengths:
            yield from self._writing.write(self._at, length)
            self._at += length
            self._note()

    def _note(self) -> None:
        written = self._work.bytes_written
        self._at_risk.handed_over(self._env.now, written + self._buffer.held, written)

    def close(self) -> Wait:
        yield from self._write(self._buffer.flush())
        yield from self._work.pay()


# A program at work: its calls in order, those that cannot interact with anything done in one step.

MAX_REQUESTS = 25_000
"""Requests of the disc after which a program is interrupted: synchronous writes of 10 MB by bytes are ten million."""


class Progress:
    """Progress of a program: *calls*, *bytes*, the *seconds* from its first call to its last, and their parts."""

    def __init__(self) -> None:
        self.calls = self.bytes = 0
        self.seconds = self.library = self.in_calls = self.copying = self.pages = 0.0
        self.parts: tuple[float, ...] = ()
        self.charges = self.requests = 0
        self.interrupted = False

    def stop(self, now: float, work: ProgramWork, requests: int) -> None:
        """Note the end of the last call, with *requests* requests of the disc; closing the file does not count."""
        self.seconds, self.requests = now, requests
        self.parts, self.charges = tuple(work.account.seconds), work.account.charges
        self.library, self.in_calls = work.library, work.calls
        self.copying, self.pages = work.copying, work.pages


class Performer:
    """Performs *program* on a *layer* until it is done, or interrupted: *until* then, or after too many *requests*."""

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
        log.record(Transaction("program", self._program.name, 0.0, ended, ended, progress.parts), progress.charges)
        yield from self._layer.close()
        self._work.listed.end(0.0)

    def share(self) -> float:
        """Return the share that is done: of its bytes, or of its time if that ends first."""
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
