"""The layers that a program may call: the system itself, or stdio above it. What cannot interact is done together."""

from typing import Protocol

import simpy

from models.unix_stdio.at_risk import WriteHistory
from models.unix_stdio.page_cache.reading import ReadCall
from models.unix_stdio.page_cache.writing import Writing
from models.unix_stdio.stdio import InputBuffer, OutputBuffer
from models.unix_stdio.work import ProgramWork
from sim.clock import Wait


class CallLayer(Protocol):
    """Where each call of the program's goes."""

    def call(self, first: int, length: int) -> Wait:
        """Move *length* bytes at *first*."""

    def seek(self, first: int) -> Wait:
        """The next call is for byte *first*."""

    def alike(self, first: int, length: int) -> int:
        """How many more calls, one after the other from *first* on, are sure to interact with nothing."""

    def repeat(self, first: int, length: int, calls: int) -> Wait:
        """Those calls."""

    def again(self, length: int, calls: int) -> bool:
        """Seek and call *calls* times within pages that were just called for in turn; False if that may interact."""

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
        self._reading.went_on(first + length * calls)
        return
        yield

    def again(self, length: int, calls: int) -> bool:
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

    def again(self, length: int, calls: int) -> bool:
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

    def again(self, length: int, calls: int) -> bool:
        """Every seek leaves the buffer, and fills it as the one before in its place did."""
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

    def again(self, length: int, calls: int) -> bool:
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
