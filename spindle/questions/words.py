"""Reads values from the words of a user: numbers with or without units, bytes, seeds, files; UserError for mistakes."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import Any, TypeVar

from spindle.questions.field import BYTE_RATE
from spindle.sim.error import UserError, quote
from spindle.sim.quantity import BITS, amount
from spindle.sim.units import Bytes

T = TypeVar("T")
MAX_SIZE = 1 << 50
"""Most bytes of a size."""
MAX_COUNT = 10**15
"""Largest whole number."""
MAX_SHOWN_CHARACTERS = 40
"""Most characters of a wrong word that its message shows."""
NUMBER_EXAMPLES = {"s": "0.04, 40ms or 2min", "min": "20, 90s or 2h"}
"""Examples of numbers by unit, for error messages."""
SEED_RANGE = re.compile(r"(\d{1,15})(?:-|:|\.\.)(\d{1,15})", re.ASCII)
"""Matches a range of seeds, from one to another."""
MAX_SEEDS = 1_000_000
"""Most seeds of a range."""
TRUTH_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
"""Words for true and false."""


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
    """Read *text* as a number of *unit*; it may name another unit of the same kind, as 40ms or 2min of seconds."""
    _check_digits(name, text)
    with suppress(ValueError):
        return float(text)
    if unit == "1" and text.endswith("%"):
        return number(name, text[:-1]) / 100
    read = amount(text, unit)
    if read is None:
        such = next((f", such as {each}" for start, each in NUMBER_EXAMPLES.items() if unit.startswith(start)), "")
        raise UserError(f"{name} must be a number{such}, not {quote(text)}")
    return read


def count(name: str, text: str, least: int = 1, most: int = MAX_COUNT) -> int:
    """Read *text* as a whole number from *least* to *most*."""
    value = whole_number(name, text)
    if not least <= value <= most:
        raise UserError(f"{name} must be a whole number from {least} to {most}, not {value}")
    return value


def size(name: str, text: str, least: int = 1) -> int:
    """Read *text* as a number of bytes: 65536, 64K or 64KiB; 6MB are six million; of 3.81GiB the whole bytes."""
    _check_digits(name, text)
    if BITS.fullmatch(text.strip()):
        raise UserError(f"{name} must be bytes, and {quote(text)} reads as bits, of which a byte has 8: write MB or GB")
    read = amount(text, "bytes")
    if isinstance(read, float) and read >= 1 << 10 and text.strip()[-1].isalpha():
        read = int(read)
    if not isinstance(read, int):
        raise UserError(f"{name} must be bytes, such as 4096, 64K, 1MiB or 6MB, not {quote(text)}")
    if read > MAX_SIZE:
        raise UserError(f"{name} must be at most {MAX_SIZE} bytes, not {text[:MAX_SHOWN_CHARACTERS]}")
    if read < least:
        raise UserError(f"{name} must be a whole number from {least} to {MAX_SIZE}, not {text}")
    return read


def ends(name: str, text: str) -> tuple[str, str]:
    """Split the range *text* into its two ends, as words; UserError where one is missing."""
    low, colon, high = text.rpartition("=")[2].partition(":")
    if not (low and colon and high):
        raise UserError(f"{name} takes LOW:HIGH, not {quote(text)}")
    return low, high


def rising(name: str, text: str, read: Callable[[str, str], T]) -> tuple[T, T]:
    """Read the two ends of the range *text* by *read*; UserError unless the first is below the second."""
    low, high = ends(name, text)
    first, last = read(name, low), read(name, high)
    if not first < last:  # type: ignore[operator]
        raise UserError(f"{name} must go up, not from {low} to {high}")
    return first, last


def seed(text: str) -> int:
    """Read *text* as one seed; UserError where it is no whole number, or gives several."""
    if SEED_RANGE.fullmatch(text):
        raise UserError(f"a seed is one number, not {quote(text)}: spindle sweep takes 1,2,3 and 1-3")
    return count("--seed", text, least=0)


def seeds(text: str) -> list[int]:
    """Read several seeds: ``1,2,7`` or ``1-5``."""
    return counts("--seed", text, 0)


def counts(name: str, text: str, least: int = 1) -> list[int]:
    """Read several whole numbers: ``1,2,7`` or ``1-5``."""
    found: list[int] = []
    for seeds in text.split(","):
        between = SEED_RANGE.fullmatch(seeds)
        if between is None:
            found.append(count(name, seeds, least=least))
            continue
        first, last = int(between[1]), int(between[2])
        if not least <= first <= last < first + MAX_SEEDS:
            raise UserError(f"{name} {seeds} is no range of 1 to {MAX_SEEDS} numbers from {least} on")
        found += range(first, last + 1)
    return found


def existing_file(name: str, text: str) -> Path:
    """Return *text* as the path of a file; UserError where there is no such file."""
    if not isfile(text):
        raise UserError(f"{name} must name a file that exists, not {quote(text)}")
    return Path(text)


def value(name: str, text: str, kind: Any, unit: str = "1") -> Any:
    """Read *text* as a value of *kind*: int, float, bool, str, Bytes or Path."""
    if kind is bool:
        if text.lower() not in TRUTH_WORDS:
            raise UserError(f"{name} must be true or false, not {quote(text)}")
        return TRUTH_WORDS[text.lower()]
    if unit == BYTE_RATE:
        text = text.strip().removesuffix("/s")
    readers: dict[Any, Callable[[str, str], Any]] = {
        int: partial(whole_number, unit=unit), float: partial(number, unit=unit), Bytes: partial(size, least=0),
        Path: existing_file
    }  # fmt: skip
    return readers[kind](name, text) if kind in readers else text
