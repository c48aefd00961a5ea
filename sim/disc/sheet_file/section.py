"""Reads sections of a drive file, in a strict subset of YAML, checks each value, and lists keys not modelled."""

import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from spindle.sim.error import UserError, check_regular_file, unknown
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import MS, US

# A subset of YAML: text, numbers, lists and mappings, without conversions that could surprise the writer.

Scalar: TypeAlias = str | int | float | bool | None
Value: TypeAlias = "Scalar | list[Value] | dict[str, Value]"

# Far beyond any sheet, and small enough for a quick UserError.
MAX_SHEET_BYTES = 1 << 20
MAX_VALUES = 200_000
MAX_NESTING = 20
LONGEST_NUMBER = 40

RAW = "raw_disksim_spec"
"""The section of a drive file made from DiskSim's that keeps DiskSim's own parameters."""
SOURCES = "numbers_from"
"""The section with the source of each number."""
FOR_PEOPLE = ("source", "sources")
"""Keys for people, which nothing reads: the source of a drive file; in a fitted one the range of each number."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # several times as fast, where it was built
_WHOLE = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|nan)", re.IGNORECASE)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


def load(path: Path) -> dict[str, Value]:
    """Read the mapping in the file at *path*; anchors, aliases, tags and keys that occur twice are refused."""
    try:
        check_regular_file(path)
        with path.open("rb") as file:
            content = file.read(MAX_SHEET_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    if len(content) > MAX_SHEET_BYTES:
        raise UserError(f"{path}: a sheet has at most {MAX_SHEET_BYTES} bytes, and this file has more")
    try:
        return _Reader(content.decode("utf-8")).document()
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not text in UTF-8") from error
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise UserError(f"{path}: {where}not YAML: {problem or 'characters that no text has'}") from error


class _Reader:
    """A reader that makes values from the YAML events of one file, and counts them."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self._values = 0

    def document(self) -> dict[str, Value]:
        next(self._events)
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            raise UserError("the file is empty")
        content = self._value(next(self._events), 0)
        next(self._events)
        if not isinstance(next(self._events), yaml.StreamEndEvent):
            raise UserError("there must be one document in a file")
        if not isinstance(content, dict):
            raise UserError("the file must hold keys and their values, not a list or a single value")
        return content

    def _value(self, event: Any, depth: int) -> Value:
        line = f"line {event.start_mark.line + 1}"
        self._values += 1
        if self._values > MAX_VALUES:
            raise UserError(f"{line}: there are more than {MAX_VALUES} values")
        if depth > MAX_NESTING:
            raise UserError(f"{line}: values lie more than {MAX_NESTING} deep in each other")
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise UserError(f"{line}: anchors and aliases are not allowed")
        if event.tag is not None:
            raise UserError(f"{line}: tags are not allowed")
        if isinstance(event, yaml.SequenceStartEvent):
            return list(self._items(depth))
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(depth)
        return str(event.value) if event.style else _scalar(str(event.value), line)

    def _items(self, depth: int) -> Iterator[Value]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._value(event, depth + 1)

    def _mapping(self, depth: int) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = f"line {event.start_mark.line + 1}"
            self._value(event, depth + 1)
            if not isinstance(event, yaml.ScalarEvent):
                raise UserError(f"{line}: a key must be a word, not a list or a mapping")
            name = str(event.value)
            if name in mapping:
                raise UserError(f"{line}: key {show(name)} stands there twice")
            mapping[name] = self._value(next(self._events), depth + 1)
        return mapping


def _scalar(text: str, line: str) -> Scalar:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NOT_FINITE.fullmatch(text):
        raise UserError(f"{line}: {text} is no number that a sheet can have")
    if not _NUMBER.fullmatch(text):
        return text
    if len(text) > LONGEST_NUMBER:
        raise UserError(f"{line}: a number of {len(text)} characters is too long")
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise UserError(f"{line}: {text} is no number that a sheet can have")
    return number


def show(value: Value) -> str:
    """*value* as a UserError shows it: short, and on one line."""
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'mapping'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _twin(key: str) -> str:
    """Return the name of the same time in the other of ms and us; *key* itself where it is no time."""
    return key.replace("_ms", "_us") if "_ms" in key else key.replace("_us", "_ms")


