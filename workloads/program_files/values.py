"""Reads the values in a file of programs (names, counts, bytes, distributions), and checks each against its bounds.

A mistake is located by line and column.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from spindle.sim.error import quote, unknown
from spindle.sim.quantity import amount
from spindle.sim.streams import Constant, Distribution, Exponential, Normal, Uniform
from spindle.sim.units import MIB

# The line and column of a key in a TOML file, which tomllib does not return: for messages about mistakes.

Keys = tuple[str | int, ...]
"""The path of keys to a value; a number counts the tables of a list."""

KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
HEADER = re.compile(r"\s*\[+([^\[\]]+)\]")
TABLE = re.compile(r"""\{|"[^"\n]*"|'[^'\n]*'|#[^\n]*""")
WITHIN = r"""[^{}"'\n]|"[^"\n]*"|'[^'\n]*'"""
"""Of a table in one line, what may stand before a key: strings are passed over as a whole."""


def place(lines: tuple[str, ...], path: Keys) -> tuple[int, int]:
    """Return the line and the column, from 1 on, of the value at *path*, or of the nearest table around it."""
    best, where = 0, (1, 1)
    for keys, line, column, behind in _keys(lines):
        depth = len(keys) if path[: len(keys)] == keys else 0
        if depth >= best and depth:
            best, where = depth, (line, column)
            number = path[depth] if depth < len(path) else None
            if isinstance(number, int):
                where = _table(lines, line, behind, number, path[depth + 1 :])
    return where


def _keys(lines: tuple[str, ...]) -> Iterator[tuple[Keys, int, int, int]]:
    """Yield the keys of each header and assignment, its line and column, and the column behind it."""
    inside: Keys = ()
    for number, line in enumerate(lines, 1):
        header, key = HEADER.match(line), KEY.match(line)
        if header is not None and not line.lstrip().startswith(("[{", "[ {")):
            inside = _read(header[1])
            yield inside, number, header.start(1) + 1, header.end()
        elif key is not None:
            yield (*inside, *_read(key[1])), number, key.start(1) + 1, key.end()


def _read(text: str) -> Keys:
    """Split a dotted key."""
    keys: list[str] = []
    try:
        table = tomllib.loads(f"[{text}]")
    except tomllib.TOMLDecodeError:
        return ()
    while table:
        ((key, table),) = table.items()
        keys.append(key)
    return tuple(keys)


def _table(lines: tuple[str, ...], line: int, column: int, number: int, key: Keys) -> tuple[int, int]:
    """Return line and column of table *number* of the list behind *line* and *column*, or of the *key* in it."""
    rest = "\n".join([lines[line - 1][column:], *lines[line:]])
    begins = [match.start() for match in TABLE.finditer(rest) if match[0] == "{"]
    index = begins[number] if number < len(begins) else 0
    named = re.compile(rf"(?:{WITHIN})*?\b({re.escape(str(key[0]))})\s*=").match(rest, index + 1) if key else None
    if named is not None:
        index = named.start(1)
    before = rest[:index]
    return line + before.count("\n"), index - before.rfind("\n") + (0 if "\n" in before else column)


DRAWN = re.compile(r"exponential (?P<mean>.+)|uniform (?P<low>.+) to (?P<high>.+)|"
                   r"normal (?P<centre>.+) by (?P<deviation>.+)|(?P<value>[^a-z].*)")
MAX_DRAWN = 1e6
"""Most seconds of an act, and most times."""
MAX_WORD = 60


class Misplaced(Exception):
    """A mistake, and the *path* to the value that is wrong."""

    def __init__(self, path: Keys, what: str) -> None:
        super().__init__(what)
        self.path = path


def table(path: Keys, given: object) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise Misplaced(path, f"{_word(path)} must be a table, not {quote(str(given))}")
    return given


def check_keys(path: Keys, given: Mapping[str, Any], keys: Collection[str], needed: Iterable[str]) -> None:
    """Raise Misplaced for a key of *given* that is not among *keys*, and for all missing *needed* ones at once."""
    for key in given:
        if key not in keys:
            raise Misplaced((*path, key), str(unknown("key", key, keys)))
    missing = [key for key in needed if key not in given]
    if missing:
        raise Misplaced(path, f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")


def text(path: Keys, given: object) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > MAX_WORD:
        raise Misplaced(path, f"{_word(path)} must be a name of at most {MAX_WORD} characters")
    return given


def truth(path: Keys, given: object) -> bool:
    if not isinstance(given, bool):
        raise Misplaced(path, f"{_word(path)} must be true or false, not {quote(str(given))}")
    return given


def whole_number(path: Keys, given: object, least: int, most: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise Misplaced(path, f"{_word(path)} must be a whole number from {least} to {most:,}, not {quote(str(given))}")
    return given


def percent(path: Keys, given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0.0 < given <= 100.0:
        raise Misplaced(path, f"{_word(path)} must be percents above 0 and up to 100, not {quote(str(given))}")
    return float(given)


def size(path: Keys, given: object, least: int = 1, most: int = 16 * MIB) -> int:
    """Read a number of bytes, or a text with a unit: 4096, "12 KiB"."""
    read = amount(str(given), "bytes") if isinstance(given, str | int) else None
    if not isinstance(read, int) or not least <= read <= most:
        raise Misplaced(path, f'{_word(path)} must be bytes, such as 4096 or "12 KiB", up to {most // MIB} MiB, '
                              f"not {quote(str(given))}")  # fmt: skip
    return read


def distribution(path: Keys, given: object, unit: str) -> Distribution:
    """Read a number of *unit*, or a text: "15 ms", "exponential 15 ms", "uniform 1 to 4", "normal 8 by 2"."""
    match = DRAWN.fullmatch(str(given).strip())
    if match is None:
        such = '"15 ms" or "exponential 15 ms"' if unit == "s" else '3 or "uniform 1 to 4"'
        raise Misplaced(path, f"{_word(path)} must be such as {such}, not {quote(str(given))}")
    read = {name: _number(path, each, unit) for name, each in match.groupdict().items() if each is not None}
    if "mean" in read:
        return Exponential(read["mean"])
    if "value" in read:
        return Constant(read["value"])
    if "centre" in read:
        return Normal(read["centre"], read["deviation"])
    if read["high"] < read["low"]:
        raise Misplaced(path, f"uniform runs backwards, from {read['low']:g} to {read['high']:g}")
    return Uniform(read["low"], read["high"])


def _number(path: Keys, given: str, unit: str) -> float:
    read = amount(given, unit)
    if read is None or not 0 <= read <= MAX_DRAWN:
        such = "a time" if unit == "s" else "a number"
        raise Misplaced(path, f"{_word(path)} must be {such} from 0 to {MAX_DRAWN:,.0f}{' s' * (unit == 's')}, "
                              f"not {quote(given)}")  # fmt: skip
    return read


def _word(path: Keys) -> str:
    """Return the name of the place *path* in a message: its last key."""
    return next(each for each in reversed(path) if isinstance(each, str) and each)
