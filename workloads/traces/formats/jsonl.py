"""Reads JSON lines: each line is an object, one field of which has the requested key, or a list of keys.

Mooncake's traces (Qin et al., FAST 2025) are such: ``hash_ids`` are the blocks of a prompt, ``timestamp`` milliseconds.
A block of lines is read by columns where each line is an object with the fields of the first one, and nothing is null.
"""

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError, quote, unknown
from spindle.sim.json_text import read_json
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS, US
from spindle.workloads.traces import operations
from spindle.workloads.traces.batch import Batch, Floats, Integers, NotSimpleError, Words, no_owners, no_time, require
from spindle.workloads.traces.dates import (
    DAYS,
    NO_DAY,
    NS,
    UNMARKED,
    Dates,
    is_date,
    is_day,
    is_time_of_day,
    is_unmarked_date,
)
from spindle.workloads.traces.day_and_time import DAY_NAMES
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats import HASHES
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.rows import MAX_KEYS
from spindle.workloads.traces.shape import COMMA, Shape, word
from spindle.workloads.traces.text import TextFormat

TIMES = {"timestamp": MS, "timestamp_ms": MS, "time_ms": MS, "timestamp_us": US, "time_us": US, "timestamp_ns": 1e-9,
         "time_ns": 1e-9, "timestamp_s": 1.0, "time_s": 1.0, "time": 1.0, "arrival_time": 1.0, "arrival_ms": MS,
         "ts": 1.0, "@timestamp": 1.0}
"""Fields with the time of a request, and their units."""
UNITLESS = ("timestamp", "time", "ts", "@timestamp")
"""Fields of TIMES whose names say no unit: it is found by the first time."""
NO_JSON = "this is no JSON, of which --keys names a field; of other lines --columns names the columns, as key=2"
GUESSED = "{} is taken for {}, as nothing says its unit: time_s, time_ms, time_us or time_ns would"
FRACTION = "{} {:.12g} is a fraction, and those before are whole and taken for milliseconds: {} says the unit"
FIRST_DATE = 1e9
DATES = ((1e17, 1e-9), (1e14, US), (1e11, MS), (FIRST_DATE, 1.0))
"""Numbers beyond which a time is a date, and its unit; smaller times count from any moment."""
UNIT_NAMES = {1.0: "seconds", MS: "milliseconds", US: "microseconds", 1e-9: "nanoseconds"}
OWNERS = ("tenant", "device", "volume", "disk", "volume_id", "disk_id")
"""Fields with the owner of a request."""
LONGEST_KEY = 4096
MAX_NUMBER = 1e25
"""Larger numbers in a line are refused."""
EXACT = 1 << 53
"""Beyond this not every whole number is exact as a float."""
NULL = b"null"
STATUS_MARKS = (b'tatus"', b'_code"')
"""Ends of the names of fields with the status of an answer, which are read line by line."""
WHOLE_TEXT = re.compile(r"\d{1,19}", re.ASCII).fullmatch
NUMBER_TEXT = re.compile(r"\d{1,19}(?:\.\d{0,20})?", re.ASCII).fullmatch
"""Match numbers that are written as text."""
_KINDS = (operations.Meaning.READ, operations.Meaning.WRITE, operations.Meaning.DELETE, operations.Meaning.SKIP, None)
_PASSED = (3, 4)
"""Places in _KINDS of operations that are no requests, which are counted line by line."""


