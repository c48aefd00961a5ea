"""Where in a file of TOML something is written, which tomllib does not tell: for the line and caret of a mistake."""

import re
import tomllib
from collections.abc import Iterator

Keys = tuple[str | int, ...]
"""The keys that lead to a value; a number counts the tables of a list."""

KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
HEADER = re.compile(r"\s*\[+([^\[\]]+)\]")
TABLE = re.compile(r"""\{|"[^"\n]*"|'[^'\n]*'|#[^\n]*""")


def place(lines: tuple[str, ...], path: Keys) -> tuple[int, int]:
    """The line and the column, from 1 on, of what *path* leads to, or of the nearest around it that is written."""
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
    """The keys of each header and assignment, where it begins, and the column behind it."""
    inside: Keys = ()
    for number, line in enumerate(lines, 1):
        header, key = HEADER.match(line), KEY.match(line)
        if header is not None and not line.lstrip().startswith(("[{", "[ {")):
            inside = _read(header[1])
            yield inside, number, header.start(1) + 1, header.end()
        elif key is not None:
            yield (*inside, *_read(key[1])), number, key.start(1) + 1, key.end()


def _read(text: str) -> Keys:
    """The parts of a dotted key."""
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
    """Where table *number* of the list behind *line* and *column* begins, or in it the *key*."""
    rest = "\n".join([lines[line - 1][column:], *lines[line:]])
    begins = [match.start() for match in TABLE.finditer(rest) if match[0] == "{"]
    index = begins[number] if number < len(begins) else 0
    named = re.compile(rf"[^{{}}\n]*?\b({re.escape(str(key[0]))})\s*=").match(rest, index + 1) if key else None
    if named is not None:
        index = named.start(1)
    before = rest[:index]
    return line + before.count("\n"), index - before.rfind("\n") + (0 if "\n" in before else column)
