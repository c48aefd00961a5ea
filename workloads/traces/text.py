"""Traces of text, a line after another: no line without an end, and none that ends the reading unless it must."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from spindle.workloads.traces.faults import Checks, Faults, Wrong
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import Shape

MARK = "\ufeff"
"""The byte order mark with which some editors begin a UTF-8 file."""


class LineParser(Protocol):
    """Takes the lines of one file in their order."""

    @property
    def shape(self) -> Shape: ...

    def parse(self, line: str) -> Record | None:
        """The request in *line*; None if it holds something else; Wrong if it holds what it must not."""


@dataclass(frozen=True)
class TextFormat:
    """A format of lines, for each file of which there is a new *parser*."""

    name: str
    suffixes: tuple[str, ...]
    needs: str
    parser: Callable[[], LineParser]

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        parser, check = self.parser(), Checks(limits)
        parse = parser.parse
        for number, line in enumerate(each_line(pieces, limits.line), 1):
            if isinstance(line, Wrong):
                faults.add(f"{where}:{number}:{line.column}", line)
                continue
            try:
                record = parse(line if number > 1 else line.removeprefix(MARK))
                if record is None:
                    faults.others += 1
                    continue
                check(record)
            except Wrong as wrong:
                if line and not line.isspace():
                    column = parser.shape.column(line, wrong.part) if wrong.part else wrong.column
                    faults.add(f"{where}:{number}:{column}", wrong)
                continue
            yield record


def each_line(pieces: Iterator[bytes], longest: int) -> Iterator[str | Wrong]:
    """The lines of a file as text, or what keeps one from being that; none is longer than *longest* bytes."""
    for block in _blocks(pieces, longest):
        yield from _lines(block, longest)


def _blocks(pieces: Iterator[bytes], longest: int) -> Iterator[bytes]:
    """Whole lines, many at a time; of a line much longer than *longest* only the beginning and the end."""
    rest = b""
    for piece in pieces:
        block, end, rest = (rest + piece).rpartition(b"\n")
        if end:
            yield block
        rest = rest[: longest + 1]
    if rest:
        yield rest


def _lines(block: bytes, longest: int) -> Sequence[str | Wrong]:
    """The lines of *block* as text, or what keeps one from being that."""
    try:
        lines = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        lines = []
    if lines and max(map(len, lines)) <= longest:
        return lines
    return [_line(line, longest) for line in block.split(b"\n")]


def _line(line: bytes, longest: int) -> str | Wrong:
    if len(line) > longest:
        return Wrong(f"a line has at most {longest} bytes, and this has more", column=longest + 1)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Wrong(f"byte 0x{line[error.start]:02x} is not text in UTF-8", column=error.start + 1)
