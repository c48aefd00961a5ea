"""Settings of a run by name, its arguments and parameters; and their values from text: numbers, sizes, seeds, files."""

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from os.path import isfile
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from spindle.sim.error import UserError, quote
from spindle.sim.quantity import amount, quantity
from spindle.sim.units import Bytes

# Values from the words of a command line: numbers with or without a unit, bytes, files; mistakes in one line.

MAX_BYTES = 1 << 50
MAX_COUNT = 10**15
MAX_SHOWN = 40
NUMBER_EXAMPLES = {"s": "0.04, 40ms or 2min", "min": "20, 90s or 2h"}
"""Examples of numbers of a unit, for error messages."""
SEED_RANGE = re.compile(r"(\d{1,15})(?:-|:|\.\.)(\d{1,15})", re.ASCII)
"""Seeds from one to another."""
MAX_SEEDS = 1_000_000
TRUTH_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _check_digits(name: str, text: str) -> None:
    """Raise UserError for digits other than 0 to 9, which Python reads as numbers, too."""
    if any(each.isdecimal() and not each.isascii() for each in text):
        raise UserError(f"{name} must be a number of the digits 0 to 9, not {quote(text)}")


def whole_number(name: str, text: str, unit: str = "1") -> int:
    """Read *text* as a whole number, of *unit* if given, which *text* may name."""
    _check_digits(name, text)
    with suppress(ValueError):
        return int(text)
    read = None if unit == "1" else amount(text, unit)
    if read is None or read % 1:
        raise UserError(f"{name} must be a whole number, not {quote(text)}")
    return int(read)


def number(name: str, text: str, unit: str = "1") -> float:
    """A number of *unit*, or of another of its kind that *text* names: 40ms and 2min are seconds."""
    _check_digits(name, text)
    with suppress(ValueError):
        return float(text)
    read = amount(text, unit)
    if read is None:
        such = next((f", such as {each}" for start, each in NUMBER_EXAMPLES.items() if unit.startswith(start)), "")
        raise UserError(f"{name} must be a number{such}, not {quote(text)}")
    return read


def count(name: str, text: str, least: int = 1, most: int = MAX_COUNT) -> int:
    """A whole number within bounds."""
    value = whole_number(name, text)
    if not least <= value <= most:
        raise UserError(f"{name} must be a whole number from {least} to {most}, not {value}")
    return value


def size(name: str, text: str, least: int = 1) -> int:
    """A number of bytes: 65536, 64K, 64KiB; or 6MB, which are six million."""
    read = amount(text, "bytes")
    if not isinstance(read, int):
        raise UserError(f"{name} must be bytes, such as 4096, 64K, 1MiB or 6MB, not {quote(text)}")
    if read > MAX_BYTES:
        raise UserError(f"{name} must be at most {MAX_BYTES} bytes, not {text[:MAX_SHOWN]}")
    if read < least:
        raise UserError(f"{name} must be a whole number from {least} to {MAX_BYTES}, not {text}")
    return read


def seed(text: str) -> int | str:
    """The number that *text* is, or else the text; both are the same seed. UserError where it is a range of several."""
    if SEED_RANGE.fullmatch(text):
        raise UserError(f"a seed is one number or word, not {quote(text)}: spindle sweep takes 1,2,3 and 1-3")
    return int(text) if text.isdecimal() and str(int(text)) == text else text


def seeds(text: str) -> list[int | str]:
    """Several seeds: ``1,2,7``, ``1-5``, or words."""
    found: list[int | str] = []
    for each in text.split(","):
        between = SEED_RANGE.fullmatch(each)
        if between is None:
            found.append(seed(each))
            continue
        first, last = int(between[1]), int(between[2])
        if not first <= last < first + MAX_SEEDS:
            raise UserError(f"--seed {each} is no range of 1 to {MAX_SEEDS} seeds")
        found += range(first, last + 1)
    return found


