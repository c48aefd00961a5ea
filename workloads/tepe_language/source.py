"""Reads the text of a script within limits of size, and makes messages that show the line of a mistake and a caret."""

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from unicodedata import combining, east_asian_width

from spindle.sim.error import UserError
from spindle.sim.units import MB

MAX_SCRIPT_BYTES = 10 * MB
MAX_LINES = 100_000
MAX_COLUMNS = 10_000
"""Limits of a script: its bytes, its lines, and the characters of a line."""
_WINDOW = 72  # characters of a line that a message shows
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def safe(text: str, longest: int = 200) -> str:
    """Return *text* safe to show: every character one column wide, none that a terminal would obey, not too long."""
    if len(text) > longest:
        text = text[: longest - 3] + "..."
    return "".join(_safe_character(character) for character in text)


def _safe_character(character: str) -> str:
    if character == "\t":
        return " "
    narrow = not combining(character) and east_asian_width(character) not in "WF"
    return character if character.isprintable() and narrow else "?"


@dataclass(frozen=True)
class Source:
    """The *lines* of the script *name*, in *folder* if it is a file; lines and columns are counted from one."""

    name: str
    lines: tuple[str, ...]
    folder: Path | None = None

    def error(self, line: int, column: int, what: str) -> UserError:
        """Return the mistake *what* as an error with its line and a caret below."""
        text = self.lines[line - 1]
        begin = max(0, column - 1 - _WINDOW // 2) if len(text) > _WINDOW else 0
        shown = safe(text[begin : begin + _WINDOW])
        before = "..." if begin > 0 else ""
        after = "..." if begin + _WINDOW < len(text) else ""
        caret = " " * (len(before) + column - 1 - begin) + "^"
        return UserError(f"{safe(self.name)}:{line}:{column}: {what}\n{before}{shown}{after}\n{caret}")

    def error_at(self, index: int, what: str) -> UserError:
        """Return the mistake *what* at character *index* of the whole text as an error."""
        for number, text in enumerate(self.lines, 1):
            if index <= len(text):
                return self.error(number, index + 1, what)
            index -= len(text) + 1
        return self.error(len(self.lines), len(self.lines[-1]) + 1, what)


def load(path: Path) -> Source:
    """Read the script in the file *path*; a pipe or a device is refused, because it may never end."""
    name = safe(str(path))
    if "\0" in str(path):
        raise UserError(f"{name}: no file can have this name")
    try:
        status = path.stat()
        if S_ISDIR(status.st_mode):
            raise UserError(f"{name}: this is a directory, not a script")
        if not S_ISREG(status.st_mode):
            raise UserError(f"{name}: this is not a regular file")
        if status.st_size > MAX_SCRIPT_BYTES:
            raise _too_large(name)
        with path.open("rb") as file:
            data = file.read(MAX_SCRIPT_BYTES + 1)
    except (OSError, UnicodeError) as error:
        raise UserError(f"{name}: {getattr(error, 'strerror', None) or 'no file can have this name'}") from error
    if len(data) > MAX_SCRIPT_BYTES:
        raise _too_large(name)
    return replace(_decode(data.removeprefix(BOM_UTF8), str(path)), folder=path.parent)


def _too_large(name: str) -> UserError:
    return UserError(f"{name}: a script may have {MAX_SCRIPT_BYTES // MB} MB, this file has more")


def _decode(data: bytes, name: str) -> Source:
    try:
        return take(data.decode(), name)
    except UnicodeDecodeError as error:
        source = Source(name, _lines(data.decode(errors="replace")))
        index = len(data[: error.start].decode().replace("\r\n", "\n"))
        what = f"not a text file: byte {data[error.start]:#04x} is neither ASCII nor UTF-8"
        raise source.error_at(index, what) from error


def _lines(text: str) -> tuple[str, ...]:
    """Split *text* into lines; the end of the last one begins no other."""
    lines = text.replace("\r\n", "\n").split("\n")
    return tuple(lines[:-1] if len(lines) > 1 and not lines[-1] else lines)


def take(text: str, name: str) -> Source:
    """Return *text* as a Source, if it is text and within the limits."""
    if len(text) > MAX_SCRIPT_BYTES:
        raise _too_large(safe(name))
    source = Source(name, _lines(text.removeprefix("\ufeff")))
    for number, line in enumerate(source.lines[:MAX_LINES], 1):
        control = _CONTROL.search(line)
        if control is not None:
            kind = "not a text file: " if control[0] == "\0" else ""
            what = f"{kind}character {ord(control[0]):#04x} cannot stand in a script"
            raise source.error(number, control.start() + 1, what)
        if len(line) > MAX_COLUMNS:
            raise source.error(number, MAX_COLUMNS + 1, f"a line may have {MAX_COLUMNS:,} characters")
    if len(source.lines) > MAX_LINES:
        raise source.error(MAX_LINES + 1, 1, f"a script may have {MAX_LINES:,} lines")
    return source
