"""Finds the bytes to which tables will unpack, from Parquet's footer and the headers in Arrow files, and limits them.

Source: Message.fbs of Arrow's columnar format 1.5, and the layout of FlatBuffers: a table begins with the distance back
to its list of places, which has a place for each field, 0 for one that is left out.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from spindle.sim.error import UserError
from spindle.workloads.traces.record import TraceLimits

MAX_AT_ONCE = 1 << 28
"""Most bytes to which a batch, or a column of a row group, may unpack if it is compressed by more than USUAL_RATIO, as
all of them are in memory."""
USUAL_RATIO = 30.0
"""Largest usual ratio of unpacked bytes to bytes in the file."""
MAGIC = 8
"""Bytes at the beginning of an Arrow file, before its messages."""
RECORDS, DICTIONARY = 3, 2
"""Kinds of messages that have values."""
NOT_COMPRESSED = -1
"""Length that marks a buffer as not compressed, where other buffers are."""


class Unpacked:
    """Counts the bytes to which the file *name* of *size* bytes unpacks; UserError if they are far too many."""

    def __init__(self, name: str, size: int, limits: TraceLimits) -> None:
        self._name = name
        self._most = max(limits.ratio_from, limits.ratio * size)
        self._ratio = limits.ratio
        self._made = 0

    def add(self, size: int) -> None:
        """Count another *size* bytes."""
        self._made += size
        if self._made > self._most:
            raise UserError(f"{self._name}: more than {self._ratio:g} times as long when decompressed")

    def add_at_once(self, size: int, packed: int) -> None:
        """Count *size* bytes that are in memory together, and are *packed* bytes in the file."""
        self.add(size)
        if size > MAX_AT_ONCE and size > USUAL_RATIO * packed:
            raise UserError(f"{self._name}: {packed} bytes of it unpack to {size} at once, and {MAX_AT_ONCE} are the "
                            "most: write it in smaller batches or row groups")

    def count(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.add(len(piece))
            yield piece


def parquet_columns(meta: Any) -> Iterator[tuple[int, int]]:
    """Yield the bytes of each column of each row group by the footer *meta*: unpacked, at least, and in the file."""
    widths = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
    for group in map(meta.row_group, range(meta.num_row_groups)):
        for column in map(group.column, range(meta.num_columns)):
            decoded = column.num_values * widths.get(column.physical_type, 1)
            yield max(decoded, column.total_uncompressed_size), column.total_compressed_size


def arrow_batches(file: Any) -> Iterator[tuple[int, int]]:
    """Yield the bytes of each batch of the Arrow *file*, a buffer, or of its dictionaries: unpacked, and in it."""
    import pyarrow as pa

    reader = pa.ipc.MessageReader.open_stream(pa.BufferReader(file))
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        if message.metadata is not None and message.body is not None:
            yield _size_of_message(memoryview(message.metadata), memoryview(message.body)), message.body.size


def _size_of_message(header: memoryview, body: memoryview) -> int:
    """Return the bytes that the buffers of a message make, and one for each row; OSError where it is damaged."""
    try:
        message = struct.unpack_from("<I", header)[0]
        kind, batch = _field(header, message, 1), _table(header, message, 2)
        if kind is None or batch is None or header[kind] not in (RECORDS, DICTIONARY):
            return 0
        if header[kind] == DICTIONARY:
            batch = _table(header, batch, 1)
        if batch is None:
            return 0
        buffers, rows = _table(header, batch, 2), _field(header, batch, 0)
        is_packed = _field(header, batch, 3) is not None
        count = 0 if buffers is None else struct.unpack_from("<I", header, buffers)[0]
        places = [] if buffers is None else struct.iter_unpack("<qq", header[buffers + 4 :][: 16 * count])
        return sum(_length(body, begin, length, is_packed) for begin, length in places) + (
            0 if rows is None else int(struct.unpack_from("<q", header, rows)[0]))
    except (struct.error, IndexError) as error:
        raise OSError("a header within it is damaged") from error


def _length(body: memoryview, begin: int, length: int, is_packed: bool) -> int:
    if not is_packed or not length:
        return length
    unpacked = int(struct.unpack_from("<q", body, begin)[0])
    return length if unpacked == NOT_COMPRESSED else unpacked


def _field(header: memoryview, table: int, number: int) -> int | None:
    """Return the place of the field *number* of a FlatBuffers table; None if it is left out."""
    places = table - struct.unpack_from("<i", header, table)[0]
    size = struct.unpack_from("<H", header, places)[0]
    slot = 4 + 2 * number
    place = struct.unpack_from("<H", header, places + slot)[0] if slot < size else 0
    return table + place if place else None


def _table(header: memoryview, table: int, number: int) -> int | None:
    """Return the place of the table, or list, that the field *number* leads to."""
    place = _field(header, table, number)
    return None if place is None else place + int(struct.unpack_from("<I", header, place)[0])