class SheetSection:
    """A section of a drive file: its keys and values; *where* is the file and the path of the section in it."""

    def __init__(self, where: str, values: Mapping[str, Value], unread: list[str] | None = None) -> None:
        self.where = where
        self.values = values
        self._known: tuple[str, ...] = ()
        self._unread: list[str] = [] if unread is None else unread
        """Places of keys that are not read, of all sections."""

    def __contains__(self, key: str) -> bool:
        """Tell if there is something at *key*; a time may be there in the other of ms and us."""
        return self.values.get(key) is not None or self.values.get(_twin(key)) is not None

    def wrong(self, key: str, rule: str) -> UserError:
        return UserError(f"{self._key_place(key)}: {rule}, not {show(self.values.get(key))}")

    def _key_place(self, key: str) -> str:
        return f"{self.where}.{key if key.isprintable() and len(key) < 60 else show(key)}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Prefix a UserError raised inside with the place of this section, unless its text begins with it."""
        try:
            yield
        except UserError as error:
            text = str(error)
            raise UserError(text if text.startswith(self.where) else f"{self.where}: {text}") from None

    def check_keys(self, *keys: str) -> None:
        """UserError where a key looks like a misspelling of one of *keys* that is missing; other keys are ignored."""
        self._known = keys
        missing = [key for key in keys if key not in self.values and _twin(key) not in self.values]
        for key in self.values:
            if not {key, _twin(key)} & {*keys} and (near := get_close_matches(key.lower(), missing, 1, 0.8)):
                raise UserError(f"{self.where}: {unknown('key', key, near)}")
        self._unread += [self._key_place(key) for key in self.values if not {key, _twin(key)} & {*keys}]

    def warn_of_unread(self) -> None:
        """Warn of keys that were not read, except in a drive file made from DiskSim's, which has some for people."""
        if self._unread and RAW not in self.values:
            named = ", ".join(place.removeprefix(f"{self.where}.") for place in self._unread)
            warnings.warn(f"{self.where}: there is no such key, and it has no effect: {named}", stacklevel=3)

    def check_needed(self, *keys: str, template: str = "--template") -> None:
        """UserError with all of *keys* that are missing, if they are several; one is named where it is read."""
        missing = [key for key in keys if key not in self.values and _twin(key) not in self.values]
        if len(missing) > 1:
            raise UserError(f"{self.where}: there is no {', '.join(missing)}; spindle drive {template} explains them")

    def _at_key(self, key: str, missing: Value = None) -> Value:
        """The value at *key*; *missing* where there is no such key, or nothing at it, and that may be."""
        if missing is not None and key not in self:
            return missing
        if key not in self.values:
            strange = [name.lower() for name in self.values if name not in self._known]
            near = get_close_matches(key, strange, 1, 0.6)
            raise UserError(f"{self.where}: there is no {key}" + (f"; is {near[0]!r} meant for it?" if near else ""))
        return self.values[key]

    def whole_number(self, key: str, low: int, high: int, missing: int | None = None) -> int:
        return self._check_whole(key, self._at_key(key, missing), low, high)

    def _check_whole(self, key: str, value: Value, low: int, high: int) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UserError(f"{self._key_place(key)}: must be a whole number from {low} to {high}, not {show(value)}")
        return value

    def number(self, key: str, low: float, high: float, missing: float | None = None) -> float:
        return self._number(key, self._at_key(key, missing), low, high)

    def _number(self, key: str, value: Value, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise UserError(f"{self._key_place(key)}: must be a number from {low:g} to {high:g}, not {show(value)}")
        return value

    def seconds(self, key: str, low: float, high: float, missing: float | None = None) -> float:
        """The time at *key*, which ends with its unit, or in the other of ms and us where the sheet has that."""
        if _twin(key) != key and _twin(key) in self.values:
            if key in self.values:
                raise self.wrong(key, f"must not stand beside {_twin(key)}")
            key = _twin(key)
        return self.number(key, low, high, missing) * (MS if "_ms" in key else US)

    def flag(self, key: str, missing: bool | None = None) -> bool:
        value = self._at_key(key, missing)
        if not isinstance(value, bool):
            raise self.wrong(key, "must be true or false")
        return value

    def text(self, key: str, missing: str | None = None) -> str:
        if missing is not None and key not in self:
            return missing
        value = self._at_key(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.wrong(key, "must be one line of text")
        return value

    def _list(self, key: str) -> list[Value]:
        value = self._at_key(key)
        if not isinstance(value, list):
            raise self.wrong(key, "must be a list")
        return value

    def wholes(self, key: str, low: int, high: int) -> tuple[int, ...]:
        return tuple(self._check_whole(f"{key}[{at}]", value, low, high) for at, value in enumerate(self._list(key)))

    def numbers(self, key: str, low: float, high: float) -> tuple[float, ...]:
        return tuple(self._number(f"{key}[{at}]", value, low, high) for at, value in enumerate(self._list(key)))

    def points(self, key: str, low: float, high: float) -> Iterator[tuple[int, float]]:
        """Pairs of a whole number and a number."""
        for at, value in enumerate(self._list(key)):
            if not isinstance(value, list) or len(value) != 2:
                raise UserError(f"{self.where}.{key}[{at}]: must be a pair of numbers, not {show(value)}")
            name = f"{key}[{at}]"
            yield self._check_whole(name, value[0], 0, 1 << 31), self._number(name, value[1], low, high)

    def sources(self, usual: Collection[str]) -> dict[str, ParameterSource]:
        """Read the source of each number; without such a section, the source of the *usual* numbers is this file."""
        if SOURCES not in self:
            return dict.fromkeys(usual, ParameterSource("cited", f"the drive sheet {self.where}"))
        section = self.section(SOURCES)
        return {key: section._source(key) for key in section.values}

    def _source(self, key: str) -> ParameterSource:
        kind, colon, note = self.text(key).partition(": ")
        if kind not in ("cited", "assumed", "fitted") or not colon:
            raise self.wrong(key, "must begin with cited:, assumed: or fitted:, as in \"cited: its manual, p. 3\"")
        return ParameterSource(kind, note)

    def section(self, key: str) -> "SheetSection":
        value = self._at_key(key)
        if not isinstance(value, dict):
            raise self.wrong(key, "must have keys and values of its own")
        return SheetSection(f"{self.where}.{key}", value, self._unread)

    def sections(self, key: str) -> Iterator["SheetSection"]:
        for at, value in enumerate(self._list(key)):
            if not isinstance(value, dict):
                raise UserError(f"{self.where}.{key}[{at}]: must have keys and values of its own, not {show(value)}")
            yield SheetSection(f"{self.where}.{key}[{at}]", value, self._unread)


# Properties in DiskSim's words that the model treats otherwise: they are reported to the user.

MODELLED: Mapping[str, Mapping[str, Collection[Value]]] = {
    "cache": {
        "combine_sequential_writes": (True,), "write_hit_stops_prefetch": (True,),
        "partial_hit_transfers_at_once": (True,), "zero_latency_write": (False,),
        "watermarks_relative_to": ("request",),
    },
    RAW: {
        "Time scale for overheads": (1,), "Preseeking level": (0,), "Allow write prebuffering": (0,),
        "Allow sneaky full read hits": (0,), "Allow sneaky partial read hits": (0,),
        "Allow sneaky intermediate read hits": (0,), "Disconnect write if seek": (0,), "Read directly to buffer": (1,),
        "Read-ahead over requested": (0, 1),
    },
}  # fmt: skip
"""By section and key, the values that are modelled. Left out are keys that matter only while several requests are in
the drive, such as the use of a bus, or by less than a sector's time, such as where in a sector a prefetch stops."""


def not_modelled(sheet: SheetSection) -> str:
    """Return a sentence with each unmodelled key and its value; empty if there is none."""
    strange = [
        f"{key}: {str(value).lower()}"
        for part, words in MODELLED.items() if part in sheet
        for key, value in sheet.section(part).values.items() if key in words and value not in (*words[key], None)
    ]  # fmt: skip
    return f"Not modelled: {', '.join(strange)}." if strange else ""
