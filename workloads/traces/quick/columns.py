"""The columns of a simple trace in batches: parsed by Arrow, and held to what the careful reader holds lines to."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from workloads.traces.quick.batch import Integers, NotSimpleError, Words, held
from workloads.traces.shape import Field, clock, number, whole

PART = 1 << 20
"""Bytes that one thread parses."""
WHOLE, CLOCK, NUMBER = whole("").pattern, clock("").pattern, number("").pattern
MOST = 1 << 62
STRANGE = b"+", b"-", b"0x", b"0X"
"""How a number begins that Arrow takes, and a careful reader takes no other than -1 of."""
AS_ZEROS = bytes.maketrans(b"123456789+E", b"0" * 9 + b"-e")
EXPONENTS = b"e000", b"e-000"
LONG = b"0" * 20, b"0" * 16 + b".", b"0" * 16 + b"e"
"""More digits, seen as zeros, than a whole number or one with a point may have: zeros before it, to Arrow."""
MORE = b"0" * 16


class QuickColumns:
    """The columns of some lines, by their *fields*; each is asked for by the part that it becomes."""

    def __init__(self, fields: Sequence[Field], table: pa.Table) -> None:
        self._fields = [field for field in fields if field.name]
        self._count = int(table.num_rows)
        self._columns = {field.name: table.column(field.name).chunk(0) for field in self._fields} if len(table) else {}
        for field in self._fields if len(table) else ():
            _check(field, self._columns[field.name])

    def __len__(self) -> int:
        return self._count

    def has(self, part: str) -> bool:
        return any(field.part == part for field in self._fields)

    def words(self, part: str) -> Iterator[Words]:
        """A column of words, of each field that becomes *part*."""
        for field in self._fields:
            if field.part == part:
                column = self._columns[field.name]
                yield Words(column.indices.to_numpy().astype(np.int64), column.dictionary.to_pylist())

    def numbers(self, part: str) -> tuple[NDArray[Any], float]:
        """The column that becomes *part*, the earlier of two, nan where it is empty; and its unit."""
        field = next(field for field in self._fields if field.part == part)
        return self._columns[field.name].to_numpy(zero_copy_only=False), field.unit

    def wholes(self, part: str) -> Integers:
        """The same in units of 1."""
        values, unit = self.numbers(part)
        held(not len(values) or int(values.max()) <= MOST // int(unit))
        return values if unit == 1 else values * int(unit)


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


def _is_strange(block: bytes, fields: Sequence[Field], types: Sequence[pa.DataType], mark: str) -> bool:
    """Whether Arrow may take for a number of *block* what a careful reader does not; each look is a quick one first."""
    zeros = block.translate(AS_ZEROS)
    if any(digits in zeros for digits in LONG):
        return True
    if any(field.pattern == NUMBER for field in fields) and MORE in zeros:
        return True
    sign = re.escape(mark.encode())
    beside = mark.encode(), b"\n", b" ", b"\t"
    cells = []
    if block.startswith(STRANGE) or any(each + begin in block for each in beside for begin in STRANGE):
        cells += [rb"\+[\d.]|-(?!1\s*(?:" + sign + rb"|\n|$))[\d.]|0[xX]"]
    if pa.float64() in types and any(digits in zeros for digits in EXPONENTS):
        cells += [rb"[\d.]+[eE][-+]?\d{3}"]
    return bool(cells) and re.search(rb"(?<![^\s" + sign + rb"])(?:" + rb"|".join(cells) + rb")", block) is not None


def columns_of(block: bytes, fields: Sequence[Field], types: Sequence[pa.DataType], mark: str, skip: int) -> pa.Table:
    """The lines of *block* but the first *skip*, on all cores."""
    held(not _is_strange(block, fields, types, mark))
    names = [field.name or f" {place}" for place, field in enumerate(fields)]
    wanted = {field.name: kind for field, kind in zip(fields, types, strict=True) if field.name}
    try:
        table = csv.read_csv(
            pa.BufferReader(block), csv.ReadOptions(block_size=PART, column_names=names, skip_rows=skip),
            csv.ParseOptions(delimiter=mark, quote_char=False),
            csv.ConvertOptions(column_types=wanted, null_values=[""], strings_can_be_null=False,
                               include_columns=list(wanted)))  # fmt: skip
    except (pa.ArrowException, UnicodeDecodeError):
        raise NotSimpleError from None
    return table.combine_chunks()


def type_of(field: Field, cell: str) -> pa.DataType:
    """How a column is read that has *cell* first."""
    if field.part not in ("device", "op", "key"):
        if field.pattern == WHOLE or (field.pattern == CLOCK and cell.strip().isdecimal()):
            return pa.int64()
        if field.pattern in (CLOCK, NUMBER) or field.part in ("time", "ttl"):
            return pa.float64()
    return pa.dictionary(pa.int32(), pa.string())