class JsonLines:
    """Lines whose *field* has the keys. If they are there, *size* has the bytes of each, *ttl* the seconds for which
    they are valid, and *tenant* or *device* their owner.
    """

    shape = Shape([word("line")], COMMA)

    def __init__(self, *fields: str) -> None:
        self.field = fields[0]
        self._others = fields[1:]
        self.began: float | None = None
        self._unit: float | None = None
        self._counts_ms = False
        """True if times are taken for milliseconds because the first was a whole number."""
        self._dates = Dates()
        self._dated: bool | None = None
        """True if its times are dates; None before the first."""
        self.notes: list[str] = []
        self.passed = operations.PassedWords()
        self.given: Mapping[str, operations.Meaning] = {}
        self._latest: object = None
        """A key of the last line that was read alone: a line may have none."""

    @property
    def columns(self) -> "JsonLines":
        return self

    # One line.

    def parse(self, line: str) -> Record | None:
        if self._latest is None and not line.lstrip().startswith(("{", "[")):
            raise Wrong(NO_JSON)
        entry = flat(json_object(line))
        if self._others:
            self.field = next((name for name in (self.field, *self._others) if name in entry), self.field)
            self._others = ()
        if self.field not in entry:
            near = get_close_matches(self.field, entry)
            raise Wrong(str(unknown("field", self.field, entry)) if self.field not in HASHES or near else
                        f"there is no field with keys: --keys names one of {quote(', '.join(entry))}; requests for "
                        "bytes of a device have an offset and a size, which --columns names")
        name = operations.op_field(entry)
        word = "" if name is None else str(entry[name])
        kind = operations.Given(self.given, operations.OBJECTS).meaning(word)
        if name is not None and (status := operations.failed_status(entry)) and status not in self.given:
            self.passed.add(status, operations.Meaning.SKIP)
            return None
        value = entry[self.field]
        keys = value if isinstance(value, list) else [value]
        if len(keys) > MAX_KEYS:
            raise Wrong(f"one line asks for at most {MAX_KEYS} keys, not {len(keys)}")
        if kind is None or kind is operations.Meaning.SKIP:
            self.passed.add(word, kind)
            return None
        if not keys:
            return None
        self._latest = keys[0]
        tenant = next((entry[name] for name in OWNERS if name in entry), "")
        names = tuple(map(self._key, keys))
        size, ttl = self._size(entry), self._ttl(entry)
        op = WRITE if kind is operations.Meaning.WRITE else READ
        return Record(self._time(entry), str(tenant)[:255], op, 0, size, keys=names, ttl=ttl,
                      delete=kind is operations.Meaning.DELETE,
                      unsized=entry.get("size") is None)  # fmt: skip

    def _key(self, key: object) -> str:
        if isinstance(key, float) and key.is_integer() and abs(key) < EXACT:
            key = int(key)
        if isinstance(key, bool) or not isinstance(key, str | int) or not 0 < len(str(key)) <= LONGEST_KEY:
            raise Wrong(f"a key must be a whole number or 1 to {LONGEST_KEY} characters, not {quote(str(key))}")
        return str(key)

    def _time(self, entry: Mapping[str, Any]) -> float | None:
        for name, unit in TIMES.items():
            if name in entry:
                now = self._moment(name, entry)
                self.began = now if self.began is None else self.began
                if self._dates.late:
                    self.began, self._dates.late = self.began - self._dates.late, 0
                since = now - self.began
                return since / NS if self._dated else since * self._unit_of(name, unit, now, "chat_id" in entry)
        return None

    def _moment(self, name: str, entry: Mapping[str, Any]) -> float:
        """Return the time in *entry*: nanoseconds of a date, or as it is."""
        now = entry[name]
        now = now.replace(",", ".") if isinstance(now, str) else now
        if isinstance(now, str) and is_time_of_day(now):
            now = self._with_day(name, now, entry)
        dated = isinstance(now, str) and is_date(now) is not None
        if self._dated not in (None, dated):
            raise Wrong(f"{name} is {'a' if dated else 'no'} date, unlike the times before it")
        if self._dated is None and dated and ":" not in now:
            self.notes.append(DAYS.format(name))
        self._dated = dated
        if dated:
            return self._dates.moment(now)
        if isinstance(now, str) and NUMBER_TEXT(now):
            now = int(now) if now.isdecimal() else float(now)
        if isinstance(now, bool) or not isinstance(now, int | float) or abs(now) > MAX_NUMBER or not isfinite(now):
            raise Wrong(f"{name} must be a number, not {quote(str(now))}")
        return now

    @staticmethod
    def _with_day(name: str, time: str, entry: Mapping[str, Any]) -> str:
        """Return the *time* of day in the field *name* behind the day in another."""
        day = next((str(entry[each]) for each in DAY_NAMES if each in entry), "")
        if not is_day(day):
            raise Wrong(NO_DAY.format(name, time))
        return f"{day}T{time}"

    def _unit_of(self, name: str, unit: float, now: float, in_seconds: bool) -> float:
        """Return the unit of a field; if its name has none, seconds for fractions, or else a unit by its size."""
        if name not in UNITLESS:
            return unit
        if self._unit is None:
            if is_unmarked_date(str(now)):
                raise Wrong(UNMARKED.format(now))
            self._unit, note = unit_of(name, unit, now, in_seconds)
            if not note and name != "time" and self.field not in HASHES and now <= FIRST_DATE:
                note = GUESSED.format(name, UNIT_NAMES[self._unit])
            if note:
                self.notes.append(note)
            self._counts_ms = are_counted_ms(self._unit, now)
        elif self._counts_ms and now % 1:
            raise Wrong(FRACTION.format(name, now, f"--columns time_s={name} or time_ms={name}"))
        return self._unit

    @staticmethod
    def _ttl(entry: Mapping[str, Any]) -> float | None:
        ttl = entry.get("ttl")
        if isinstance(ttl, bool) or not isinstance(ttl, int | float | None) or not abs(ttl or 0) < MAX_NUMBER:
            raise Wrong(f"ttl must be a number of seconds, not {quote(str(ttl))}")
        return float(ttl) if ttl and ttl > 0 else None

    @staticmethod
    def _size(entry: Mapping[str, Any]) -> int:
        size = entry.get("size")
        size = 1 if size is None else size
        if (isinstance(size, float) and size.is_integer()) or (isinstance(size, str) and WHOLE_TEXT(size)):
            size = int(size)
        if isinstance(size, bool) or not isinstance(size, int):
            raise Wrong(f"size must be a whole number of bytes, not {quote(str(size))}")
        return size

    # A block of lines.

    def batch(self, block: bytes, check: Checks) -> Batch:
        """Return the requests of *block*, whose first line has all fields and their types."""
        first = _first(block)
        op = operations.op_field(flat(first))
        require(self.field in first and (op is None or op in first))
        require(op is None or not any(mark in block for mark in STATUS_MARKS))
        columns = _columns(block, self._schema(first, op))
        time = next((name for name in TIMES if name in first), None)
        owner = next((name for name in OWNERS if name in first), None)
        for name, column in columns.items():
            there = name in (self.field, time, owner, op) or not column.null_count
            require(column.null_count == 0 if there else column.null_count == len(column))
        require(all(columns[name].null_count for name in TIMES if name != time))
        require(all(columns[name].null_count for name in OWNERS if name != owner))
        require(op is not None or all(columns[name].null_count for name in operations.OP_FIELDS))
        maybe = set(map(str.lower, _names_in(columns[operations.MAYBE_OP])))
        require(op is not None or not operations.MEANINGS.keys() & maybe)
        counts, keys = _keys(columns[self.field])
        whats = self._kinds(columns[op] if op else None, len(counts))
        some = counts > 0
        require(not bool(np.isin(whats, _PASSED).any()))
        unit = TIMES[time] if time and time not in UNITLESS else self._unit
        require(time is None or (unit is not None and not self._dated))
        times, began = (self._times(columns[time], unit, some) if time and unit else
                        (no_time(int(some.sum())), self.began))  # fmt: skip
        owners = _words_of(columns[owner]).select(some) if owner else no_owners(int(some.sum()))
        sizes = _sizes(columns["size"])[some]
        deletes = whats[some] == _KINDS.index(operations.Meaning.DELETE)
        writes = whats[some] == _KINDS.index(operations.Meaning.WRITE)
        batch = Batch(times, writes, owners, np.zeros(len(sizes), np.int64), sizes,
                      _valid(columns["ttl"], some), keys, counts[some], deletes=deletes if deletes.any() else None,
                      unsized=np.ones(len(sizes), np.bool_) if columns["size"].null_count else None)  # fmt: skip
        check.batch(batch)
        self.began = began
        return batch

    def _kinds(self, words: Any, count: int) -> Integers:
        """Return the number in _KINDS of each of *words*, which are operations."""
        if words is None:
            return np.zeros(count, np.int64)
        ops = _words_of(words)
        kinds = [_KINDS.index(operations.Given(self.given, operations.OBJECTS).meaning(word)) for word in ops.names]
        return np.array(kinds, dtype=np.int64)[ops.codes]

    def _schema(self, first: Mapping[str, Any], op: str | None) -> Mapping[str, str]:
        """Return the type of each field that is read; that of the keys by one in the line *first*."""
        keys = first[self.field]
        one = next(iter(keys), self._latest) if isinstance(keys, list) else keys
        require(isinstance(one, str | int) and not isinstance(one, bool))
        kind = "string" if isinstance(one, str) else "int64"
        words = (*OWNERS, *operations.OP_FIELDS, operations.MAYBE_OP, *([op] if op else []))
        return {**dict.fromkeys((*TIMES, "ttl"), "float64"), **dict.fromkeys(words, "string"),
                "size": "int64", self.field: f"list {kind}" if isinstance(keys, list) else kind}  # fmt: skip

    def _times(self, column: Any, unit: float, some: NDArray[np.bool_]) -> tuple[Floats, float | None]:
        times = column.to_numpy(zero_copy_only=False)
        require(bool((np.abs(times) <= EXACT).all()) and not (self._counts_ms and bool((times % 1).any())))
        times = times[some]
        began = float(times[0]) if self.began is None and len(times) else self.began
        return (times - (began or 0.0)) * unit, began


