"""Reads the file of a program of buffered I/O: a few lines of TOML, ``key = value`` each, that a lecture can show."""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from spindle.sim.error import UserError, check_known, unknown
from spindle.sim.units import GIB, KIB, MIB
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

MAX_CHARACTERS = 10_000
"""Most characters of a file."""
BYTES = re.compile(r"(\d{1,16}) ?(?:([KMG])(?:iB)?|B|bytes?)?")
"""A number of bytes with its unit."""
SIZE_UNITS = {None: 1, "K": KIB, "M": MIB, "G": GIB}
NEEDED_KEYS = ("says", "call", "block", "size")
OPTIONAL_KEYS = ("stride", "flags", "advice")
LINE = re.compile(r"line (\d+)")
"""The line in tomllib's messages."""
W = TypeVar("W", bound=StrEnum)


@cache
def programs() -> Mapping[str, StdioProgram]:
    """Return the programs that come with Spindle, by name, in the order of the lecture: writes, then reads."""
    every = [read(path) for path in Path(__file__).with_name("stdio").glob("*.toml")]
    return {each.name: each for each in sorted(every, key=lambda each: (each.name[0] != "w", each.name))}


def read(path: Path) -> StdioProgram:
    """Read the program in the file *path*, named as the file is; a UserError begins with the file and the line."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(text) > MAX_CHARACTERS:
        raise UserError(f"{path} is longer than {MAX_CHARACTERS} characters, which no program is")
    return parse(text, path.stem, str(path))


def parse(text: str, name: str, place: str = "program") -> StdioProgram:
    """Read the program in *text*; *place* stands for the file where there is a mistake in it."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = LINE.search(str(error))
        raise UserError(f"{place}:{line[1] if line else 1}: {error}") from error
    try:
        return _program(name, table)
    except UserError as error:
        raise UserError(f"{place}:{_line(text, str(error))}: {error}") from error


def _line(text: str, mistake: str) -> int:
    """Return the line of the key that *mistake* names first; the first line if it names none of the file's."""
    lines = text.splitlines()
    for word in re.findall(r"\w+", mistake):
        for number, line in enumerate(lines, 1):
            if re.match(rf"\s*[\"']?{re.escape(word)}[\"']?\s*[=.]", line):
                return number
    return 1


def _program(name: str, table: Mapping[str, Any]) -> StdioProgram:
    check_known("key", NEEDED_KEYS + OPTIONAL_KEYS, *table)
    for key in NEEDED_KEYS:
        if key not in table:
            raise UserError(f"{key} is missing")
    sizes = {key: _bytes(key, table[key]) for key in ("block", "size", "stride") if key in table}
    flags = table.get("flags", [])
    if not isinstance(flags, list):
        raise UserError('flags must be a list, such as ["O_SYNC"]')
    return StdioProgram(
        name, _text("says", table["says"]), _word("call", table["call"], StdioCall), **sizes,
        flags=frozenset(_word("flags", each, Flag) for each in flags),
        advice=_word("advice", table.get("advice", Advice.NORMAL.value), Advice),
    )  # fmt: skip


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value.splitlines()) > 1:
        raise UserError(f"{key} must be one line of text")
    return value.strip()


def _word(key: str, value: object, words: type[W]) -> W:
    by_value = {each.value: each for each in words}
    if not isinstance(value, str) or value not in by_value:
        raise UserError(f"{key}: {unknown('word', str(value), by_value)}")
    return by_value[value]


def _bytes(key: str, value: object) -> int:
    match = BYTES.fullmatch(str(value))
    if match is None:
        raise UserError(f'{key} must be bytes, such as 512, "64 KiB" or "10 MiB", not {str(value)[:40]!r}')
    return int(match[1]) * SIZE_UNITS[match[2]]
