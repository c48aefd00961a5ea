"""Converts tables in Parquet and Arrow files to lines of CSV, some rows at a time; with lists of keys to lines of JSON.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from spindle.sim.error import UserError
from spindle.workloads.traces.day_and_time import DAY_NAMES
from spindle.workloads.traces.formats import HASHES
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.rows import MAX_KEYS
from spindle.workloads.traces.unpacked import MAGIC, Unpacked, arrow_batches, parquet_columns

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", re.compile(rb"\xff\xff\xff\xff..[\0-\x3f]\0\x10\0\0\0")
"""First bytes of the files; a stream of Arrow begins with the length of its schema."""
ROWS = 1 << 14
"""Most rows in memory at a time."""
MAX_COLUMNS = 4096
"""Most columns of a table."""
MAX_HELD = 1 << 24
"""Most bytes of the rows in memory at a time, unless one row has more."""


def is_table(head: bytes) -> bool:
    """Tell if a file that begins with *head* is a table."""
    return head.startswith((PARQUET, ARROW)) or STREAM.match(head) is not None


def lines_of(path: Path, name: str, head: bytes, limits: TraceLimits) -> Iterator[bytes]:
    """Yield the header and the rows of the table at *path*, which is called *name*, as lines."""
    with suppress(ModuleNotFoundError):
        import pandas  # noqa: F401  # Arrow would, in the middle of it, and swallow Ctrl-C meanwhile
    import pyarrow as pa
    import pyarrow.compute

    unpacked = Unpacked(name, path.stat().st_size, limits)
    try:
        is_file = head.startswith(ARROW)
        batches = _parquet(path, unpacked) if head.startswith(PARQUET) else _arrow(path, is_file, unpacked)
        written = Unpacked(name, path.stat().st_size, limits)
        for number, rows in enumerate(rows for batch in batches for rows in _small(batch, limits.line)):
            yield from written.count([_lists(rows) if _has_lists(rows) else _encode(rows, not number)])
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{name}: the table cannot be read: {str(error).splitlines()[0]}") from error


def _parquet(path: Path, unpacked: Unpacked) -> Iterator[Any]:
    from pyarrow import parquet

    given = {"thrift_string_size_limit": 1 << 26, "thrift_container_size_limit": 1 << 22}
    with parquet.ParquetFile(path, **given) as file:
        meta, schema = file.metadata, file.schema
        if meta.num_columns > MAX_COLUMNS:
            raise OSError(f"a table has at most {MAX_COLUMNS} columns")
        for size, packed in parquet_columns(meta):
            unpacked.add_at_once(size, packed)
        columns = [schema.column(place) for place in range(meta.num_columns)]
    words = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    width = sum(column.length if column.length > 0 else 8 for column in columns)
    # A word that stands there once for many rows would be copied for each, before its length is known.
    with parquet.ParquetFile(path, read_dictionary=words, **given) as file:
        rows = max(1, min(ROWS, MAX_HELD // max(1, width)))
        yield from file.iter_batches(rows, columns=_columns_of_lines(file.schema_arrow))


def _arrow(path: Path, is_file: bool, unpacked: Unpacked) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(fspath(path)) as source:
        whole = source.read_buffer()
        for size, packed in arrow_batches(whole[MAGIC if is_file else 0 :]):
            unpacked.add_at_once(size, packed)
        source.seek(0)
        with (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source) as file:
            for batch in map(file.get_batch, range(file.num_record_batches)) if is_file else file:
                batch.validate(full=True)  # what is beyond its buffers would be read
                yield batch.select(_columns_of_lines(batch.schema))


def _columns_of_lines(schema: Any) -> list[str]:
    """Return the names of the columns that lines can have: of nested ones those with lists of keys."""
    import pyarrow as pa

    return [name for name, kind in zip(schema.names, schema.types, strict=True)
            if not pa.types.is_nested(kind) or (name in HASHES and "struct" not in str(kind))]  # fmt: skip


def _small(batch: Any, longest: int) -> Iterator[Any]:
    """Yield *batch* in pieces of MAX_HELD bytes when they are written out; OSError where a cell has over *longest*."""
    width = sum(_width(column, longest) for column in batch.columns)
    rows = max(1, min(ROWS, MAX_HELD // max(1, width)))
    for begin in range(0, batch.num_rows, rows):
        yield batch.slice(begin, rows)


def _width(column: Any, longest: int) -> int:
    """Return bytes that a cell of *column* has at most where one value may stand for many cells, or else on average."""
    import pyarrow as pa
    import pyarrow.compute

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _width(column.dictionary, longest) if len(column.dictionary) else 0
    if "view" in str(kind) and not pa.types.is_nested(kind):
        most = int(np.frombuffer(column.buffers()[1], np.int32)[::4][column.offset :][: len(column)].max(initial=0))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        if (pa.compute.max(pa.compute.list_value_length(column)).as_py() or 0) > MAX_KEYS:
            raise OSError(f"a row has a list of more than {MAX_KEYS} values")
        return int(column.nbytes // max(1, len(column)))
    elif pa.types.is_binary(kind) or pa.types.is_string(kind) or pa.types.is_large_binary(kind) or (
            pa.types.is_large_string(kind)):  # fmt: skip
        most = pa.compute.max(pa.compute.binary_length(column)).as_py() or 0
    else:
        return int(column.nbytes // max(1, len(column)))
    if most > longest:
        raise OSError(f"a cell has {most} bytes, and {longest} are the most")
    return int(most)


def _has_lists(batch: Any) -> bool:
    import pyarrow as pa

    return any(name in HASHES and pa.types.is_nested(kind)
               for name, kind in zip(batch.schema.names, batch.schema.types, strict=True))  # fmt: skip


def _lists(batch: Any) -> bytes:
    """Encode *batch*, which has lists of keys, as JSON lines."""
    return "".join(json.dumps(row, default=str) + "\n" for row in batch.to_pylist()).encode()


def _encode(batch: Any, headed: bool) -> bytes:
    """Encode *batch* as CSV; OSError where its cells are no lines of text.

    Times of day are seconds, or text where there is a column of days beside them.
    """
    import pyarrow as pa
    from pyarrow import csv

    cells = dict(zip(batch.schema.names, batch.columns, strict=True))
    dated = any(pa.types.is_date(column.type) for name, column in cells.items() if name.lower() in DAY_NAMES)
    columns = {name: column.cast(pa.string()) if dated and pa.types.is_time(column.type) else _text_column(name, column)
               for name, column in cells.items()}  # fmt: skip
    if batch.num_columns == 1 and batch.column(0).null_count:
        raise OSError("a cell of its only column is empty")
    if len(columns) < batch.num_columns:
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
        return column.cast(pa.date32()).cast(pa.string())
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
