"""A subset of YAML: text, numbers, lists and mappings, without conversions that could surprise the writer."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from sim.error import UserError, check_there

Scalar: TypeAlias = str | int | float | bool | None
Value: TypeAlias = "Scalar | list[Value] | dict[str, Value]"

# Far beyond any sheet, and small enough for a quick UserError.
MOST_BYTES = 1 << 20
MOST_VALUES = 200_000
DEEPEST = 20
LONGEST_NUMBER = 40

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # several times as fast, where it was built
_WHOLE = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|nan)", re.IGNORECASE)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


def load(path: Path) -> dict[str, Value]:
    """The mapping that the file at *path* holds; anchors, aliases, tags and keys that stand twice are refused."""
    try:
        check_there(path)
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    if len(content) > MOST_BYTES:
        raise UserError(f"{path}: a sheet has at most {MOST_BYTES} bytes, and this file has more")
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
    """Makes values of the events of one file, counting as it goes."""

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
        if self._values > MOST_VALUES:
            raise UserError(f"{line}: there are more than {MOST_VALUES} values")
        if depth > DEEPEST:
            raise UserError(f"{line}: values lie more than {DEEPEST} deep in each other")
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
                raise UserError(f"{line}: key {shown(name)} stands there twice")
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


def shown(value: Value) -> str:
    """*value* as a UserError shows it: short, and on one line."""
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'mapping'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
