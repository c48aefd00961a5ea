"""Reads lines of fields in a fixed order, for all formats like CSV.

A block of lines is read by columns. A block with a line that may be wrong is read line by line, which finds the fault.
Both ways use the same fields.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import quote
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, Floats, Integers, Words, empty, no_owners, no_time, require
from spindle.workloads.traces.dates import DAYS, UNMARKED, Dates, is_date, is_unmarked_date
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.operations import DEVICES, FIO, OBJECTS, Given, Meaning, Meanings, PassedWords
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Field, Separator, Shape, unread, whole_of

if TYPE_CHECKING:
    from spindle.workloads.traces.columns import Columns

LATEST = 1e11
"""Clock readings beyond this are in a unit of UNITS, not in seconds since 1970 or 1601."""
MAX_KEYS = 1 << 16
"""Most references of one line, to several objects or to one."""
CLOCK_UNITS = ((1e14, 1e-3, "milliseconds"), (1e17, 1e-6, "microseconds"), (2e17, 1e-7, "Windows' ticks of 100 ns"))
"""A clock reading up to each number is a date in this unit, given in seconds; larger ones are in nanoseconds."""
EXACT = 2.0**53
"""Whole numbers below this are exact as floats, which Arrow makes of a column with an empty cell."""
DATE_TICKS = 1e9
"""Units of a date in a second."""
PASSED = (Meaning.SKIP, None)
"""Meanings of operations that are no requests; None is that of an unknown word."""
Mask = NDArray[np.bool_]
_MISSING = -1
"""Index of an empty cell: the last one."""
CODES = "op {} is taken for fio's code: 0 reads, 1 writes, 2 trims; other tools have 1 for a read: --ops 1=read,0=write"
"""Note on operations that are numbers."""
NO_WORD = "the operation is left empty in some lines, which are taken for reads"
_MAIN = ("op", "device", "disc", "first", "length", "key", "count", "extra", "ttl")
_MEASURED = ("response", "gap", "service", "queue", "number")
"""Parts of a record, in the order in which they are read; only lists of timed requests have _MEASURED ones."""


class Rows:
    """Reads lines of *fields*: the first one for each attribute of a record. *ops* gives meanings of operations."""

    def __init__(
        self, fields: Sequence[Field], separator: Separator = COMMA, longer: bool = False, ops: Meanings | None = None
    ) -> None:
        self.shape = Shape(fields, separator, longer)
        self._mark = separator.mark
        places = {each.attribute: place for place, each in reversed(list(enumerate(fields)))}
        self._fields = [each if places[each.attribute] == place else replace(each, attribute="") for place, each in
                        enumerate(fields)]
        self.keyed = "key" in places
        self._ops: Meanings = (OBJECTS if self.keyed else DEVICES) if ops is None else ops
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}
        self._main = [places.get(attribute, _MISSING) for attribute in _MAIN]
        units = {each.attribute: each.unit for each in reversed(fields)}
        self._first, self._length = (int(units.get(attribute, 1)) for attribute in ("first", "length"))
        self._ttl = units.get("ttl", 1)
        self._time = places.get("time", _MISSING)
        self._time_field = fields[self._time]
        self._clock = next((each for each in fields if each.attribute == "clock"), unread())
        self.notes: list[str] = []
        """Guesses about the file."""
        self._kinds = dict[str, Meaning | None]()
        self._dated: bool | None = None
        """True if its times are dates; None before the first."""
        self._clock_place = places.get("clock", _MISSING)
        self.began: float | None = None
        self._measured = [(places.get(name, _MISSING), fields[places.get(name, 0)]) for name in _MEASURED]
        self._is_measured = any(place != _MISSING for place, _ in self._measured)

    @property
    def columns(self) -> "Rows":
        """Return the reader of blocks of lines."""
        return self

    # One line.

    def parse(self, line: str) -> Record | None:
        match = self.shape.match(line)
        if match is None:
            raise self.shape.wrong(line)
        cells = (*match.groups(), "")
        op, device, disc, first, length, key, count, extra, ttl = [cells[place] for place in self._main]
        if self._time != _MISSING:
            time = self._time_field.seconds(float(cells[self._time])) if cells[self._time] else None
        else:
            time = self._seconds_since(cells[self._clock_place])
        device = f"{device}.{disc}" if disc else device
        kind = self._meaning(op)
        if kind is None and not self.keyed:
            raise Wrong(f"op must be R or W, not {quote(op)}; --ops says what other words mean", "op")
        if kind in (None, Meaning.SKIP):
            self.passed.add(op, kind)
            return None
        what = WRITE if kind is Meaning.WRITE else READ
        if key:
            size = (whole_of(length) * self._length if length else 1) + int(extra or 0)
            valid = float(ttl or 0) * self._ttl
            record = Record(time, device, what, 0, size, ttl=valid if valid > 0 else None,
                            delete=kind is Meaning.DELETE, unsized=not length)  # fmt: skip
            return self._objects(record, key.strip(), count)
        record = Record(time, device, what, whole_of(first or "0") * self._first, whole_of(length) * self._length)
        return self._with_measured(record, cells) if self._is_measured else record

    def _meaning(self, word: str) -> Meaning | None:
        if word not in self._kinds:
            self._kinds[word] = Given(self.given, self._ops).meaning(word)
            if not word.strip() and self._main[0] != _MISSING and self._kinds[word] is Meaning.READ:
                self.notes.append(NO_WORD)
        return self._kinds[word]

    def guessed_codes(self) -> list[str]:
        """Return a sentence on bare numbers that were taken for operations of a device, if there were any."""
        words = [word for word in FIO if word in self._kinds and word not in self.given]
        return [CODES.format(words[0])] if words and not self.keyed else []

    @cached_property
    def _dates(self) -> Dates:
        return Dates()

    def _seconds_since(self, text: str) -> float | None:
        """Return seconds since the first time. Dates are subtracted as they stand, as a float loses microseconds."""
        if not text:
            return None
        dated = is_date(text) is not None
        if self._dated is None:
            self._dated = dated
        if self._dated is not dated:
            raise Wrong(f"{text} is {'no ' if self._dated else 'a '}date, unlike the times before it", "clock")
        now = self._dates.moment(text) if dated else int(text) if text.isdecimal() else float(text)
        if dated and self.began is not None and self._dates.late:
            self.began, self._dates.late = self.began - self._dates.late, 0
        if self.began is None:
            if dated and ":" not in text:
                self.notes.append(DAYS.format(self._clock.name))
            if self._clock.unit == 1 and not self._clock.ticks and not self._dated and now > LATEST:
                self._guess(now, text)
            self.began = now
        return (now - self.began) / DATE_TICKS if self._dated else self._clock.seconds(now - self.began)

    def _guess(self, now: float, text: str) -> None:
        """Guess the unit of a clock that shows *now*, which is no number of seconds of any date."""
        if is_unmarked_date(text):
            raise Wrong(UNMARKED.format(text), "clock")
        unit, name = next(((unit, name) for most, unit, name in CLOCK_UNITS if now <= most), (1e-9, "nanoseconds"))
        self._clock = replace(self._clock, unit=unit)
        self.notes.append(f"{self._clock.name} is taken for {name} since a date; {self._clock.name}_ms, _us or _ns "
                          "would say the unit")

    @staticmethod
    def _objects(record: Record, key: str, count: str) -> Record:
        """Return *record* with *count* references to the object *key*; one if no count is given."""
        times = int(count or 1)
        if not 0 < times <= MAX_KEYS:
            raise Wrong(f"one line asks for an object from 1 to {MAX_KEYS} times, not {times}", "count")
        return record._replace(keys=(key,) * times)

    def _with_measured(self, record: Record, cells: tuple[str, ...]) -> Record:
        """Return *record* with the measured times of a list of requests: response is service and queue."""
        *seconds, number = [(cells[place], field) for place, field in self._measured]
        response, gap, service, queue = [field.seconds(float(text)) if text else None for text, field in seconds]
        if service is not None and queue is not None:
            response = service + queue
        return record._replace(response=response, gap=gap, service=None if queue is None else service,
                               number=int(number[0]) if number[0] else None)

    # A block of lines.

    def batch(self, block: bytes, check: Checks) -> Batch:
        """Return all requests of *block* if they pass *check*; NotSimpleError where a line is not like the others."""
        from spindle.workloads.traces.columns import Columns  # importing Arrow takes a while

        if self._mark == " ":
            block = _single_spaced(block)
        more = block.lstrip(b"\r\n").partition(b"\n")[0].count(self._mark.encode()) + 1 - len(self._fields)
        columns = Columns(block, [*self._fields, *[unread()] * (more if self.shape.longer else 0)], self._mark)
        if not len(columns):
            return empty()
        times, began = self._times(columns)
        wanted, writes, deletes, passed = self._operations(columns)
        lengths = columns.wholes("length") if columns.has("length") else np.ones(len(columns), np.int64)
        lengths = lengths + columns.wholes("extra") if columns.has("extra") else lengths
        batch = Batch(times[wanted], writes[wanted], _owners(columns).select(wanted), np.zeros(wanted.sum(), np.int64),
                      lengths[wanted], no_time(int(wanted.sum())))  # fmt: skip
        if self.keyed:
            unsized = None if columns.has("length") else np.ones(batch.requests, np.bool_)
            batch = _of_objects(batch, columns, wanted)._replace(
                deletes=deletes[wanted] if deletes.any() else None, unsized=unsized)  # fmt: skip
        else:
            batch = _of_bytes(batch, columns, wanted)
        check.batch(batch)
        self.began = began
        for word, kind, lines in passed:
            self.passed.add(word, kind, lines)
        return batch

    def _times(self, columns: "Columns") -> tuple[Floats, float | None]:
        """Return the times in seconds, and the clock at the trace's begin."""
        if columns.has("time"):
            values, field = columns.numbers("time")
            return values.astype(np.float64) * field.unit, self.began
        if not columns.has("clock"):
            return no_time(len(columns)), self.began
        clock, field = columns.numbers("clock")
        known, began = clock[~np.isnan(clock)], self.began
        require(self._dated is not None and self._dated == (field.ticks == DATE_TICKS))
        require(clock.dtype.kind != "f" or not bool((known >= EXACT).any()))
        if began is None and len(known):
            began = known[0].item()
            require(self._clock.unit != 1 or bool(field.ticks) or began <= LATEST)
        field = field if field.ticks == DATE_TICKS else self._clock
        since = (clock - (began or 0)).astype(np.float64)
        return since / field.ticks if field.ticks else since * field.unit, began

    def _operations(self, columns: "Columns") -> tuple[Mask, Mask, Mask, list[tuple[str, Meaning | None, int]]]:
        """Return masks of the lines that are requests, that write, and that delete; and the words passed over."""
        ops = columns.words("op")
        if ops is None:
            none = np.zeros(len(columns), dtype=np.bool_)
            return ~none, none, none, []
        kinds = [self._meaning(word) for word in ops.names]
        require(self.keyed or None not in kinds)
        passes, writes, deletes = (np.array([kind in some for kind in kinds])[ops.codes]
                                   for some in (PASSED, (Meaning.WRITE,), (Meaning.DELETE,)))  # fmt: skip
        times = np.bincount(ops.codes).tolist()
        counts = [each for each in zip(ops.names, kinds, times, strict=True) if each[1] in PASSED]
        return ~passes, writes, deletes, counts


