"""Traces of binary records; errors name a record by its number, from 1 on, and the byte at which it begins."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from spindle.workloads.traces.faults import Checks, Faults, Wrong
from spindle.workloads.traces.record import Record, TraceLimits


class Decoder(Protocol):
    """Takes the records of one file in their order; none is shorter than *least* bytes."""

    @property
    def least(self) -> int: ...

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        """The bytes of the record at *at*, which may reach beyond the *buffer*, and the request in it, if there is one.

        Wrong if it holds what it must not.
        """

    def resume(self, buffer: bytes, at: int) -> int:
        """Where to go on after a bad record at *at*; at least a byte on, and not beyond the *buffer*."""


@dataclass(frozen=True)
class BinaryFormat:
    """A format of records, for each file of which there is a new *decoder*."""

    name: str
    suffixes: tuple[str, ...]
    needs: str
    decoder: Callable[[], Decoder]

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        decoder, check = self.decoder(), Checks(limits)
        decode, least = decoder.decode, decoder.least
        buffer, at, before, number = b"", 0, 0, 1
        for piece in pieces:
            buffer, before, at = buffer[at:] + piece, before + at, 0
            while at + least <= len(buffer):
                begin, record = at, None
                try:
                    size, record = decode(buffer, at)
                    if at + size > len(buffer):
                        break
                    at += size
                    if record is not None:
                        check(record)
                except Wrong as wrong:
                    faults.add(f"{where}: record {number} at byte {before + begin}", wrong)
                    at, record = max(at, decoder.resume(buffer, begin)), None
                else:
                    faults.others += record is None
                number += 1
                if record is not None:
                    yield record
        if at < len(buffer):
            faults.add(f"{where}: record {number} at byte {before + at}",
                       f"the file ends {len(buffer) - at} bytes after it begins, and it needs more")
