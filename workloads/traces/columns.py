"""Parses columns of a block of lines by Arrow, and checks them as strictly as lines that are read one by one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from spindle.workloads.traces.batch import Integers, NotSimpleError, Words, require
from spindle.workloads.traces.dates import PLAIN_DATE
from spindle.workloads.traces.shape import LOOSE, WHOLE_NUMBER, Field, clock, number

CLOCK, NUMBER = clock("").pattern, number("").pattern
"""Patterns of clock readings, and of numbers with fractions."""
NUMBER_OR_EMPTY = f"(?:{NUMBER})?"
LOOSELY = (CLOCK, LOOSE, f"(?:{LOOSE})?")
"""Patterns of numbers that may be whole or not."""
EXACT = 1 << 53
"""Beyond this not every whole number is exact as a float."""
MAX_INTEGER = 1 << 62
"""Largest product of a whole number and its unit that is read by columns."""
WORD_ATTRIBUTES = ("device", "disc", "op", "key")
"""Parts of a record that are read as words, even if they look like numbers."""
FORMS = b"123456789+EX\n \t", b"000000000-ex,,,"
"""Bytes of a trace, and the bytes that replace them in a search: zero for a digit, a comma for a mark before a cell."""
LONG = b"0" * 16
"""One digit more than a number with a fraction may have before its point or exponent."""
TOO_LONG = b"0" * 20, LONG + b".", LONG + b"e"
"""Digits, perhaps with a point or exponent, that are too long to be read by columns."""
SIGNED, HEXADECIMAL = b",-", b",0x"
EXPONENTS = b"e000", b"e-000"
"""Exponents of three digits."""


class Columns:
    """The columns of *block*, *fields* with *mark* between them; each is found by the attribute of a Record it becomes.

    NotSimpleError where a line does not fit, or might not.
    """

    def __init__(self, block: bytes, fields: Sequence[Field], mark: str) -> None:
        self._fields = dict(enumerate(fields))
        types = {place: _type_of(field, cell) for (place, field), cell in
                 zip(self._fields.items(), _first_cells(block, mark, len(fields)), strict=True) if field.read}
        table = _table(block, fields, types, mark)
        self._count = int(table.num_rows)
        self._columns = {place: table.column(str(place)).chunk(0) for place in types}
        self._names = {place: _names(fields[place], column) for place, column in self._columns.items()
                       if pa.types.is_dictionary(column.type)}  # fmt: skip
        for place in self._columns.keys() - self._names.keys():
            _check(fields[place], self._columns[place])

    def __len__(self) -> int:
        return self._count

    def has(self, attribute: str) -> bool:
        return self._place(attribute) is not None

    def _place(self, attribute: str) -> int | None:
        """Return the place of the field that becomes *attribute*, the earlier of two."""
        return next((place for place, field in self._fields.items() if field.attribute == attribute), None)

    def words(self, attribute: str) -> Words | None:
        """Return the column of words that become *attribute*."""
        place = self._place(attribute)
        if place is None:
            return None
        return Words(self._columns[place].indices.to_numpy().astype(np.int64), self._names[place])

    def numbers(self, attribute: str) -> tuple[NDArray[Any], Field]:
        """Return the column that becomes *attribute*, nan where it is empty; and its field."""
        place = self._place(attribute)
        assert place is not None
        column = self._columns[place]
        if pa.types.is_timestamp(column.type):
            return column.cast(pa.int64()).to_numpy(zero_copy_only=False), replace(self._fields[place], ticks=1e9)
        return column.to_numpy(zero_copy_only=False), self._fields[place]

    def wholes(self, attribute: str) -> Integers:
        """Return the column that becomes *attribute* as whole numbers, in units of 1."""
        values, field = self.numbers(attribute)
        if values.dtype.kind == "f":
            require(bool((values < EXACT).all() and (values == np.floor(values)).all()))
            values = values.astype(np.int64)
        require(not len(values) or int(values.max()) <= MAX_INTEGER // int(field.unit))
        return values if field.unit == 1 else values * int(field.unit)

    def seconds(self, attribute: str) -> NDArray[np.float64] | None:
        """Return the column that becomes *attribute* in seconds, if there is one."""
        if not self.has(attribute):
            return None
        values, field = self.numbers(attribute)
        found: NDArray[np.float64] = values / field.ticks if field.ticks else values * field.unit
        return found


def _first_cells(block: bytes, mark: str, fields: int) -> list[str]:
    cells = block.lstrip().partition(b"\n")[0].decode().split(mark)
    require(len(cells) == fields)
    return cells


def _names(field: Field, column: pa.Array) -> list[str]:
    """Return the different words of *column*, without blanks around them; each must match the pattern of *field*."""
    words = column.dictionary.to_pylist()
    require(column.null_count == 0 and all(map(re.compile(field.pattern, re.ASCII).fullmatch, words)))
    names = list(map(str.strip, words))
    require(names.count("") == words.count(""))  # no word is of blanks alone
    return names


def _check(field: Field, column: pa.Array) -> None:
    """Check numbers by the pattern of *field*: they must be present and not negative."""
    require(column.null_count == 0 or re.fullmatch(field.pattern, "") is not None)
    require(field.pattern != WHOLE_NUMBER or column.null_count == 0)
    if pa.types.is_timestamp(column.type):
        return
    values = (column.drop_null() if column.null_count else column).to_numpy(zero_copy_only=False)
    least = -1 if field.attribute == "ttl" else 0
    require(not len(values) or (bool(np.isfinite(values.sum())) and values.min() >= least))


def _table(block: bytes, fields: Sequence[Field], types: Mapping[int, pa.DataType], mark: str) -> pa.Table:
    """Parse the lines of *block* on all cores; a clock that is not whole everywhere is read as fractions.

    Arrow takes numbers that reading line by line does not: with signs, hexadecimal ones, any exponent, zeros before.
    Where there may be one, each number must match its pattern as well.
    """
    require(mark != "\t" or b"\n\t" not in block)  # to a reader of lines it is a blank
    numbers = [place for place, kind in types.items() if not pa.types.is_dictionary(kind)]
    numbers = [place for place in numbers if not pa.types.is_timestamp(types[place])]
    if _may_mislead(block, [fields[place] for place in numbers], types, mark):
        texts = _parse(block, len(fields), dict.fromkeys(numbers, pa.string()), mark)
        for place in numbers:
            fits = pc.match_substring_regex(texts.column(str(place)), rf"\A[ \t]*(?:{fields[place].pattern})[ \t]*\z")
            require(pc.all(fits).as_py() is not False)
    try:
        return _parse(block, len(fields), types, mark)
    except NotSimpleError:
        clocks = {place: pa.float64() for place, kind in types.items()
                  if fields[place].pattern in LOOSELY and kind == pa.int64()}
        require(bool(clocks))
        return _parse(block, len(fields), {**types, **clocks}, mark)


def _may_mislead(block: bytes, fields: Sequence[Field], types: Mapping[int, pa.DataType], mark: str) -> bool:
    """Tell if there may be a number that Arrow reads otherwise; words and long fields may cause false alarms."""
    forms = block.translate(bytes.maketrans(FORMS[0] + mark.encode(), FORMS[1] + b","))
    if forms.startswith((SIGNED[1:], HEXADECIMAL[1:])) or (b"-" in forms and SIGNED in forms):
        return True
    if b"x" in forms and HEXADECIMAL in forms:
        return True
    floats = pa.float64() in types.values() or any(field.pattern in LOOSELY for field in fields)
    if floats and b"e" in forms and any(exponent in forms for exponent in EXPONENTS):
        return True
    return LONG in forms and (any(map(_is_short, fields)) or any(digits in forms for digits in TOO_LONG))


def _is_short(field: Field) -> bool:
    """Tell if the field has numbers of at most 15 digits before a point."""
    return NUMBER in field.pattern and WHOLE_NUMBER not in field.pattern


def _parse(block: bytes, fields: int, types: Mapping[int, pa.DataType], mark: str) -> pa.Table:
    wanted = {str(place): kind for place, kind in types.items()}
    try:
        table = csv.read_csv(
            pa.BufferReader(block), csv.ReadOptions(column_names=list(map(str, range(fields)))),
            csv.ParseOptions(delimiter=mark, quote_char=False),
            csv.ConvertOptions(column_types=wanted, null_values=[""], include_columns=list(wanted)))
    except (pa.ArrowException, UnicodeDecodeError):
        raise NotSimpleError from None
    return table.combine_chunks()


def _type_of(field: Field, cell: str) -> pa.DataType:
    """Return the type by which a column is read whose first cell is *cell*."""
    if field.attribute not in WORD_ATTRIBUTES:
        if field.pattern == CLOCK and re.fullmatch(PLAIN_DATE, cell.strip()):
            return pa.timestamp("ns")
        if field.pattern == WHOLE_NUMBER or (field.pattern in LOOSELY and cell.strip().isdecimal()):
            return pa.int64()
        if field.pattern in (*LOOSELY, NUMBER_OR_EMPTY, NUMBER) or field.attribute in ("time", "ttl"):
            return pa.float64()
    return pa.dictionary(pa.int32(), pa.string())
