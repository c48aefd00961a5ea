"""Reads lines of CSV or JSON whose columns the user names or numbers, as ``--columns`` does."""

from collections.abc import Mapping, Sequence
from typing import Any

from spindle.sim.error import UserError, quote, unknown
from spindle.workloads.traces.batch import Batch
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats.jsonl import flat, json_object
from spindle.workloads.traces.formats.plain import KNOWN, USUAL_COLUMNS, WINDOWS, PlainLines, field_of, unit_notes
from spindle.workloads.traces.operations import Meaning, PassedWords
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Shape
from spindle.workloads.traces.text import TextFormat


class NamedLines:
    """Lines of CSV, or of JSON whose fields have the names of *columns*, behind points where objects are nested."""

    def __init__(self, columns: Mapping[str, str], mark: str) -> None:
        self._columns, self._mark = columns, mark
        self._lines: PlainLines | None = None
        self._is_json = False
        self._unit_notes: list[str] = []
        self.began: float | None = None
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}
        self.shape = Shape([KNOWN[name] for name in USUAL_COLUMNS], COMMA)

    @property
    def notes(self) -> Sequence[str]:
        return self._unit_notes if self._lines is None else [*self._unit_notes, *self._lines.notes]

    @property
    def columns(self) -> "NamedLines | None":
        return None if self._lines is None or self._is_json or self._lines.columns is None else self

    def parse(self, line: str) -> Record | None:
        lines = self._lines
        if lines is None:
            lines = self._lines = self._begin(line)
        try:
            record = self._of_json(lines, line) if self._is_json else lines.parse(line)
        finally:
            self.began, self.shape = lines.began, lines.shape
        return record

    def batch(self, block: bytes, check: Checks) -> Batch:
        assert self._lines is not None
        batch = self._lines.batch(block, check)
        self.began = self._lines.began
        return batch

    def _begin(self, line: str) -> PlainLines:
        self._is_json = line.lstrip().startswith("{") and not self._mark
        if self._is_json:
            self._check_names(flat(json_object(line)))
        names = dict(zip(self._columns, self._columns, strict=True)) if self._is_json else self._columns
        lines = PlainLines(columns=names, mark=self._mark)
        lines.began, lines.passed, lines.given = self.began, self.passed, self.given
        if self._is_json:
            lines.parse(",".join(names))
            self._unit_notes = unit_notes(self._columns)
        return lines

    def _check_names(self, entry: Mapping[str, object]) -> None:
        for column, name in self._columns.items():
            if name not in entry and column not in MAY_BE_ABSENT:
                raise Wrong(str(unknown("field", name, entry)))

    def _of_json(self, lines: PlainLines, line: str) -> Record | None:
        """Read a *line* of JSON as one of CSV; a list of keys is as many references."""
        entry = flat(json_object(line))
        keys: Any = entry.get(self._columns["key"]) if "key" in self._columns else None
        several = isinstance(keys, list)
        if several and not keys:
            return None
        cells = [_cell(column, keys[0] if several and column == "key" else entry.get(name))
                 for column, name in self._columns.items()]  # fmt: skip
        try:
            record = lines.parse(",".join(cells))
        except Wrong as wrong:
            raise Wrong(str(wrong)) from None  # its attribute is a column of no line here
        return record._replace(keys=tuple(map(str, keys))) if several and record is not None else record


MAY_BE_ABSENT = ("size", "ttl", "device", "op", "response_s")
"""Columns whose field may be missing in a line, and in the first."""


def _cell(column: str, value: object) -> str:
    """Return the *value* of a field of JSON as a cell of CSV."""
    if isinstance(value, bool | list | dict):
        raise Wrong(f"{column} must be a number or a word, not {quote(str(value))}")
    text = "" if value is None else str(value).strip()
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"*') else text


def with_columns(columns: Mapping[str, str], mark: str = "") -> TextFormat:
    """Return the format of a file with these *columns*, by the names of COLUMNS; of JSON lines they are fields."""
    for name, place in columns.items():
        if field_of(name) is None:
            raise unknown("column", name, KNOWN)
        if place == "0":
            raise UserError(f"column {name} is the first at least, which is 1, and not 0")
    if len({place.isdecimal() for place in columns.values()}) > 1:
        raise UserError("columns are known by their numbers or by their names in the header, all of them alike")
    named = {field.name: place for name, place in columns.items() if (field := field_of(name))}
    return TextFormat("columns", (), "a request is a line", lambda: NamedLines(named, mark),
                      WINDOWS)
