"""The columns of a simple trace in batches: parsed by Arrow, and held to what the careful reader holds lines to."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from spindle.workloads.traces.quick.batch import Integers, NotSimpleError, Words, held
from spindle.workloads.traces.shape import Field, clock, number, whole

PART = 1 << 20
"""Bytes that one thread parses."""
WHOLE, CLOCK, NUMBER = whole("").pattern, clock("").pattern, number("").pattern
MOST = 1 << 62
FORMS = b"123456789+EX\n \t", b"000000000-ex,,,"
"""The bytes of a trace that are seen as others: a digit as a zero, what may stand before a cell as a comma."""
LONG = b"0" * 16
"""More digits than stand before a point, or an exponent, or in a number that has neither where it is no whole one."""
TOO_LONG = b"0" * 20, LONG + b".", LONG + b"e"
SIGNED, HEXADECIMAL = b",-", b",0x"
EXPONENTS = b"e000", b"e-000"


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
        match, words = re.compile(field.pattern, re.ASCII).fullmatch, column.dictionary.to_pylist()
        held(column.null_count == 0 and all(map(match, words)))
        held(not any(map(str.isspace, words)))  # nothing is left of it between its separators
        return
    held(column.null_count == 0 or re.fullmatch(field.pattern, "") is not None)
    held(field.pattern != WHOLE or column.null_count == 0)
    values = (column.drop_null() if column.null_count else column).to_numpy(zero_copy_only=False)
    least = -1 if field.part == "ttl" else 0
    held(not len(values) or (bool(np.isfinite(values.sum())) and values.min() >= least))


def columns_of(block: bytes, fields: Sequence[Field], types: Sequence[pa.DataType], mark: str, skip: int) -> pa.Table:
    """The lines of *block* but the first *skip*, on all cores.

    Arrow takes numbers that a careful reader does not: with signs, hexadecimal ones, any exponent, zeros before. Where
    there may be one, each number is held to its pattern as well.
    """
    held(mark != "\t" or not (block.startswith(b"\t") or b"\n\t" in block))  # a careful reader takes it for a blank
    if _may_mislead(block, fields, types, mark):
        texts = _parsed(block, fields, [pa.string()] * len(fields), mark, skip)
        for field, kind in zip(fields, types, strict=True):
            if field.name and not pa.types.is_dictionary(kind):
                fits = pc.match_substring_regex(texts.column(field.name), rf"\A[ \t]*(?:{field.pattern})[ \t]*\z")
                held(pc.all(fits).as_py() is not False)
    return _parsed(block, fields, types, mark, skip)


def _may_mislead(block: bytes, fields: Sequence[Field], types: Sequence[pa.DataType], mark: str) -> bool:
    """Whether there may be such a number; what looks like one may be a word, or of the kind that may be long."""
    forms = block.translate(bytes.maketrans(FORMS[0] + mark.encode(), FORMS[1] + b","))
    if forms.startswith((SIGNED[1:], HEXADECIMAL[1:])) or (b"-" in forms and SIGNED in forms):
        return True
    if b"x" in forms and HEXADECIMAL in forms:
        return True
    if pa.float64() in types and any(exponent in forms for exponent in EXPONENTS):
        return True
    return LONG in forms and (any(map(_is_short, fields)) or any(digits in forms for digits in TOO_LONG))


def _is_short(field: Field) -> bool:
    """Whether it has numbers of at most 15 digits before a point."""
    return NUMBER in field.pattern and WHOLE not in field.pattern


def _parsed(block: bytes, fields: Sequence[Field], types: Sequence[pa.DataType], mark: str, skip: int) -> pa.Table:
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
