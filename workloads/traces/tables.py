"""Tables in Parquet and Arrow files as lines of CSV, some rows at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spindle.sim.error import UserError
from spindle.workloads.traces.record import TraceLimits

PARQUET, ARROW, FEATHER = b"PAR1", b"ARROW1", b"FEA1"
ROWS = 1 << 14
"""Rows that are held at a time."""
MAX_COLUMNS = 4096
MAX_GROUP = 1 << 31
"""Bytes of a row group, of which a column may be held at once."""


def is_table(head: bytes) -> bool:
    """Whether a file that begins with *head* is a table."""
    return head.startswith((PARQUET, ARROW))


def lines_of(path: Path, head: bytes, limits: TraceLimits) -> Iterator[bytes]:
    """The header and the rows of the table at *path*."""
    import pandas  # noqa: F401  # Arrow would, in the middle of it, and swallow Ctrl-C meanwhile
    import pyarrow as pa

    try:
        batches = _parquet(path, limits) if head.startswith(PARQUET) else _arrow(path)
        for number, batch in enumerate(batches):
            yield _written(batch, not number)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: the table cannot be read: {str(error).splitlines()[0]}") from error


def _parquet(path: Path, limits: TraceLimits) -> Iterator[Any]:
    from pyarrow import parquet

    with parquet.ParquetFile(path, thrift_string_size_limit=1 << 26, thrift_container_size_limit=1 << 22) as file:
        meta = file.metadata
        size = path.stat().st_size
        sizes = [meta.row_group(group).total_byte_size for group in range(meta.num_row_groups)]
        if meta.num_columns > MAX_COLUMNS or max(sizes, default=0) > MAX_GROUP:
            raise UserError(f"{path}: a table has at most {MAX_COLUMNS} columns, and row groups of {MAX_GROUP} bytes")
        if sum(sizes) > max(limits.ratio_from, limits.ratio * size):
            raise UserError(f"{path}: more than {limits.ratio:g} times as long when decompressed")
        yield from file.iter_batches(ROWS)


def _arrow(path: Path) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as file:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            for begin in range(0, batch.num_rows, ROWS):
                yield batch.slice(begin, ROWS)


def _written(batch: Any, headed: bool) -> bytes:
    """As CSV; columns of lists and the like are left out."""
    import pyarrow as pa
    from pyarrow import csv

    names, columns = [], []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            column = column.cast(pa.string())
        if not pa.types.is_nested(column.type):
            names.append(name)
            columns.append(column)
    table = pa.table(columns, names=names)
    head = ",".join(names).encode() + b"\n" if headed else b""
    for style in ("none", "needed"):
        sink = pa.BufferOutputStream()
        try:
            csv.write_csv(table, sink, csv.WriteOptions(include_header=False, quoting_style=style))
        except pa.ArrowInvalid:
            continue
        return head + bytes(sink.getvalue())
    raise UserError("a table has cells that are no text")
