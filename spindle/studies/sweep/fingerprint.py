"""Computes the fingerprint of a value, the same in every process: a hash of types and contents, not of addresses."""

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from spindle.output.text import label
from spindle.sim.error import UserError

PLAIN_TYPES = (bool, int, float, complex, str, bytes, type(None), type(...), range)
NAMED_TYPES = (type, BuiltinFunctionType, ModuleType)
PACKAGE, SYSTEMS = "spindle", "models"
ADDED = "added"
"""Key in the metadata of a field that was added to its type after runs with the type had been kept."""
LENGTH = 16
"""Bytes of a fingerprint."""


def fingerprint(value: object) -> bytes:
    """Hash *value* to LENGTH bytes; a function by its code, and by what of its module it uses: functions, numbers.

    A function or class of Spindle itself is hashed by its name, and that of its system: it may move to another module.
    """
    return blake2b(_text(value, ()).encode(), digest_size=LENGTH).digest()


def is_numpy(value: object, kind: str) -> bool:
    """Tell if *value* is of numpy's type *kind*. Most workers have not imported numpy, and then no value is."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind))


def _text(value: Any, inside: tuple[int, ...]) -> str:
    if id(value) in inside:
        return f"<{inside.index(id(value))}>"  # a reference to a value that contains this one, by its depth
    if is_numpy(value, "generic"):
        value = value.item()
    if type(value) in PLAIN_TYPES:
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, NAMED_TYPES) or (isinstance(value, FunctionType) and _is_own(value)):
        return _name(value)
    content = ",".join(_text(each, (*inside, id(value))) for each in _content_of(value))
    return f"{_name(type(value))}({content})"


def _name(value: Any) -> str:
    """Return the full name of *value*; for Spindle's values without the module, except for the system's."""
    module = getattr(value, "__module__", None) or ""
    name = getattr(value, "__qualname__", None) or value.__name__
    package, _, inner = module.partition(".")
    if package != PACKAGE:
        return f"{module}.{name}"
    folder, _, inner = inner.partition(".")
    return f"{inner.partition('.')[0]}.{name}" if folder == SYSTEMS else str(name)


def _is_own(function: FunctionType) -> bool:
    return function.__module__.partition(".")[0] == PACKAGE and "<" not in function.__qualname__


def _content_of(value: Any) -> Iterator[object]:
    """Yield what distinguishes *value* within its type, in the same order in every process."""
    if isinstance(value, FunctionType):
        yield from (value.__module__, value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__)
        yield [cell.cell_contents for cell in value.__closure__ or ()]
        yield _used_globals(value)
    elif isinstance(value, CodeType):
        yield from (value.co_code, value.co_names, value.co_consts)
    elif isinstance(value, Enum):
        yield value.name
    elif isinstance(value, PurePath):
        yield str(value)
    elif is_numpy(value, "ndarray"):
        yield from (value.dtype.str, value.shape, value.tolist())
    elif isinstance(value, Set):
        yield from sorted(map(fingerprint, value))
    elif isinstance(value, partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, MethodType):
        yield from (value.__func__, value.__self__)
    else:
        yield from _contents(value)


def _contents(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from (key, each)
    elif isinstance(value, list | tuple):
        yield from value
    elif dataclasses.is_dataclass(value):
        yield from (getattr(value, each.name) for each in dataclasses.fields(value) if not _is_as_before(value, each))
    else:
        yield from _content_of_copy(value)


def _is_as_before(value: object, field: "dataclasses.Field[Any]") -> bool:
    """Tell if *field* was ADDED to the type, and has its default or is not compared, so that kept runs agree."""
    return bool(field.metadata.get(ADDED)) and (not field.compare or getattr(value, field.name) == field.default)


def _content_of_copy(value: object) -> Iterator[object]:
    """Yield what Python's copy makes *value* of."""
    try:
        copied = value.__reduce_ex__(4)
    except TypeError as error:
        raise UserError(f"a sweep that is kept cannot take {label(value)}: {error}") from error
    for each in [copied] if isinstance(copied, str) else copied:
        yield list(each) if isinstance(each, Iterator) else each


def _used_globals(function: FunctionType) -> list[object]:
    """Return the functions and constants that a notebook's run uses; an edit of them is an edit of the run."""
    content: list[object] = []
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if type(value) in PLAIN_TYPES and value is not None:
            content += [name, value]
        elif isinstance(value, FunctionType) and value.__module__ == function.__module__:
            content.append(value)
    return content