def existing_file(name: str, text: str) -> Path:
    """Return the path *text* of a file; UserError where there is none."""
    if not isfile(text):
        raise UserError(f"{name} must name a file that exists, not {quote(text)}")
    return Path(text)


def value(name: str, text: str, kind: Any, unit: str = "1") -> Any:
    """Read *text* as a value of *kind*: int, float, bool, str, Bytes or Path."""
    if kind is bool:
        if text.lower() not in TRUTH_WORDS:
            raise UserError(f"{name} must be true or false, not {quote(text)}")
        return TRUTH_WORDS[text.lower()]
    readers: dict[Any, Callable[[str, str], Any]] = {
        int: partial(whole_number, unit=unit), float: partial(number, unit=unit), Bytes: partial(size, least=0),
        Path: existing_file
    }  # fmt: skip
    return readers[kind](name, text) if kind in readers else text


SIMPLE_TYPES = (int, float, bool, str, Bytes, Path)
NUMBER_TYPES = (int, float, Bytes)
UNITS = {"minutes": "min", "warm_up": "min", "seconds": "s", "tail": "s"}
"""Arguments of runs that are times; a parameter knows its own unit."""
SHOWN_DIGITS = 6
NAMED_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
NO_SETTINGS = ("interval", "keep_rows", "seed")
"""Arguments of runs that change no machine."""


@dataclass(frozen=True)
class Setting:
    """A setting by name: one of the types in SIMPLE_TYPES, and the *unit* of a number."""

    kind: Any
    unit: str = "1"

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBER_TYPES

    def split(self, text: str) -> list[str]:
        """The values of an axis."""
        return text.split(",")

    def read(self, name: str, text: str) -> Any:
        return value(name, text, self.kind, self.unit)

    def text(self, given: object) -> str:
        """Return the value *given* as a screen shows it."""
        given = given.item() if hasattr(given, "item") else given  # of numpy
        if isinstance(given, bool):
            return str(given).lower()
        if isinstance(given, int | float) and self.is_number:
            return quantity(given, self.unit, SHOWN_DIGITS)
        return str(given)


def arguments_of(run: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments of *run* that have a name, with their annotations as types where these can be found."""
    try:
        signature = inspect.signature(run, eval_str=True)
    except (NameError, TypeError, AttributeError, SyntaxError):  # a name that only a type checker imports
        signature = inspect.signature(run)
    return {name: each for name, each in signature.parameters.items() if each.kind in NAMED_KINDS}


def parts_of_run(run: Callable[..., Any]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The arguments of *run* that are parts, by their annotations (``DriveForm``): their kind, and the choices."""
    from spindle.sim.forms import PARTS

    kinds = {name: each.annotation for name, each in arguments_of(run).items()}
    return {name: PARTS[kind] for name, kind in kinds.items() if isinstance(kind, UnionType) and kind in PARTS}


def settings_of_run(run: Callable[..., Any]) -> dict[str, Setting]:
    """Return the arguments of *run* that have a simple type, or that type or None."""
    parts = parts_of_run(run)
    given = {name: each for name, each in arguments_of(run).items() if name not in (*NO_SETTINGS, *parts)}
    kinds = {name: _simple(each.annotation) for name, each in given.items()}
    return {name: Setting(kind, "bytes" if kind is Bytes else UNITS.get(name, "1"))
            for name, kind in kinds.items() if kind is not None}  # fmt: skip


def _simple(annotation: Any) -> Any:
    """Return the type of SIMPLE_TYPES that *annotation* allows; None where it allows none, or several."""
    either = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kinds = [kind for kind in either if kind in SIMPLE_TYPES]
    return kinds[0] if len(kinds) == 1 else None


def settings_of_parameters(described: Any) -> dict[str, Setting]:
    """The fields of the dataclass *described*, each with the unit that it was described with."""
    kinds = {each.name: (type(each.default), each.metadata["unit"]) for each in fields(described)}
    return {name: Setting(Bytes if (kind, unit) == (int, "bytes") else kind, unit)
            for name, (kind, unit) in kinds.items()}  # fmt: skip
