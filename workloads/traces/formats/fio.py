"""Reads and writes fio's iolog: files and operations on them, with waits (version 2) or time stamps (version 3).

Offsets and lengths are in bytes. Time stamps are in microseconds. A wait lasts until so many milliseconds after fio's
start: so do fio's read_iolog_get since 2.0 and fio 3.42, which was run; its HOWTO says microseconds after the wait
before. A file of version 2 without waits has no times: fio submits one request after another.

Source: "Trace file format" in fio's HOWTO, and its iolog.c, which takes names below 256 characters and 32-bit lengths.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from spindle.sim.error import UserError, quote
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Stretch
from spindle.workloads.traces.faults import Faults, Wrong
from spindle.workloads.traces.operations import Meaning, PassedWords
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import SPACE, Field, Shape, choice, integer
from spindle.workloads.traces.text import TextFormat
from spindle.workloads.traces.writing import with_ticks

TICKS, WAIT_TICKS = 10**6, 10**3
"""Units of a time stamp, and of a wait, in a second."""
OPS = {"read": Meaning.READ, "write": Meaning.WRITE, "trim": Meaning.SKIP}
"""Actions on bytes of a file."""
FIO_WORDS = {READ: "read", WRITE: "write"}
SYNCS = ("sync", "datasync", "sync_file_range")
OTHERS = ("add", "open", "close", *SYNCS)
"""Actions that move no data."""
WAIT = "wait"
HEADERS = {f"fio version {version} iolog": version for version in (2, 3)}
"""The versions by the first line of a file."""
WAITS = "its waits are taken as fio takes them, until so many ms after its start; its manual has us after the wait " \
        "before; what follows one wait is asked at once, and by fio one after another, as with --closed 1"  # fmt: skip
LOOKED_AT = 1 << 20
"""Bytes of a file in which a first wait is searched for."""
_NAME = Field("file name", r"[^\s\x00-\x1f\x7f]{1,255}", "a name without spaces", "device")
_TIME = integer("time stamp", "time")
_WORD = choice("action", (*OPS, WAIT, *OTHERS))
_REQUEST = (_NAME, choice("action", OPS), integer("offset", "first"), integer("length", "length"))


class FioLines:
    """Reads lines of an iolog: version 2 has waits between requests if *timed*, version 3 times each action."""

    columns = None
    began: float | None = None
    shape = Shape(_REQUEST, SPACE)
    _other = Shape((_NAME, _WORD), SPACE, longer=True)

    def __init__(self, timed: bool) -> None:
        self._version = 0
        self._now = 0.0
        self._timed = timed
        self.notes: list[str] = []
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}

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
            self._now = int(time[0]) / TICKS
        meaning = self.given.get(op, OPS[op])
        if meaning is Meaning.SKIP:
            self.passed.add(op, meaning)
            return None
        return Record(self._now if self._timed or time else None, name, WRITE if meaning is Meaning.WRITE else READ,
                      int(first), int(length))  # fmt: skip

    def _begin(self, line: str) -> None:
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
        if action in SYNCS:
            self.passed.add(action, Meaning.SKIP)
        if action == WAIT:
            self._wait(line)

    def _wait(self, line: str) -> None:
        waited = _WAITED(line)
        if waited is None:
            raise Wrong("wait must be followed by a whole number of milliseconds")
        if not self._timed:
            raise Wrong(f"the first wait stands {LOOKED_AT:,} bytes or more behind the first request, which then has "
                        "no time: cut the log before it, or leave out its waits")  # fmt: skip
        self._now = max(self._now, int(waited[1]) / WAIT_TICKS)
        self.notes = [WAITS]


_WAITED = re.compile(r"\s*\S+\s+wait\s+(\d{1,15})(?:\s+\d{1,19})?\s*", re.ASCII).fullmatch
_HAS_WAIT = re.compile(rb"(?m)^\s*\S+\s+wait\s").search


class FioFormat(TextFormat):
    """The format of an iolog, of which one without waits has no times."""

    def stretches(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Stretch]:
        format, pieces = self._timed_or_not(pieces)
        return TextFormat.stretches(format, where, pieces, faults, limits)

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        format, pieces = self._timed_or_not(pieces)
        return TextFormat.records(format, where, pieces, faults, limits)

    def _timed_or_not(self, pieces: Iterator[bytes]) -> tuple[TextFormat, Iterator[bytes]]:
        """Look for a wait in the beginning of *pieces*, and return them as they were."""
        begin, size = list[bytes](), 0
        while size < LOOKED_AT and (piece := next(pieces, b"")):
            begin.append(piece)
            size += len(piece)
        timed = _HAS_WAIT(b"".join(begin)) is not None
        return replace(self, parser=partial(FioLines, timed)), chain(begin, pieces)


FIO = FioFormat("fio", (".fio", ".iolog"), "a request is a line with read or write, an offset and a length",
                partial(FioLines, True))  # fmt: skip


def encode_2(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode version 2: before a request later by a millisecond is a line with its time, for which fio waits."""
    files = _Files()
    before = -1
    yield b"fio version 2 iolog\n"
    for now, record in with_ticks(records, WAIT_TICKS):
        new, name = record.device not in files, files[record.device]
        if new:
            yield f"{name} add\n{name} open\n".encode()
        if record.time is not None and now > before:
            yield f"{name} {WAIT} {now} 0\n".encode()
            before = now
        yield f"{name} {FIO_WORDS[record.op]} {record.first} {record.length}\n".encode()
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
        yield f"{now} {name} {FIO_WORDS[record.op]} {record.first} {record.length}\n".encode()
    yield from (f"{now} {name} close\n".encode() for name in sorted(files.values()))


class _Files(dict[str, str]):
    """The file of each device, in the folder where fio is run, so that no trace chooses other files to be overwritten.

    fio's own ``directory`` must not be set: fio 3.33 looks for the file without it then, and crashes. Its
    ``replay_redirect`` leads to a drive.
    """

    def __missing__(self, device: str) -> str:
        name = device.replace("/", "_") or "disc"
        if len(name.encode()) > 255 or not name.isprintable() or name.split() != [name] or name in (".", ".."):
            raise UserError(f"device {quote(device)} cannot be a file of fio's, whose names have no spaces")
        if name in self.values():
            raise UserError(f"device {quote(device)} would be the file {quote(name)}, which another is")
        self[device] = name
        return name
