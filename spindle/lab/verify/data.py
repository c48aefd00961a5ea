"""Reads tables of measurements: CSV with a heading, by the names of columns; messages name file and line."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from spindle.sim.error import UserError, quote, unknown
from spindle.sim.inputs import read_whole

MAX_WHOLE = 10**7
"""The largest whole number in a cell: a count of accelerators, of tokens of a prompt, of blocks of a memory."""


@dataclass(frozen=True)
class DataRow:
    """A line of a table: *texts* by column, and its *place* for messages."""

    place: str
    texts: Mapping[str, str]

    def text(self, column: str) -> str:
        if column not in self.texts:
            raise UserError(f"{self.place}: {unknown('column', column, self.texts)}")
        return self.texts[column]

    def number(self, column: str, usual: float | None = None) -> float:
        """Return the finite number in *column*; *usual* where the cell is empty."""
        text = self.text(column)
        if not text and usual is not None:
            return usual
        with suppress(ValueError):
            if isfinite(value := float(text)):
                return value
        raise UserError(f"{self.place}: {column} must be a number, not {quote(text)}")

    def positive(self, column: str) -> float:
        """Return the number above 0 in *column*."""
        if (value := self.number(column)) > 0.0:
            return value
        raise UserError(f"{self.place}: {column} must be above 0, not {quote(self.text(column))}")

    def whole(self, column: str, usual: int | None = None, low: int = 1) -> int:
        """Return the whole number from *low* to MAX_WHOLE in *column*; *usual* where the cell is empty."""
        value = self.number(column, usual)
        if low <= value <= MAX_WHOLE and value == int(value):
            return int(value)
        raise UserError(f"{self.place}: {column} must be a whole number from {low} to {MAX_WHOLE:,}, not "
                        f"{quote(self.text(column))}")  # fmt: skip


def read_table(path: Path) -> list[DataRow]:
    """Read the CSV *path*; UserError where a line has more or fewer cells than the heading."""
    lines = csv.reader(read_whole(path).splitlines())
    heading = next(lines, [])
    return list(_rows(path, heading, lines))


def _rows(path: Path, heading: list[str], lines: Iterator[list[str]]) -> Iterator[DataRow]:
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(heading):
            raise UserError(f"{path}:{number}: {len(cells)} cells, and the heading has {len(heading)}")
        yield DataRow(f"{path}:{number}", dict(zip(heading, cells, strict=True)))


def table_if_there(path: Path) -> list[DataRow]:
    """Read the CSV *path*, or nothing if there is no file: measurements may be withheld."""
    return read_table(path) if path.exists() else []
