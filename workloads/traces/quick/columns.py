"""The columns of a simple trace in batches: parsed by Arrow, and held to what the careful reader holds lines to."""

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from workloads.traces.quick.plan import QuickPlan
from workloads.traces.shape import Field, clock, number, whole

BATCH = 1 << 22
"""Bytes; a line may have as many."""
WHOLE, CLOCK, NUMBER = whole("").pattern, clock("").pattern, number("").pattern
MOST = 1 << 62
HEXADECIMAL = b"0x"
"""Which Arrow reads as a number."""


class NotSimpleError(Exception):
    """The file is one for the careful reader, which says what is wrong with it, if anything is."""


def held(simple: bool) -> None:
    """NotSimpleError unless what is asked for holds."""
    if not simple:
        raise NotSimpleError


class PieceFile(io.RawIOBase):
    """A file of pieces of bytes, which Arrow reads."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = next(self._pieces, b"")
            returns = self._rest.count(b"\r\n") + self._rest.endswith(b"\r")
            held(HEXADECIMAL not in self._rest and b"\0" not in self._rest and self._rest.count(b"\r") == returns)
        part = self._rest[: len(buffer)]
        buffer[: len(part)] = part
        self._rest = self._rest[len(part) :]
        return len(part)


class QuickColumns:
    """The columns of one batch, by the fields of a plan; each is asked for by the part that it becomes."""

    def __init__(self, plan: QuickPlan, batch: pa.RecordBatch) -> None:
        self._plan = plan
        self._batch = batch
        self._columns = {field.name: batch.column(field.name) for field in plan.fields if field.name}
        for field in plan.fields:
            if field.name:
                self._check(field, self._columns[field.name])

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def has(self, part: str) -> bool:
        return any(field.part == part for field in self._plan.fields)

    def words(self, part: str) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
        """The codes of a column of words, and what they stand for; of each field that becomes *part*."""
        for field in self._plan.fields:
            if field.part == part:
                column = self._columns[field.name]
                yield column.indices.to_numpy().astype(np.int64), column.dictionary.to_pylist()

    def numbers(self, part: str) -> tuple[NDArray[Any], float]:
        """The column that becomes *part*, the earlier of two, nan where it is empty; and its unit."""
        field = next(field for field in self._plan.fields if field.part == part)
        return self._columns[field.name].to_numpy(zero_copy_only=False), field.unit

    def wholes(self, part: str) -> NDArray[np.int64]:
        """The same in units of 1."""
        values, unit = self.numbers(part)
        held(not len(values) or int(values.max()) <= MOST // int(unit))
        return values if unit == 1 else values * int(unit)

    @staticmethod
    def _check(field: Field, column: pa.Array) -> None:
        """What the pattern of *field* asks for: of words each once, of numbers that they are some, and not negative."""
        if pa.types.is_dictionary(column.type):
            match = re.compile(field.pattern, re.ASCII).fullmatch
            held(column.null_count == 0 and all(map(match, column.dictionary.to_pylist())))
            return
        held(column.null_count == 0 or re.fullmatch(field.pattern, "") is not None)
        held(field.pattern != WHOLE or column.null_count == 0)
        values = (column.drop_null() if column.null_count else column).to_numpy(zero_copy_only=False)
        least = -1 if field.part == "ttl" else 0
        held(not len(values) or (bool(np.isfinite(values.sum())) and values.min() >= least))


def column_batches(plan: QuickPlan, pieces: Iterator[bytes], first: list[str]) -> Iterator[QuickColumns]:
    """The batches of a file of *pieces*, whose *first* line has those cells."""
    held(len(first) == len(plan.fields))
    names = [field.name or f" {place}" for place, field in enumerate(plan.fields)]
    types = {field.name: _type(field, cell) for field, cell in zip(plan.fields, first, strict=True) if field.name}
    try:
        reader = csv.open_csv(
            pa.PythonFile(io.BufferedReader(PieceFile(pieces), BATCH), "r"),
            csv.ReadOptions(block_size=BATCH, column_names=names, skip_rows=plan.skip, use_threads=False),
            csv.ParseOptions(delimiter=plan.mark, quote_char=False),
            csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=False,
                               include_columns=list(types)))  # fmt: skip
        for batch in reader:
            yield QuickColumns(plan, batch)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError, pa.ArrowCapacityError):
        raise NotSimpleError from None


def _type(field: Field, cell: str) -> pa.DataType:
    if field.part not in ("device", "op", "key"):
        if field.pattern == WHOLE or (field.pattern == CLOCK and cell.strip().isdecimal()):
            return pa.int64()
        if field.pattern in (CLOCK, NUMBER) or field.part in ("time", "ttl"):
            return pa.float64()
    return pa.dictionary(pa.int32(), pa.string())


