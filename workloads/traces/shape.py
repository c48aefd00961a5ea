"""Describes the shape of a line of text: its fields in order, each with a pattern, and the marks between them.

If a line does not match, the shape finds the first field that is wrong.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from spindle.sim.error import UserError, quote
from spindle.workloads.traces.dates import DATE_PATTERN, NO_DAY, is_time_of_day
from spindle.workloads.traces.faults import Wrong


@dataclass(frozen=True)
class Field:
    """A field that matches *pattern*, in words *rule*; times *unit* it becomes *attribute* of a Record.

    Where *ticks* make a second, a time is divided by them instead of multiplied by the unit.
    """

    name: str
    pattern: str
    rule: str
    attribute: str = ""
    unit: float = 1
    ticks: float = 0

    @property
    def read(self) -> bool:
        """Tell if the field is read: others may hold anything."""
        return self.rule != ANY

    def seconds(self, value: float) -> float:
        return value / self.ticks if self.ticks else float(value * self.unit)


@dataclass(frozen=True)
class Separator:
    """A *mark* between fields and its patterns: *between* finds it, *cell* a field, and *rest* allows more fields."""

    mark: str
    between: str
    cell: str
    rest: str


# Matched white space is never given back: otherwise a long line of it would be tried from each of its places.
SPACE = Separator(" ", r"[ \t]++", r"\S+", r"(?:[ \t].*)?")


def separated_by(mark: str) -> Separator:
    """Return the separator that is one *mark* between two fields; spaces beside it are ignored."""
    if mark == " ":
        return SPACE
    one, space = re.escape(mark), " *+" if mark == "\t" else r"[ \t]*+"
    return Separator(mark, f"{space}{one}{space}", f"(?:^|(?<={one}))[^{one}]*", f"{space}(?:{one}.*)?")


COMMA = separated_by(",")

# 19 digits go into 64 bits; int() would take underscores, signs, any script's digits, and thousands of them.
WHOLE_NUMBER = r"\d{1,19}"
_NUMBER = r"(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d\d?)?"
_NAME = r"[^\s,\x00-\x1f\x7f]{1,255}"
ANY = "anything"


def unread(mark: str = ",") -> Field:
    """A field that may hold anything."""
    return Field("", r"\S+" if mark == " " else rf"[^{re.escape(mark)}]*+", ANY)


def integer(name: str, attribute: str = "", unit: float = 1) -> Field:
    return Field(name, WHOLE_NUMBER, "a whole number of at most 19 digits", attribute, unit)


LOOSE = r"(?:\d{1,19}(?:\.0{0,9})?|0[xX][0-9a-fA-F]{1,15})"
"""Whole numbers as tables and dumps have them: 4096.0, 0x1000."""


def loose(name: str, attribute: str = "", unit: float = 1) -> Field:
    """A whole number that may be written as a fraction or in hexadecimal."""
    return Field(name, LOOSE, "a whole number of at most 19 digits", attribute, unit)


def whole_of(text: str) -> int:
    """Return the value of a loose number."""
    return int(text, 16) if text[1:2] in ("x", "X") else int(text.partition(".")[0])


def number(name: str, attribute: str = "", unit: float = 1) -> Field:
    return Field(name, _NUMBER, "a number that is not negative", attribute, unit)


def clock(name: str, unit: float = 1) -> Field:
    """A time of day or of a machine, in *unit* seconds, or a date: only the time since the first one counts."""
    rule = "a number that is not negative, a date as 2023-11-16 18:17:03, or empty"
    return Field(name, rf"(?:{WHOLE_NUMBER}|{_NUMBER}|{DATE_PATTERN})?", rule, "clock", unit)


def key(name: str, mark: str = ",") -> Field:
    """The name of an object, which may have anything in it but the *mark* between two fields."""
    cell = r"\S{1,4096}" if mark == " " else rf"[^{re.escape(mark)}\x00-\x1f\x7f]{{1,4096}}"
    return Field(name, cell, "a key of 1 to 4096 characters", "key")


def time_to_live(name: str, unit: float = 1) -> Field:
    """Time for which an object is valid, in *unit* seconds; nothing, 0 and -1 where it is so for ever."""
    return Field(name, rf"(?:-1|{WHOLE_NUMBER}|{_NUMBER})?", "a number that is not negative, -1, or empty", "ttl",
                 unit)  # fmt: skip


def word(name: str, attribute: str = "") -> Field:
    return Field(name, _NAME, "a name of 1 to 255 characters", attribute)


def choice(name: str, words: Iterable[str], attribute: str = "", any_case: bool = False) -> Field:
    words = list(words)
    pattern = "|".join(map(re.escape, words))
    return Field(name, f"(?i:{pattern})" if any_case else pattern, " or ".join(words), attribute)


class Shape:
    """Lines of *fields*; *longer* ones fit, too."""

    def __init__(self, fields: Sequence[Field], separator: Separator, longer: bool = False) -> None:
        self.fields = fields
        self._cell = re.compile(separator.cell)
        self.longer = longer
        cells = separator.between.join(f"({field.pattern})" for field in fields)
        rest = separator.rest if longer else ""
        self.match = re.compile(rf"[ \t]*+{cells}{rest}\s*+", re.ASCII).fullmatch
        """Matches a line; its groups are the fields."""

    def wrong(self, line: str) -> Wrong:
        """Explain why *line* does not fit."""
        cells = list(self._cells(line))
        for field, (column, cell) in zip(self.fields, cells, strict=False):
            if re.fullmatch(field.pattern, cell, re.ASCII) is None:
                if field.attribute == "clock" and is_time_of_day(cell):
                    return Wrong(NO_DAY.format(field.name, cell), column=column)
                return Wrong(f"{field.name} must be {field.rule}, not {quote(cell)}", column=column)
        if len(cells) < len(self.fields):
            name = self.fields[len(cells)].name or self.fields[-1].name
            return Wrong(f"{name} is missing", column=len(line) + 1)
        if len(cells) > len(self.fields) and not self.longer:
            column, cell = cells[len(self.fields)]
            return Wrong(f"{quote(cell)} stands behind {self.fields[-1].name}, which is the last", column=column)
        return Wrong("there is something between its fields that has no place there")

    def column(self, line: str, attribute: str) -> int:
        """Return the column of *line* where the field begins that becomes *attribute* of a Record."""
        for field, (column, _) in zip(self.fields, self._cells(line), strict=False):
            if field.attribute == attribute:
                return column
        return 1

    def _cells(self, line: str) -> Iterator[tuple[int, str]]:
        """Yield the columns, from 1, and the fields of *line*, whatever they hold."""
        for match in self._cell.finditer(line):
            cell = match.group()
            yield match.start() + 1 + len(cell) - len(cell.lstrip()), cell.strip()


class Header:
    """The names of the columns, which give a column's index."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = [name.strip() for name in names]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def index(self, *names: str) -> int:
        """Return the index of the first of *names* that is there; UserError if none is, or if it is there twice."""
        for name in names:
            if self.names.count(name) > 1:
                raise UserError(f"column {name} stands there twice")
            if name in self.names:
                return self.names.index(name)
        near = get_close_matches(names[0], self.names)
        meant = f"; is {quote(near[0])} meant for it?" if near else ""
        raise UserError(f"there is no column {' or '.join(names)}{meant}")