def unit_of(name: str, unit: float, now: float, in_seconds: bool) -> tuple[float, str]:
    """Return the unit of times like *now*, and a note if that is not *unit*.

    The unit is seconds if *in_seconds* or if there are fractions, or else one by the size of *now*.
    """
    seconds = isinstance(now, float) or in_seconds
    found = next((each for least, each in DATES if abs(now) > least), 1.0 if seconds else unit)
    return found, f"{name} is taken for {UNIT_NAMES[found]}, by how it is written" if found != unit else ""


def are_counted_ms(unit: float, now: float) -> bool:
    """Tell if times like *now*, of an assumed *unit*, are no dates, but milliseconds from any moment."""
    return unit == MS and abs(now) <= FIRST_DATE


def _first(block: bytes) -> Mapping[str, Any]:
    try:
        first = read_json(block[: block.find(b"\n")] if b"\n" in block else block)
    except (ValueError, RecursionError):
        raise NotSimpleError from None
    require(isinstance(first, dict))
    return first  # type: ignore[no-any-return]


def _columns(block: bytes, schema: Mapping[str, str]) -> Mapping[str, Any]:
    """Parse *block* by Arrow; each line must be an object, which Arrow does not check."""
    import pyarrow as pa  # takes a while to come
    from pyarrow import json as arrow_json

    lines = block.count(b"\n") + 1
    begins = block.count(b"\n{") + block.startswith(b"{")
    ends = block.count(b"}\n") + block.count(b"}\r\n") + block.endswith((b"}", b"}\r"))
    require(NULL not in block and lines == begins == ends)
    kinds = {"float64": pa.float64(), "string": pa.string(), "int64": pa.int64(),
             "list string": pa.list_(pa.string()), "list int64": pa.list_(pa.int64())}  # fmt: skip
    try:
        table = arrow_json.read_json(
            pa.BufferReader(block), parse_options=arrow_json.ParseOptions(
                explicit_schema=pa.schema({name: kinds[kind] for name, kind in schema.items()}),
                unexpected_field_behavior="ignore"))  # fmt: skip
    except pa.ArrowException:
        raise NotSimpleError from None
    require(table.num_rows == lines)
    table = table.combine_chunks()
    return {name: table.column(name).chunk(0) for name in table.column_names}


