"""What makes a value the same value in another process: its types and contents, never its address."""

import dataclasses
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from sim.error import UserError
from sim.output.label import label

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range)
NAMED = (type, BuiltinFunctionType, ModuleType)


OWN = ("sim", "workloads", "models")
LENGTH = 16
"""Bytes of a fingerprint."""


def fingerprint(value: object) -> bytes:
    """LENGTH bytes. A function counts with its code, and with the functions and numbers of its module that it names.

    A function of Spindle itself counts by its name, for the digest of the source covers its code.
    """
    return blake2b(_text(value, ()).encode("utf-8", "surrogatepass"), digest_size=LENGTH).digest()


def named_in(value: object) -> Iterator[type | FunctionType]:
    """The types and functions of Spindle's own, or a user's, that *value* is made of; lambdas are not named."""
    yield from _named_in(value, ())


def _named_in(value: object, inside: tuple[int, ...]) -> Iterator[type | FunctionType]:
    if id(value) in inside or type(value) in PLAIN:
        return
    if isinstance(value, type | FunctionType):
        yield value
    elif not isinstance(value, (*NAMED, np.generic)):
        yield type(value)
        for part in _parts(value):
            yield from _named_in(part, (*inside, id(value)))


def _text(value: object, inside: tuple[int, ...]) -> str:
    if id(value) in inside:
        return f"<{inside.index(id(value))}>"  # a circle, by the depth at which it closes
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in PLAIN:
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, NAMED) or (isinstance(value, FunctionType) and _is_own(value)):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
    parts = ",".join(_text(part, (*inside, id(value))) for part in _parts(value))
    return f"{type(value).__module__}.{type(value).__qualname__}({parts})"


def _is_own(function: FunctionType) -> bool:
    return function.__module__.partition(".")[0] in OWN and "<" not in function.__qualname__


def _parts(value: object) -> Iterator[object]:
    """The parts of *value* that distinguish it within its type, in an order that is the same in every process."""
    if isinstance(value, FunctionType):
        yield from (value.__module__, value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__)
        yield [cell.cell_contents for cell in value.__closure__ or ()]
        yield _named_by(value)
    elif isinstance(value, CodeType):
        yield from (value.co_code, value.co_names, value.co_consts)
    elif isinstance(value, Enum):
        yield value.name
    elif isinstance(value, PurePath):
        yield str(value)
    elif isinstance(value, np.ndarray):
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
        yield from (getattr(value, field.name) for field in dataclasses.fields(value))
    else:
        yield from _copied_by(value)


def _copied_by(value: object) -> Iterator[object]:
    """What Python would make a copy of *value* from."""
    try:
        copied = value.__reduce_ex__(4)
    except TypeError as error:
        raise UserError(f"a sweep that is kept cannot take {label(value)}: {error}") from error
    for part in [copied] if isinstance(copied, str) else copied:
        yield list(part) if isinstance(part, Iterator) else part


def _named_by(function: FunctionType) -> list[object]:
    """What a notebook's run calls and multiplies by; an edit of that is an edit of the run."""
    parts: list[object] = []
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if type(value) in PLAIN and value is not None:
            parts += [name, value]
        elif isinstance(value, FunctionType) and value.__module__ == function.__module__:
            parts.append(value)
    return parts
