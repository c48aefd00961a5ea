"""Simulates the layers that a program may call: system calls, or stdio with the buffers of the GNU C library."""

from abc import ABC, abstractmethod

import simpy

from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.page_cache.reading import ReadCall
from spindle.models.unix_stdio.page_cache.writing import Writing
from spindle.models.unix_stdio.program_calls import ProgramWork
from spindle.sim.clock import Wait


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
        taken = min(room, length)
        self.held += taken
        length -= taken
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


class CallLayer(ABC):
    """A layer that performs each call of the program, whose CPU time is charged to *work*."""

    def __init__(self, work: ProgramWork) -> None:
        self._work = work

    @abstractmethod
    def call(self, first: int, length: int) -> Wait:
        """Move *length* bytes at *first*."""

    def seek(self, first: int) -> Wait:
        """Move to byte *first* for the next call."""
        self._work.called_seek(first=first)
        return
        yield

    @abstractmethod
    def alike(self, first: int, length: int) -> int:
        """Return the number of further calls, in a row from *first* on, that cannot interact with anything else."""

    @abstractmethod
    def repeat(self, first: int, length: int, calls: int) -> Wait:
        """Make *calls* such calls."""

    def repeat_rows(self, length: int, calls: int) -> bool:
        """Seek and call *calls* times within pages that were just read in turn; False if that may interact."""
        return False

    def close(self) -> Wait:
        yield from self._work.pay()


class Reads(CallLayer):
    """Layer of read(2) and lseek(2)."""

    def __init__(self, work: ProgramWork, reading: ReadCall, cached: bool) -> None:
        super().__init__(work)
        self._reading = reading
        self._cached = cached

    def call(self, first: int, length: int) -> Wait:
        return self._reading.read(first, length)

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


class Writes(CallLayer):
    """Layer of write(2) and lseek(2)."""

    def __init__(self, env: simpy.Environment, work: ProgramWork, writing: Writing, at_risk: WriteHistory) -> None:
        super().__init__(work)
        self._env = env
        self._writing = writing
        self._at_risk = at_risk

    def call(self, first: int, length: int) -> Wait:
        yield from self._writing.write(first, length)
        self._note()

    def alike(self, first: int, length: int) -> int:
        return self._writing.alike(first, length)

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        yield from self._writing.repeat(first, length, calls)
        self._note()

    def _note(self) -> None:
        written = self._work.bytes_written
        self._at_risk.handed_over(self._env.now, written, written)


class Freads(CallLayer):
    """Layer of fread and fseek."""

    def __init__(self, work: ProgramWork, reading: ReadCall, buffer: InputBuffer) -> None:
        super().__init__(work)
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


class Fwrites(CallLayer):
    """Layer of fwrite and fseek. The kernel gets bytes when the buffer is written."""

    def __init__(
        self, env: simpy.Environment, work: ProgramWork, writing: Writing, buffer: OutputBuffer, at_risk: WriteHistory
    ) -> None:
        super().__init__(work)
        self._env = env
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
        yield from super().close()
