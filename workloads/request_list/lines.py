"""A text file of any length, line by line: no more of it in memory than a piece, and no line without an end."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sim.error import UserError

PIECE = 1 << 16
LONGEST_LINE = 1 << 16
"""Bytes; far beyond a row of numbers, and small enough to say so at once of a file that has no lines."""

MARK = "\ufeff"
"""Some editors begin a file with it, to say that it is UTF-8."""


def read_lines(path: Path, passed: Callable[[int], object]) -> Iterator[str]:
    """The lines of the file at *path* without their ends; *passed* is told the bytes of each piece as it is read."""
    number, rest = 1, b""
    try:
        if not path.is_file():
            raise UserError(f"{path}: there is no such file")
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                passed(len(piece))
                block, end, rest = (rest + piece).rpartition(b"\n")
                if end:
                    yield from _text(path, number, block)
                    number += block.count(b"\n") + 1
                if len(rest) > LONGEST_LINE:
                    raise UserError(
                        f"{path}: line {number}: a line has at most {LONGEST_LINE} bytes, and this has more"
                    )
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    if rest:
        yield from _text(path, number, rest)


def _text(path: Path, number: int, block: bytes) -> list[str]:
    """The lines of *block*, which begins with line *number*."""
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = number + block.count(b"\n", 0, error.start)
        raise UserError(f"{path}: line {line}: byte 0x{block[error.start]:02x} is not text in UTF-8") from error
    return (text.removeprefix(MARK) if number == 1 else text).split("\n")
