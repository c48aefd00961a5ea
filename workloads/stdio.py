"""Programs of buffered I/O, which call read, write, fread or fwrite block by block; their files of TOML, those of a
lecture among them; and Linux's rules for O_DIRECT."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from spindle.sim.error import UserError, unknown
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import GIB, KIB, MIB

# The words of a program of buffered I/O: the call that it makes over and over, and how it opens its file.

class Layer(Enum):
    """Layer that a program calls for each block."""

    CALLS = "system calls"
    STDIO = "stdio"


class StdioCall(StrEnum):
    """The calls of a program for each block. With a stride it also calls lseek, or fseek, before each."""

    READ = "read"
    WRITE = "write"
    FREAD = "fread"
    FWRITE = "fwrite"

    @property
    def operation(self) -> Op:
        return READ if self in (StdioCall.READ, StdioCall.FREAD) else WRITE

    @property
    def layer(self) -> Layer:
        return Layer.STDIO if self in (StdioCall.FREAD, StdioCall.FWRITE) else Layer.CALLS


class Flag(StrEnum):
    """Flags of open(2), beside those of the access mode."""

    SYNC = "O_SYNC"
    DSYNC = "O_DSYNC"
    DIRECT = "O_DIRECT"


class Advice(StrEnum):
    """The advice to posix_fadvise on the whole file, right after it was opened."""

    NORMAL = "POSIX_FADV_NORMAL"
    SEQUENTIAL = "POSIX_FADV_SEQUENTIAL"
    RANDOM = "POSIX_FADV_RANDOM"


# A program that writes or reads one file block by block, and the rules of Linux on its requests.

SECTOR = 512
"""Bytes; O_DIRECT takes nothing finer. Linux requires the device's logical block, which is 512 nearly everywhere."""
MAX_BYTES = 1 << 50


@dataclass(frozen=True)
class StdioProgram:
    """Calls *call* for each *block* bytes of a file of *size* bytes, all of which it touches once.

    It begins at the front. With a *stride* it takes a block of every stride to the end of the file, then returns for
    the next block of each, and seeks before every call; 0 is sequential. What is written is a new file. The last
    block of a sequence may be shorter.
    """

    name: str
    says: str
    call: StdioCall
    block: int
    size: int
    stride: int = 0
    flags: frozenset[Flag] = frozenset()
    advice: Advice = Advice.NORMAL

    def __post_init__(self) -> None:
        _check_bytes("block", self.block, 1)
        _check_bytes("size", self.size, 1)
        _check_bytes("stride", self.stride, 0)
        if self.block > self.size:
            raise UserError(f"block must be at most the size of the file, {self.size} bytes, not {self.block}")
        if self.stride:
            self._check_stride()
        if self.flags and self.layer is Layer.STDIO:
            raise UserError(f"flags are for open; {self.call} works on a file that fopen opened, which takes none")
        if self.direct:
            self._check_direct()

    def _check_stride(self) -> None:
        if self.stride > self.size:
            raise UserError(f"stride must be at most the size of the file, {self.size} bytes, not {self.stride}")
        if self.stride % self.block or self.size % self.block:
            raise UserError(f"stride and size must be whole numbers of blocks of {self.block} bytes, "
                          f"not {self.stride} and {self.size}")  # fmt: skip

    def _check_direct(self) -> None:
        for what, value in (("block", self.block), ("size", self.size), ("stride", self.stride)):
            if value % SECTOR:
                raise UserError(f"{what} must be whole sectors of {SECTOR} bytes with O_DIRECT, not {value}: "
                              "Linux refuses anything else with EINVAL")  # fmt: skip

    @property
    def operation(self) -> Op:
        return self.call.operation

    @property
    def layer(self) -> Layer:
        return self.call.layer

    @property
    def sync(self) -> bool:
        """Tell if every call waits until its bytes are on the disc."""
        return bool(self.flags & {Flag.SYNC, Flag.DSYNC})

    @property
    def direct(self) -> bool:
        """Tell if calls go past the page cache."""
        return Flag.DIRECT in self.flags

    @property
    def calls(self) -> int:
        """Return the number of calls, one for each block."""
        return -(-self.size // self.block)

    def offsets(self) -> Iterator[int]:
        """Yield the offset at which each call begins, in order."""
        step = self.stride or self.size
        for first in range(0, step, self.block):
            if self.stride:
                yield from range(first, self.size, self.stride)
            else:
                yield first

    def length(self, offset: int) -> int:
        """Return the number of bytes of the call at *offset*."""
        return min(self.block, self.size - offset)

    def change(self, **changes: object) -> "StdioProgram":
        """Return the program with another block, size, stride, flags or advice; UserError if it cannot be."""
        return replace(self, **changes)  # type: ignore[arg-type]


def _check_bytes(what: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_BYTES:
        raise UserError(f"{what} must be a whole number of bytes from {least} to {MAX_BYTES}, not {str(value)[:40]}")


# The file of a program of buffered I/O: a few lines that a lecture can show (TOML, one ``key = value`` a line).

MAX_CHARACTERS = 10_000
BYTES = re.compile(r"(\d{1,16}) ?(?:([KMG])(?:iB)?|B|bytes?)?")
UNITS = {None: 1, "K": KIB, "M": MIB, "G": GIB}
NEEDED = ("says", "call", "block", "size")
OPTIONAL = ("stride", "flags", "advice")
LINE = re.compile(r"line (\d+)")
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
    for key in table:
        if key not in NEEDED + OPTIONAL:
            raise unknown("key", key, NEEDED + OPTIONAL)
    for key in NEEDED:
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
    match = BYTES.fullmatch(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if match is None:
        raise UserError(f'{key} must be bytes, such as 512, "64 KiB" or "10 MiB", not {str(value)[:40]!r}')
    return int(match[1]) * UNITS[match[2]]
