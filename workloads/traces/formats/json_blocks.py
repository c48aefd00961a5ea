"""Reads JSON lines, each a request for bytes of a device: a line becomes one of CSV, by usual names of its fields.

A time whose name has no unit is in seconds if times have fractions or are dates. Otherwise its unit is guessed from the
distances between requests, and the guess is noted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from spindle.sim.error import quote
from spindle.workloads.traces.dates import is_day, is_time_of_day
from spindle.workloads.traces.day_and_time import DAY, DAY_NAMES
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.jsonl import json_object
from spindle.workloads.traces.formats.plain import PlainLines, field_of, sector_notes
from spindle.workloads.traces.operations import COLUMN_OF, Meaning, PassedWords
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.shape import COMMA, Shape, word
from spindle.workloads.traces.text import TextFormat, whole_lines

UNIT = re.compile(r"(\w+?)_?(s|sec|seconds|ms|msec|us|usec|ns|nsec)")
"""The name of a time that ends with its unit."""
NEEDED_FIELDS = {"first": "offset, lba or sector", "length": "size, length or sectors"}
MEAN_DISTANCES = ((10, "s"), (100, "ms"), (100_000, "us"))
"""Mean distances between requests up to which whole times are taken for each unit; beyond, for nanoseconds."""
UNIT_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
LATEST = 10**9
"""Larger times are dates, whose unit the reader of CSV finds."""
NOTE = "{0} is taken for {1}, by how far requests are apart; {0}_s, {0}_ms, {0}_us or {0}_ns would say the unit"

NO_OP = "no field says what is done, as op or rw: all are taken for reads; not read are {}"
WRITES = ("is_write", "iswrite", "write")
"""Fields that may be true for a write."""
SECTORS_NOTE = "{} is taken for sectors of 512 bytes, of which it is not always a multiple"


class JsonBlocks:
    """Reads lines with the fields of the first line; *known* maps some fields to columns of CSV."""

    shape = Shape([word("line")], COMMA)
    columns = None

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._known = known or {}
        self._names: list[str] = []
        self._fields = set[str]()
        """All fields of the first line; ``_names`` are those that are read."""
        self._lines = PlainLines()
        self._noted: list[str] = []
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}

    @property
    def began(self) -> float | None:
        return self._lines.began

    @began.setter
    def began(self, clock: float | None) -> None:
        self._lines.began = clock

    @property
    def notes(self) -> Sequence[str]:
        return [*self._noted, *self._lines.notes]

    def _note_reads(self, unread: Sequence[str], columns: Iterable[str]) -> None:
        """Note that nothing says what is done, where fields are *unread* that might."""
        self._noted = [] if "op" in columns or not unread else [NO_OP.format(quote(", ".join(unread)))]

    def parse(self, line: str) -> Record | None:
        entry = json_object(line)
        if not self._names:
            columns = _columns(entry)
            self._names = list(columns)
            self._lines.passed, self._lines.given = self.passed, self.given
            self._lines.parse(",".join(self._known.get(name, column) for name, column in columns.items()))
            self._fields = set(entry)
            self._note_reads([name for name in entry if name not in columns], columns.values())
        if not entry.keys() <= self._fields:
            for name in _columns(entry).keys() - self._fields:
                raise Wrong(f"the field {quote(name)} is not in the first line, by which lines are read")
        cells = ",".join(_cell(name, entry.get(name)) for name in self._names)
        try:
            return self._lines.parse(cells)
        except Wrong as wrong:
            raise Wrong(str(wrong)) from None  # its attribute is a column of no line here


def _columns(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the column of CSV that each field of *entry* becomes, if any: of two for one thing the earlier."""
    found = dict[str, str]()
    timed = any(is_time_of_day(str(entry[name])) for name in entry if _column(name.lower()) == "time")
    for name in entry:
        is_split = timed and name.lower() in DAY_NAMES and is_day(str(entry[name]))
        column = DAY if is_split else _column(name.lower())
        if column and column not in found.values():
            found[name] = column
    attributes = {field.attribute for column in found.values() if (field := field_of(column))}
    for attribute, names in NEEDED_FIELDS.items():
        if attribute not in attributes:
            raise Wrong(f"requests for bytes of a device have a field called {names}, which is not among "
                        f"{quote(', '.join(entry))}")
    return found


def _column(name: str) -> str:
    timed = UNIT.fullmatch(name)
    if name not in COLUMN_OF and timed is not None and COLUMN_OF.get(timed[1]) == "time":
        return f"time_{timed[2][: 1 + (timed[2][0] != 's')]}"
    return COLUMN_OF.get(name) or (name if field_of(name) is not None else "")


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) and name.lower() in WRITES:
        return "W" if value else "R"
    text = str(value).strip()
    if isinstance(value, bool | list | dict) or any(mark in text for mark in '"\r\n'):
        raise Wrong(f"{name} must be a number or a word, not {quote(text)}")
    return f'"{text}"' if "," in text else text


def _entries(head: Sequence[bytes]) -> list[Mapping[str, Any]]:
    """Return the lines of *head* that are such requests, or would be with other values."""
    entries = []
    for line in head:
        with suppress(Wrong):
            entry = json_object(line.decode("utf-8", "replace"))
            _columns(entry)  # Wrong if it lacks a field
            entries.append(entry)
    return entries


def has_names(head: Sequence[bytes]) -> bool:
    """Tell if the first line of *head* has the fields, whatever is in them."""
    return bool(_entries(head[:1]))


def _with_guessed_units(head: bytes, name: str) -> TextFormat:
    """Return the format with the units that names in *head* do not say, guessed by its lines and noted."""
    entries = _entries(whole_lines(head).splitlines())
    columns = _columns(entries[0]) if entries else {}
    place = {column: name for name, column in columns.items()}
    known, notes = dict[str, str](), list[str]()
    if "time" in place:
        times = [entry.get(place["time"]) for entry in entries]
        unit = _unit([time for time in times if isinstance(time, int) and 0 <= time < LATEST], len(times))
        if unit:
            known[place["time"]] = f"time_{unit}"
            notes.append(NOTE.format(place["time"], UNIT_NAMES[unit]))
    if {"lba_512", "size"} <= place.keys() and any(isinstance(size, int) and size % SECTOR for entry in entries
                                                   if (size := entry.get(place["size"]))):  # fmt: skip
        known |= {place["size"]: "sectors"}
        notes += [SECTORS_NOTE.format(place["size"])]
    else:
        notes += sector_notes({column: place[column] for column in ("lba_512", "sectors") if column in place})
    return replace(JSON_BLOCKS, parser=partial(JsonBlocks, known), note="; ".join(notes))


def _unit(times: Sequence[int], lines: int) -> str:
    """Return the unit of *times* of all *lines*; '' where they are no small whole numbers."""
    if len(times) < max(2, lines):
        return ""
    apart = (max(times) - min(times)) / (len(times) - 1)
    return next((unit for most, unit in MEAN_DISTANCES if apart <= most), "ns")


JSON_BLOCKS = TextFormat("jsonl-blocks", (), "a request is a line with an offset and a size", JsonBlocks,
                         choose=_with_guessed_units)  # fmt: skip
