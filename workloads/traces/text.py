"""Reads text traces: blocks of lines by columns where possible, otherwise line by line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import islice
from typing import ClassVar, Protocol

import numpy as np

from spindle.sim.error import UserError
from spindle.workloads.traces.batch import SLICE, Batch, NotSimpleError, Stretch, require
from spindle.workloads.traces.faults import Checks, Faults, Wrong
from spindle.workloads.traces.operations import Meaning, PassedWords
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import Shape

MARK = "\ufeff"
"""The byte order mark with which some editors begin a UTF-8 file."""
READ_AT_ONCE = 1 << 23
"""Bytes that are read by columns at a time. The first piece of a file is read line by line, as importing Arrow takes
longer than reading a short file."""
HAS_ARROW = find_spec("pyarrow") is not None
"""True if Arrow is installed; without it all blocks are read line by line, which takes ten times as long."""

OF_THE_FILE = ("time", "device")
"""Parts of a record that are wrong beside those of other lines: to pass over the line is no remedy."""
HEAD, HEAD_LINES = 1 << 14, 100
"""Bytes and lines by which a format is detected."""


def whole_lines(head: bytes) -> bytes:
    """Return the first HEAD_LINES lines of *head*, or those that end in it; of a single longer line its beginning."""
    lines = head[:HEAD].split(b"\n", HEAD_LINES)
    is_cut = len(lines) > HEAD_LINES or (len(head) > HEAD and len(lines) > 1)
    return b"\n".join([*lines[:-1], b""]) if is_cut else head[:HEAD]


class ColumnReader(Protocol):
    """Reads many lines at once."""

    def batch(self, block: bytes, check: Checks) -> Batch:
        """Return the requests in *block* if all pass *check*; else raise NotSimpleError, with nothing changed."""


class LineParser(Protocol):
    """Parses the lines of one file in their order."""

    began: float | None
    """Clock reading at the first request of the trace, which may be in an earlier file."""
    passed: PassedWords
    """Counts operations that are no requests."""
    given: Mapping[str, Meaning]
    """Meanings that the caller gives to words of operations."""

    @property
    def shape(self) -> Shape: ...

    @property
    def notes(self) -> Sequence[str]:
        """Return the guesses about the file."""

    @property
    def columns(self) -> ColumnReader | None:
        """Return the reader by columns, if there is one and the columns are known."""

    def parse(self, line: str) -> Record | None:
        """Parse the request in *line*; None if it holds something else; Wrong if it is invalid."""


@dataclass(frozen=True)
class TextFormat:
    """A format of lines, for each file of which there is a new *parser*."""

    name: str
    suffixes: tuple[str, ...]
    needs: str
    parser: Callable[[], LineParser]
    encoding: str = ""
    """Encoding of lines that are not UTF-8; without one they are bad lines."""
    note: str = ""
    """Guess by which a file was taken to have this format."""
    slack: float = 0.0
    """Seconds by which a request may be out of order at least, where logs are written when answers are sent."""
    ops: tuple[tuple[str, Meaning], ...] = ()
    """Words of operations with the meanings that a caller gives them."""
    choose: Callable[[bytes, str], "TextFormat"] | None = None
    """Chooses the variant for the beginning of a file, and its name."""
    alternatives: ClassVar[tuple["TextFormat", ...]] = ()

    def variant(self, head: bytes, name: str) -> "TextFormat":
        return self if self.choose is None else self.choose(head, name)

    def stretches(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Stretch]:
        reading = _Reading(self, where, faults, limits)
        for block in _blocks(pieces, limits.line, lambda: reading.size):
            yield from reading.stretches(block)

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        reading = _Reading(self, where, faults, limits)
        for block in _blocks(pieces, limits.line, lambda: 0):
            yield from reading.lines(block)


class _Reading:
    """A file that is being read, up to line *number*."""

    def __init__(self, format: TextFormat, where: str, faults: Faults, limits: TraceLimits) -> None:
        self._parser = format.parser()
        self._encoding = format.encoding
        self._where = where
        self._faults = faults
        self._limits = limits
        self._check = Checks(replace(limits, slack=max(limits.slack, format.slack)))
        self._number = 0
        self._some = False
        """True once there was a request."""
        self._parser.began = faults.began
        self._parser.passed = faults.passed
        self._parser.given = dict(format.ops)
        if format.note:
            faults.note(format.note)

    @property
    def size(self) -> int:
        """Return the bytes that are worth reading at once."""
        return READ_AT_ONCE if self._number and self._parser.columns else 0

    def stretches(self, block: bytes) -> Iterator[Stretch]:
        columns = self._parser.columns if self._number and HAS_ARROW else None
        if columns is not None:
            try:
                _check_text(block, self._limits.line)
                batch = columns.batch(block, self._check)
            except NotSimpleError:
                pass
            else:
                self._number += block.count(b"\n") + 1
                self._finish_block()
                self._some = self._some or batch.requests > 0
                yield batch
                return
        yield from in_batches(self.lines(block))

    def lines(self, block: bytes) -> Iterator[Record]:
        """Yield the requests of *block*, line by line; blank lines are passed over."""
        parser, faults, check = self._parser, self._faults, self._check
        for line in _lines(block, self._limits.line, self._encoding):
            self._number += 1
            if isinstance(line, Wrong):
                faults.add(f"{self._where}:{self._number}:{line.column}", line, self._some)
                continue
            if not line or line.isspace():
                continue
            try:
                record = parser.parse(line if self._number > 1 else line.removeprefix(MARK))
                if record is None:
                    faults.others += 1
                    continue
                check(record)
            except Wrong as wrong:
                column = parser.shape.column(line, wrong.attribute) if wrong.attribute else wrong.column
                alone = wrong.attribute not in OF_THE_FILE
                faults.add(f"{self._where}:{self._number}:{column}", wrong, self._some and alone)
                continue
            self._some = True
            if faults.began is None:
                faults.began = parser.began
            yield record
        self._finish_block()

    def _finish_block(self) -> None:
        self._faults.began = self._parser.began
        for sentence in self._parser.notes:
            self._faults.note(sentence)


def each_line(pieces: Iterator[bytes], longest: int) -> Iterator[str | Wrong]:
    """Yield the lines of a file as text of at most *longest* bytes, or the reason why a line is not."""
    for block in _blocks(pieces, longest, lambda: 0):
        yield from _lines(block, longest, "")


def in_batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    """Yield *records*, many at a time; those before a UserError come before it."""
    while True:
        found: list[Record] = []
        try:
            found.extend(islice(records, SLICE))
        except UserError:
            yield found
            raise
        if not found:
            return
        yield found


def _blocks(pieces: Iterator[bytes], longest: int, enough: Callable[[], int]) -> Iterator[bytes]:
    """Yield whole lines, at least *enough* bytes of them but for the last; of one much too long only its ends.

    A line that fills pieces is yielded before its end is known, which may be gibibytes away.
    """
    blocks, rest, size, passes = list[bytes](), b"", 0, False
    for piece in pieces:
        if passes:
            _, end, piece = piece.partition(b"\n")
            passes = not end
        block, end, last = piece.rpartition(b"\n")
        if not end:
            rest += last[: longest + 1 - len(rest)]
            if len(rest) > longest:
                yield b"\n".join([*blocks, rest])
                blocks, rest, size, passes = [], b"", 0, True
            continue
        blocks.append(rest + block)
        size += len(rest) + len(piece)
        rest = last[: longest + 1]
        if size >= enough():
            yield b"\n".join(blocks)
            blocks, size = [], 0
    if blocks:
        yield b"\n".join(blocks)
    if rest:
        yield rest


def _lines(block: bytes, longest: int, encoding: str) -> Sequence[str | Wrong]:
    """Return the lines of *block* as text, or the reason why a line is not."""
    try:
        lines = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        lines = []
    if lines and max(map(len, lines)) <= longest:
        return lines
    return [_line(line, longest, encoding) for line in block.split(b"\n")]


def _line(line: bytes, longest: int, encoding: str) -> str | Wrong:
    if len(line) > longest:
        return Wrong(f"a line has at most {longest} bytes, and this has more", column=longest + 1)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if encoding:
            return line.decode(encoding, "replace")
        return Wrong(f"byte 0x{line[error.start]:02x} is not text in UTF-8", column=error.start + 1)


def _check_text(block: bytes, longest: int) -> None:
    """Raise NotSimpleError unless *block* is text in UTF-8, of lines that end as they should.

    To look for one byte takes a tenth of the time that two take.
    """
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
    require(bool(np.diff(ends, prepend=-1, append=len(block)).max() <= longest))
    require(b"\0" not in block)
    require(b"\r" not in block or block.count(b"\r") == block.count(b"\r\n") + block.endswith(b"\r"))
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            raise NotSimpleError from None
