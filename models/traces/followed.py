"""The progress of reading a trace: bytes of the decompressed file, and their total by its header."""

from collections.abc import Callable, Iterator
from pathlib import Path

import zstandard

from workloads.traces.faults import Faults, Format
from workloads.traces.reader import Trace
from workloads.traces.record import Record, TraceLimits

GZIP, ZSTD, OTHERS = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"\xfd7zX", b"BZh")
Passed = Callable[[int], object]
"""A progress callback: of a number of bytes read."""


def followed(trace: Trace, passed: Passed) -> Iterator[Record]:
    """The records of *trace*; *passed* is called with its bytes."""
    own = trace.format
    trace.format = _Followed(own, passed)
    try:
        yield from trace
    finally:
        trace.format = own


class _Followed:
    """A format that reports the bytes read."""

    def __init__(self, own: Format, passed: Passed) -> None:
        self.name, self.suffixes, self.needs = own.name, own.suffixes, own.needs
        self._own = own
        self._passed = passed

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        return self._own.records(where, self._counting(pieces), faults, limits)

    def _counting(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._passed(len(piece))
            yield piece


def whole_size(path: Path) -> int | None:
    """Bytes when decompressed, by the file's header, modulo 4 GiB for gzip; None without, or if it cannot be read.

    It need not be right, as only a progress bar uses it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(18)
            if head.startswith(GZIP):
                file.seek(-4, 2)
                return int.from_bytes(file.read(4), "little")
            if head.startswith(ZSTD):
                size = zstandard.frame_content_size(head)
                return size if size > 0 else None
            return None if head.startswith(OTHERS) else path.stat().st_size
    except (OSError, ValueError, zstandard.ZstdError):
        return None  # the reader reports the error
