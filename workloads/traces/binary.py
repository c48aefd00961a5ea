"""Reads binary traces by columns where possible, else record by record; errors name a record's number and byte."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from spindle.workloads.traces.batch import Batch, NotSimpleError, Stretch
from spindle.workloads.traces.faults import Checks, Faults, Wrong
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import in_batches


class RecordColumns(Protocol):
    """Reads many records of *size* bytes at once."""

    @property
    def size(self) -> int: ...

    def batch(self, block: bytes, check: Checks) -> Batch:
        """Return the requests in *block* if all pass *check*; else raise NotSimpleError, with nothing changed."""


class Decoder(Protocol):
    """Decodes the records of one file in their order; none is shorter than *min_bytes* bytes."""

    began: float | None
    """Clock reading at the first request of the trace, which may be in an earlier file."""

    @property
    def min_bytes(self) -> int: ...

    @property
    def columns(self) -> RecordColumns | None:
        """Return the reader by columns, if there is one and the columns are known."""

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        """Decode the record at *at*; return its length, which may exceed the *buffer*, and its request, if any.

        Wrong if the record is invalid.
        """

    def resume(self, buffer: bytes, at: int) -> int:
        """Return where to continue after a bad record at *at*: at least a byte further, and not beyond the *buffer*."""


@dataclass(frozen=True)
class BinaryFormat:
    """A format of binary records; each file is read by a new *decoder*."""

    name: str
    suffixes: tuple[str, ...]
    needs: str
    decoder: Callable[[], Decoder]
    note: str = ""
    """Guess by which a file was taken to have this format."""
    choose: Callable[[bytes], "BinaryFormat"] | None = None
    """Chooses the variant for the beginning of a file."""
    alternatives: tuple["BinaryFormat", ...] = ()
    """Formats of the same kind of file, of which the first that finds a request in one is taken."""

    def variant(self, head: bytes, name: str) -> "BinaryFormat":
        return self if self.choose is None else self.choose(head)

    def stretches(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Stretch]:
        reading = _Reading(self, where, faults, limits)
        for piece in pieces:
            reading.take(piece)
            batch = reading.batch()
            if batch is not None:
                yield batch
            else:
                yield from in_batches(reading.records())
        reading.end()

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        reading = _Reading(self, where, faults, limits)
        for piece in pieces:
            reading.take(piece)
            yield from reading.records()
        reading.end()


class _Reading:
    """A file that is being read: record *number* begins at *at* in the part of the file that is held."""

    def __init__(self, format: BinaryFormat, where: str, faults: Faults, limits: TraceLimits) -> None:
        self._decoder = format.decoder()
        self._where = where
        self._faults = faults
        self._check = Checks(limits)
        self._decoder.began = faults.began
        if format.note:
            faults.note(format.note)
        self._buffer, self._at, self._before, self._number = b"", 0, 0, 1

    def take(self, piece: bytes) -> None:
        self._before += self._at
        self._buffer, self._at = self._buffer[self._at :] + piece, 0

    def batch(self) -> Batch | None:
        """Return all whole records of what was taken last by columns; None where that cannot be done."""
        columns = self._decoder.columns
        if columns is None:
            return None
        count = len(self._buffer) // columns.size
        if not count:
            return None
        end = count * columns.size
        try:
            batch = columns.batch(self._buffer[:end], self._check)
        except NotSimpleError:
            return None
        self._at, self._number = end, self._number + count
        self._faults.began = self._decoder.began
        return batch

    def records(self) -> Iterator[Record]:
        """Yield the requests of whole records one by one."""
        decoder, buffer = self._decoder, self._buffer
        while self._at + decoder.min_bytes <= len(buffer):
            begin, record = self._at, None
            try:
                size, record = decoder.decode(buffer, begin)
                if begin + size > len(buffer):
                    return
                self._at += size
                if record is not None:
                    self._check(record)
            except Wrong as wrong:
                self._add(begin, wrong)
                self._at, record = max(self._at, decoder.resume(buffer, begin)), None
            else:
                self._faults.others += record is None
            self._number += 1
            if record is not None:
                self._faults.began = decoder.began
                yield record

    def end(self) -> None:
        self._faults.began = self._decoder.began
        self._end()

    def _end(self) -> None:
        """Note a record that the file ends within as bad."""
        left = len(self._buffer) - self._at
        if left:
            self._add(self._at, f"the file ends {left} bytes after it begins, and it needs more")

    def _add(self, at: int, reason: object) -> None:
        self._faults.add(f"{self._where}: record {self._number} at byte {self._before + at}", reason)
