"""Writes a trace in a format of other tools (fio, blktrace, DiskSim, oracleGeneral) or CSV, perhaps compressed."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from spindle.output.files import draft
from spindle.sim.error import check_known
from spindle.sim.named_table import NamedTable, import_table
from spindle.workloads.traces.record import Record

ORACLE = "oracleGeneral"
"""Format of references to objects alone: it has no operations."""
_FORMATS = "spindle.workloads.traces.formats."
WRITERS: NamedTable[Callable[[Iterable[Record]], Iterator[bytes]]] = import_table({
    "fio2": f"{_FORMATS}fio:encode_2", "fio3": f"{_FORMATS}fio:encode_3", "blktrace": f"{_FORMATS}blktrace:encode",
    "disksim": f"{_FORMATS}disksim:encode", "csv": "spindle.workloads.traces.writing:encode_csv",
    ORACLE: f"{_FORMATS}oracle:encode"})  # fmt: skip
KEYED = ("csv", ORACLE)
"""Formats that can have requests for objects by key; in the others all requests are for bytes of a device."""
UNTIMED = ("csv", "fio2")
"""Formats in which requests may have no times; in the others each has one."""

GZIP = 31
"""``wbits`` of zlib: 15 for a window of 32 KiB, 16 for the head and foot of gzip. The head has no date."""


class Compressor(Protocol):
    """Common protocol of zlib's, bz2's, lzma's and zstandard's objects."""

    def compress(self, piece: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def _zstd() -> Compressor:
    import zstandard  # here, because only files ending in .zst need it

    compressor: Compressor = zstandard.ZstdCompressor().compressobj()
    return compressor


COMPRESSORS: dict[str, Callable[[], Compressor]] = {
    ".gz": lambda: zlib.compressobj(wbits=GZIP), ".bz2": bz2.BZ2Compressor, ".xz": lzma.LZMACompressor, ".zst": _zstd,
}  # fmt: skip
"""Compressors by the suffix of a file's name."""


def write_trace(records: Iterable[Record], path: Path, format: str) -> None:
    """Write *records* to *path* in one of the formats of WRITERS; in constant memory, except for oracleGeneral.

    The file is compressed if its name ends as one of COMPRESSORS does.
    """
    check_known("format to write a trace in", WRITERS, format)
    if format not in KEYED:
        from spindle.workloads.traces.writing import on_devices

        records = on_devices(records, format)
    pieces, compressor = WRITERS[format](records), COMPRESSORS.get(path.suffix.lower())
    with draft(path) as file:
        file.writelines(pieces if compressor is None else _compress(pieces, compressor()))


def _compress(pieces: Iterable[bytes], compressor: Compressor) -> Iterator[bytes]:
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()