def _keys(column: Any) -> tuple[Integers, Words]:
    """Return the number of keys of each line, and all keys."""
    counts = np.ones(len(column), dtype=np.int64)
    if hasattr(column, "value_lengths"):
        counts, column = column.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64), column.flatten()
    require(not bool((counts > MAX_KEYS).any()))
    words = _words_of(column, None)
    require(all(0 < len(name) <= LONGEST_KEY for name in words.names))
    return counts, words


def _names_in(column: Any) -> list[str]:
    return [] if column.null_count else list(_words_of(column).names)


def _words_of(column: Any, longest: int | None = 255) -> Words:
    coded = column.dictionary_encode()
    names = [str(name)[:longest] for name in coded.dictionary.to_pylist()]
    return Words(coded.indices.to_numpy().astype(np.int64), names)


def _valid(column: Any, some: NDArray[np.bool_]) -> Floats:
    if column.null_count:
        return no_time(int(some.sum()))
    ttls = column.to_numpy(zero_copy_only=False)[some]
    require(bool((np.abs(ttls) < MAX_NUMBER).all()))
    return np.where(ttls > 0, ttls, np.nan)


def _sizes(column: Any) -> Integers:
    if column.null_count:
        return np.ones(len(column), dtype=np.int64)
    sizes: Integers = column.to_numpy(zero_copy_only=False)
    return sizes


def keyed_format(*fields: str) -> TextFormat:
    """Build the format of JSON lines with the keys in one of *fields*: the first that the first line has."""
    if not all(fields):
        raise UserError("--keys must name a field")
    return TextFormat("jsonl", (".jsonl",), "a request is a line with a key", lambda: JsonLines(*fields))


JSONL = keyed_format(*HASHES, "key")


def json_object(line: str) -> Mapping[str, Any]:
    try:
        entry = read_json(line)
    except UserError as error:
        raise Wrong(str(error)) from None
    except json.JSONDecodeError as error:
        raise Wrong(f"this is no JSON: {error.msg}", column=error.colno) from None
    except (ValueError, RecursionError):
        raise Wrong("this is no JSON that can be read: too deep, or a number too long") from None
    if not isinstance(entry, dict):
        raise Wrong(f"a line must be an object in braces, not {quote(line)}")
    return entry


def flat(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *entry* with the fields of objects within it by names with points, as ``request.uri``."""
    if not any(isinstance(value, dict) for value in entry.values()):
        return entry
    found = dict[str, Any]()
    waiting = [("", entry)]
    while waiting:
        before, inner = waiting.pop()
        for name, value in inner.items():
            if isinstance(value, dict):
                waiting.append((f"{before}{name}.", value))
            else:
                found.setdefault(f"{before}{name}", value)
    return found