def _single_spaced(block: bytes) -> bytes:
    """Leave one space between two fields, and none at the ends of lines."""
    require(b"\v" not in block and b"\f" not in block)
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb"[ \t]+", b" ", block))


def _owners(columns: "Columns") -> Words:
    """Return the owners of lines; the names of a device and of its disc are joined by a point."""
    owners, discs = columns.words("device"), columns.words("disc")
    if owners is None:
        return no_owners(len(columns))
    if discs is None:
        return owners
    pairs, codes = np.unique(owners.codes * len(discs.names) + discs.codes, return_inverse=True)
    before, after = np.divmod(pairs, max(1, len(discs.names)))
    names = [f"{owners.names[one]}.{discs.names[other]}"
             for one, other in zip(before.tolist(), after.tolist(), strict=True)]
    return Words(codes.astype(np.int64), names)


def _of_bytes(batch: Batch, columns: "Columns", wanted: NDArray[np.bool_]) -> Batch:
    response, gap, service, queue = (seconds if seconds is None else seconds[wanted]
                                     for seconds in map(columns.seconds, _MEASURED[:4]))  # fmt: skip
    if queue is not None and service is not None:
        known = service + queue
        response = known if response is None else np.where(np.isnan(known), response, known)
        service = np.where(np.isnan(queue), nan, service)
    require(not columns.has("number") or columns.numbers("number")[0].max() < EXACT)
    return batch._replace(
        firsts=columns.wholes("first")[wanted], responses=response, gaps=gap,
        services=None if queue is None else service,
        numbers=columns.numbers("number")[0][wanted].astype(np.float64) if columns.has("number") else None)  # fmt: skip


def _of_objects(batch: Batch, columns: "Columns", wanted: NDArray[np.bool_]) -> Batch:
    keys = columns.words("key")
    assert keys is not None
    counts: Integers = columns.wholes("count") if columns.has("count") else np.ones(len(columns), dtype=np.int64)
    require(bool(((counts > 0) & (counts <= MAX_KEYS)).all()))
    counts = counts[wanted]
    if columns.has("ttl"):
        ttls, field = columns.numbers("ttl")
        given = ttls[wanted] * field.unit
        batch = batch._replace(ttls=np.where(given > 0, given, np.nan))
    return batch._replace(keys=Words(np.repeat(keys.codes[wanted], counts), keys.names), counts=counts)
