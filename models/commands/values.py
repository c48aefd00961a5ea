"""Values from the words of a command line: whole numbers, numbers, bytes, files; mistakes in one line."""

from collections.abc import Callable
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import Any

from sim.error import UserError, shown
from sim.units import GIB, KIB, MIB, Bytes

UNITS = {"K": KIB, "M": MIB, "G": GIB}
MOST_BYTES = 1 << 50
MOST_COUNT = 10**15
TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(f"{name} must be a whole number, not {shown(text)}") from None


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{name} must be a number, not {shown(text)}") from None


def count(name: str, text: str, least: int = 1, most: int = MOST_COUNT) -> int:
    """A whole number within bounds."""
    value = whole(name, text)
    if not least <= value <= most:
        raise UserError(f"{name} must be a whole number from {least} to {most}, not {value}")
    return value


def size(name: str, text: str, least: int = 1) -> int:
    """A number of bytes, or of K, M or G of them, also written KiB, MiB, GiB: 65536 is 64K."""
    bare = text[:-2] if text[-2:].lower() == "ib" else text
    unit = UNITS.get(bare[-1:].upper())
    if bare is not text and unit is None:
        raise UserError(f"{name} must be bytes, such as 4096, 64K or 1MiB, not {shown(text)}")
    units = count(name, bare[:-1] if unit else bare, least)
    if units * (unit or 1) > MOST_BYTES:
        raise UserError(f"{name} must be at most {MOST_BYTES} bytes, not {text}")
    return units * (unit or 1)


def existing(name: str, text: str) -> Path:
    """The file *text*, which is there."""
    if not isfile(text):
        raise UserError(f"{name} must name a file that exists, not {shown(text)}")
    return Path(text)


def value(name: str, text: str, kind: Any) -> Any:
    """*text* as a value of *kind*: int, float, bool, str, Bytes or Path; what no bytes mean, its taker knows."""
    if kind is bool:
        if text.lower() not in TRUTH:
            raise UserError(f"{name} must be true or false, not {shown(text)}")
        return TRUTH[text.lower()]
    readers: dict[Any, Callable[[str, str], Any]] = {
        int: whole, float: number, Bytes: partial(size, least=0), Path: existing
    }  # fmt: skip
    return readers[kind](name, text) if kind in readers else text
