"""Tables in Parquet and Arrow files as lines of CSV, some rows at a time; those with lists of keys as lines of JSON."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spindle.sim.error import UserError
from spindle.workloads.traces.formats.jsonl import HASHES
from spindle.workloads.traces.record import TraceLimits

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", re.compile(rb"\xff\xff\xff\xff..[\0-\x3f]\0\x10\0\0\0")
"""Beginnings of the files; a stream of Arrow begins with the length of its schema."""
ROWS = 1 << 14
"""Rows that are held at a time."""
MAX_COLUMNS = 4096
MAX_GROUP = 1 << 31
"""Bytes of a row group, of which a column may be held at once."""


def is_table(head: bytes) -> bool:
    """Tell if a file that begins with *head* is a table."""
    return head.startswith((PARQUET, ARROW)) or STREAM.match(head) is not None


def lines_of(path: Path, name: str, head: bytes, limits: TraceLimits) -> Iterator[bytes]:
    """Yield the header and the rows of the table at *path*, which is called *name*, as lines."""
    import pandas  # noqa: F401  # Arrow would, in the middle of it, and swallow Ctrl-C meanwhile
    import pyarrow as pa
    import pyarrow.compute

    try:
        batches = _parquet(path, name, limits) if head.startswith(PARQUET) else _arrow(path, head.startswith(ARROW))
        for number, batch in enumerate(batches):
            yield _lists(batch) if _has_lists(batch) else _encode(batch, not number)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{name}: the table cannot be read: {str(error).splitlines()[0]}") from error


def _parquet(path: Path, name: str, limits: TraceLimits) -> Iterator[Any]:
    from pyarrow import parquet

    with parquet.ParquetFile(path, thrift_string_size_limit=1 << 26, thrift_container_size_limit=1 << 22) as file:
        meta = file.metadata
        size = path.stat().st_size
        sizes = [meta.row_group(group).total_byte_size for group in range(meta.num_row_groups)]
        if meta.num_columns > MAX_COLUMNS or max(sizes, default=0) > MAX_GROUP:
            raise UserError(f"{name}: a table has at most {MAX_COLUMNS} columns, and row groups of {MAX_GROUP} bytes")
        if sum(sizes) > max(limits.ratio_from, limits.ratio * size):
            raise UserError(f"{name}: more than {limits.ratio:g} times as long when decompressed")
        yield from file.iter_batches(ROWS)


def _arrow(path: Path, is_file: bool) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source, (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source) as file:
        for batch in map(file.get_batch, range(file.num_record_batches)) if is_file else file:
            batch.validate(full=True)  # what is beyond its buffers would be read
            for begin in range(0, batch.num_rows, ROWS):
                yield batch.slice(begin, ROWS)


def _has_lists(batch: Any) -> bool:
    import pyarrow as pa

    return any(name in HASHES and pa.types.is_nested(kind)
               for name, kind in zip(batch.schema.names, batch.schema.types, strict=True))  # fmt: skip


def _lists(batch: Any) -> bytes:
    """Encode *batch*, which has lists of keys, as JSON lines."""
    return "".join(json.dumps(row, default=str) + "\n" for row in batch.to_pylist()).encode()


def _encode(batch: Any, headed: bool) -> bytes:
    """Encode *batch* as CSV, without columns of lists and the like; OSError where its cells are no lines of text."""
    import pyarrow as pa
    from pyarrow import csv

    columns = {name: _text_column(name, column) for name, column in zip(batch.schema.names, batch.columns, strict=True)
               if not pa.types.is_nested(column.type)}  # fmt: skip
    if batch.num_columns == 1 and batch.column(0).null_count:
        raise OSError("a cell of its only column is empty")
    if len(columns) < sum(not pa.types.is_nested(column.type) for column in batch.columns):
        raise OSError("two of its columns have one name")
    head = ",".join(columns).encode() + b"\n" if headed else b""
    for style in ("none", "needed"):
        sink = pa.BufferOutputStream()
        try:
            csv.write_csv(pa.table(columns), sink, csv.WriteOptions(include_header=False, quoting_style=style))
        except pa.ArrowInvalid:
            continue
        lines = bytes(sink.getvalue())
        if lines.count(b"\n") > batch.num_rows:
            raise OSError("a cell has an end of line in it")
        return head + lines
    raise OSError("it has cells that are no text")


SPANS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Seconds of Arrow's units, with which the name of a column may end."""


def _text_column(name: str, column: Any) -> Any:
    """Return *column* as readers of text know it: dates without a zone, spans of time in the unit of its *name*."""
    import pyarrow as pa

    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return _text_column(name, column.dictionary_decode())
    if types.is_timestamp(kind) and kind.tz is not None:
        return column.cast(pa.timestamp(kind.unit))
    if types.is_floating(kind) and name.rpartition("_")[2] not in SPANS:
        return _whole(column)
    if types.is_date(kind):
        return column.cast(pa.timestamp("ms"))
    if types.is_duration(kind) or types.is_time(kind):
        ticks = column.cast(pa.int32()) if types.is_time32(kind) else column.cast(pa.int64())
        unit = SPANS.get(name.rpartition("_")[2], 1.0)
        return pa.compute.multiply(ticks.cast(pa.float64()), SPANS[kind.unit] / unit)
    text = types.is_binary(kind) or types.is_large_binary(kind) or "view" in str(kind)
    return column.cast(pa.string()) if text else column


def _whole(column: Any) -> Any:
    """Return *column* of fractions as whole numbers if all are: they are then written without an exponent."""
    import pyarrow as pa

    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
