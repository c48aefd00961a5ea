"""Tables as CSV, written and read: numbers with six significant digits, the same bytes for the same numbers."""

from collections.abc import Iterator, Sequence
from io import StringIO
from math import isfinite
from pathlib import Path

import pandas as pd

from spindle.output.files import open_whole
from spindle.output.text import quote_cell, quote_formula, unquote
from spindle.sim.error import UserError, plain

ROWS = 10_000
"""Rows that are converted to text at a time."""


def write_table(frame: pd.DataFrame, path: Path) -> None:
    with open_whole(path) as file:
        for piece in _pieces(frame):
            file.write(piece)


def table_text(frame: pd.DataFrame) -> bytes:
    """Return *frame* as CSV without its index. No date is added: equal frames give equal bytes."""
    return b"".join(_pieces(frame))


def _pieces(frame: pd.DataFrame) -> Iterator[bytes]:
    """Yield the heading, then ROWS rows at a time: text takes many times the memory of numbers."""
    yield _lines([[name] for name in frame.columns])
    for first in range(0, len(frame), ROWS):
        # Column by column, because a row of a frame would turn whole numbers into floats.
        yield _lines([frame[name].iloc[first : first + ROWS].tolist() for name in frame.columns])


def _lines(columns: Sequence[Sequence[object]]) -> bytes:
    cells = [[quote_cell(cell(value)) for value in column] for column in columns]
    # A reader would skip an empty line.
    lines = [(",".join(row) or '""') + "\n" for row in zip(*cells, strict=True)]
    return "".join(lines).encode("utf-8", "backslashreplace")


def table_in(text: str, path: Path) -> pd.DataFrame:
    """The table that write_table wrote as the *text* of *path*. Only an empty cell is NaN."""
    try:
        frame = pd.read_csv(StringIO(text), keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise UserError(f"{path} is not a table: {plain(' '.join(str(error).split()))}") from error
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
        frame[name] = frame[name].map(unquote)
    frame.columns = pd.Index([unquote(name) for name in frame.columns])
    return frame


def cell(value: object) -> str:
    """One value as text: numbers to six digits, whole ones to all; text that starts like a formula is quoted."""
    if isinstance(value, float):
        return number(value)
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, int):
        return str(value)
    return quote_formula(str(value))


def number(value: float) -> str:
    """Six digits: more than a simulation's precision, and few enough to be equal on machines that round differently."""
    if value != value:
        return ""
    if isfinite(value) and (value.is_integer() or abs(value) >= 1e5) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.6g}"
