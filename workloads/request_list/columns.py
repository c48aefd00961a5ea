"""The columns of a table in a file: where each stands, what may stand in it, and one line for what may not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from sim.error import UserError, shown

Value = TypeVar("Value")


class Header:
    """The names of the columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = [name.strip() for name in names]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def index(self, *names: str) -> int:
        """Where the first of *names* stands that is there; UserError if none is, or if it stands there twice."""
        for name in names:
            if self.names.count(name) > 1:
                raise UserError(f"column {name} stands there twice")
            if name in self.names:
                return self.names.index(name)
        near = get_close_matches(names[0], self.names, 1, 0.6)
        meant = f"; is {shown(near[0])} meant for it?" if near else ""
        raise UserError(f"there is no column {' or '.join(names)}{meant}")


@dataclass(frozen=True)
class Whole:
    """A whole number in the cell at *index*."""

    name: str
    index: int
    low: int
    high: int

    def __call__(self, cells: Sequence[str]) -> int:
        text = cells[self.index]
        # int() takes more than digits, and is not asked about millions of them.
        if len(text) < 20 and text.isascii() and text.isdigit() and self.low <= (value := int(text)) <= self.high:
            return value
        raise UserError(f"{self.name} must be a whole number from {self.low} to {self.high}, not {shown(text)}")


@dataclass(frozen=True)
class Number:
    """A number that is not negative and at most *high* in the cell at *index*, times its *unit*."""

    name: str
    index: int
    high: float
    unit: float

    def __call__(self, cells: Sequence[str]) -> float:
        text = cells[self.index]
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if 0.0 <= value <= self.high and "_" not in text:
            return value * self.unit
        raise UserError(f"{self.name} must be a number from 0 to {self.high:g}, not {shown(text)}")


@dataclass(frozen=True)
class Word(Generic[Value]):
    """One of the *words* in the cell at *index*."""

    name: str
    index: int
    words: Mapping[str, Value]

    def __call__(self, cells: Sequence[str]) -> Value:
        value = self.words.get(cells[self.index])
        if value is None:
            raise UserError(f"{self.name} must be {' or '.join(self.words)}, not {shown(cells[self.index])}")
        return value
