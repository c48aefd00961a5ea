"""fio's iolog, read and written: files and operations on them, with waits (version 2) or time stamps (version 3).

Offsets and lengths are in bytes, times in microseconds.

Source: "Trace file format" in fio's HOWTO, and its iolog.c, which takes names below 256 characters and 32-bit lengths.
"""

import re
from collections.abc import Iterable, Iterator

from spindle.sim.error import UserError, quote
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import SPACE, Field, Shape, choice, integer
from spindle.workloads.traces.text import TextFormat
from spindle.workloads.traces.writing import with_ticks

TICKS = 10**6
OPS = {"read": READ, "write": WRITE}
WORDS = {READ: "read", WRITE: "write"}
OTHERS = ("add", "open", "close", "sync", "datasync", "sync_file_range", "trim")
WAIT = "wait"
HEADERS = {f"fio version {version} iolog": version for version in (2, 3)}
_NAME = Field("file name", r"[^\s\x00-\x1f\x7f]{1,255}", "a name without spaces", "device")
_TIME = integer("time stamp", "time")
_WORD = choice("action", (*OPS, WAIT, *OTHERS))
_REQUEST = (_NAME, choice("action", OPS), integer("offset", "first"), integer("length", "length"))


class FioLines:
    """Lines of an iolog: version 2 has waits between requests, version 3 a time stamp before each action."""

    columns = None
    notes = ()
    began: float | None = None
    shape = Shape(_REQUEST, SPACE)
    _other = Shape((_NAME, _WORD), SPACE, longer=True)

    def __init__(self) -> None:
        self._version = 0
        self._now = 0

    def parse(self, line: str) -> Record | None:
        if not self._version:
            self._begin(line)
            return None
        match = self.shape.match(line)
        if match is None:
            self._pass(line)
            return None
        *time, name, op, first, length = match.groups()
        if time:
            self._now = int(time[0])
        return Record(self._now / TICKS, name, OPS[op], int(first), int(length))

    def _begin(self, line: str) -> None:
        """Take the version from the first line."""
        if line.strip() not in HEADERS:
            raise Wrong(f"the first line must be {' or '.join(map(repr, HEADERS))}, not {quote(line)}")
        self._version = HEADERS[line.strip()]
        if self._version == 3:
            self.shape = Shape((_TIME, *_REQUEST), SPACE)
            self._other = Shape((_TIME, _NAME, choice("action", (*OPS, *OTHERS))), SPACE, longer=True)

    def _pass(self, line: str) -> None:
        """Handle a line that is no request: an action on a file, or a wait."""
        match = self._other.match(line)
        if match is None:
            raise self._other.wrong(line)
        action = match.groups()[-1]
        if action in OPS:
            raise self.shape.wrong(line)
        if action == WAIT:
            waited = _WAITED(line)
            if waited is None:
                raise Wrong("wait must be followed by a whole number of microseconds")
            self._now += int(waited[1])


_WAITED = re.compile(r"\s*\S+\s+wait\s+(\d{1,15})(?:\s+\d{1,19})?\s*", re.ASCII).fullmatch
FIO = TextFormat("fio", (".fio", ".iolog"), "a request is a line with read or write, an offset and a length",
                 FioLines)


def encode_2(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode version 2: the time between two requests is a line with a wait."""
    files = _Files()
    before = 0
    yield b"fio version 2 iolog\n"
    for now, record in with_ticks(records, TICKS):
        new, name = record.device not in files, files[record.device]
        if new:
            yield f"{name} add\n{name} open\n".encode()
        if now > before:
            yield f"{name} {WAIT} {now - before} 0\n".encode()
            before = now
        yield f"{name} {WORDS[record.op]} {record.first} {record.length}\n".encode()
    yield from (f"{name} close\n".encode() for name in sorted(files.values()))


def encode_3(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode version 3, for fio 3.31 and later: a time stamp in each line."""
    files = _Files()
    now = 0
    yield b"fio version 3 iolog\n"
    for now, record in with_ticks(records, TICKS):
        new, name = record.device not in files, files[record.device]
        if new:
            yield f"{now} {name} add\n{now} {name} open\n".encode()
        yield f"{now} {name} {WORDS[record.op]} {record.first} {record.length}\n".encode()
    yield from (f"{now} {name} close\n".encode() for name in sorted(files.values()))


class _Files(dict[str, str]):
    """The file of each device, in the folder where fio is run, so that no trace chooses other files to be overwritten.

    fio's own ``directory`` must not be set: fio 3.33 looks for the file without it then, and crashes. Its
    ``replay_redirect`` leads to a drive.
    """

    def __missing__(self, device: str) -> str:
        name = device.replace("/", "_") or "disc"
        if len(name.encode()) > 255 or not name.isprintable() or len(name.split()) != 1 or name in (".", ".."):
            raise UserError(f"device {quote(device)} cannot be a file of fio's, whose names have no spaces")
        if name in self.values():
            raise UserError(f"device {quote(device)} would be the file {quote(name)}, which another is")
        self[device] = name
        return name
