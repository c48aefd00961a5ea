"""JSON lines with keys, read by columns: parsed by Arrow, where each line is an object and nothing is null."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import json as arrow_json

from spindle.workloads.traces.formats.jsonl import LONGEST_KEY, TIMES
from spindle.workloads.traces.formats.rows import MOST_KEYS
from spindle.workloads.traces.quick.batch import NotSimpleError, QuickBatch, Words, held, never, nobody, whole_lines
from spindle.workloads.traces.record import TraceLimits

PART = 1 << 20
"""Bytes that one thread parses."""
EXACT = 1 << 53
"""Whole numbers beyond are not all floats."""
LATEST = 1e25
OWNERS = ("tenant", "device")
NULL = b"null"


class QuickKeyLines:
    """Lines whose *field* has the keys; the *first* of them says which fields there are, and of which type."""

    keyed = True

    def __init__(self, field: str, first: str, limits: TraceLimits) -> None:
        try:
            entry = json.loads(first)
        except (ValueError, RecursionError):
            raise NotSimpleError from None
        held(isinstance(entry, dict) and field in entry)
        keys = entry[field]
        self._field = field
        self._listed = isinstance(keys, list)
        self._limits = limits
        self._time = next((name for name in TIMES if name in entry), None)
        self._owner = next((name for name in OWNERS if name in entry), None)
        self._began: float | None = None
        one = next(iter(keys), None) if isinstance(keys, list) else keys
        held(isinstance(one, str | int) and not isinstance(one, bool))
        kind = pa.string() if isinstance(one, str) else pa.int64()
        self._schema = pa.schema({
            **dict.fromkeys((*TIMES, "ttl"), pa.float64()), **dict.fromkeys(OWNERS, pa.string()), "size": pa.int64(),
            field: pa.list_(kind) if self._listed else kind})  # fmt: skip

    def batches(self, pieces: Iterator[bytes]) -> Iterator[QuickBatch]:
        for block in whole_lines(pieces, self._limits.line):
            table = self._table(block)
            batch = self._batch({name: table.column(name).chunk(0) for name in table.column_names})
            if batch is not None:
                yield batch

    def _table(self, block: bytes) -> pa.Table:
        lines = block.count(b"\n") + (not block.endswith(b"\n"))
        begins = block.count(b"\n{") + block.startswith(b"{")
        ends = block.count(b"}\n") + block.count(b"}\r\n") + block.endswith((b"}", b"}\r"))
        held(NULL not in block and lines == begins == ends)
        try:
            table = arrow_json.read_json(
                pa.BufferReader(block), arrow_json.ReadOptions(block_size=PART),
                arrow_json.ParseOptions(explicit_schema=self._schema, unexpected_field_behavior="ignore"))  # fmt: skip
        except pa.ArrowException:
            raise NotSimpleError from None
        held(table.num_rows == lines)
        return table.combine_chunks()

    def _batch(self, columns: Mapping[str, Any]) -> QuickBatch | None:
        """Lines without any key ask for nothing."""
        for name, column in columns.items():
            there = name in (self._field, self._time, self._owner) or not column.null_count
            held(column.null_count == 0 if there else column.null_count == len(column))
        held(all(columns[name].null_count for name in TIMES if name != self._time))
        held(all(columns[name].null_count for name in OWNERS if name != self._owner))
        keys = columns[self._field]
        counts = np.ones(len(keys), dtype=np.int64)
        if self._listed:
            counts, keys = keys.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64), keys.flatten()
        held(keys.null_count == 0 and not bool((counts > MOST_KEYS).any()))
        some = counts > 0
        if not some.any():
            return None
        batch = QuickBatch(self._times(columns, some), _valid(columns["ttl"], some), np.zeros(some.sum(), np.bool_),
                           self._owners(columns, some), _sizes(columns["size"], some))  # fmt: skip
        words = _words(keys)
        held(all(0 < len(name) <= LONGEST_KEY for name in words.names))
        return batch._replace(keys=words, counts=counts[some])

    def _times(self, columns: Mapping[str, Any], some: NDArray[np.bool_]) -> NDArray[np.float64]:
        if self._time is None:
            return never(int(some.sum()))
        times = columns[self._time].to_numpy(zero_copy_only=False)
        held(bool((np.abs(times) <= EXACT).all()))
        times = times[some]
        if self._began is None:
            self._began = float(times[0])
        since: NDArray[np.float64] = (times - self._began) * TIMES[self._time]
        return since

    def _owners(self, columns: Mapping[str, Any], some: NDArray[np.bool_]) -> Words:
        if self._owner is None:
            return nobody(int(some.sum()))
        codes, names = _words(columns[self._owner])
        return Words(codes[some], [name[:255] for name in names])


def _words(column: pa.Array) -> Words:
    coded = column.dictionary_encode()
    names = [str(name) for name in coded.dictionary.to_pylist()]
    return Words(coded.indices.to_numpy().astype(np.int64), names)


def _valid(column: pa.Array, some: NDArray[np.bool_]) -> NDArray[np.float64]:
    if column.null_count:
        return never(int(some.sum()))
    ttls = column.to_numpy(zero_copy_only=False)[some]
    held(bool((np.abs(ttls) < LATEST).all()))
    return np.where(ttls > 0, ttls, np.nan)


def _sizes(column: pa.Array, some: NDArray[np.bool_]) -> NDArray[np.int64]:
    if column.null_count:
        return np.ones(some.sum(), dtype=np.int64)
    sizes: NDArray[np.int64] = column.to_numpy(zero_copy_only=False)[some]
    return sizes
