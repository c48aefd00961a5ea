"""A trace in a file: its format detected by content, its requests one by one in constant memory."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from spindle.sim.error import UserError, unknown
from spindle.workloads.traces import source
from spindle.workloads.traces.batch import Batch, batch_of
from spindle.workloads.traces.faults import Faults, Format, Part
from spindle.workloads.traces.formats import (
    blkparse,
    blktrace,
    disksim,
    events,
    fio,
    jsonl,
    oracle,
    plain,
    published,
    vscsi,
)
from spindle.workloads.traces.likely import likely
from spindle.workloads.traces.order import in_order
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import TextFormat

_ALL: tuple[Format, ...] = (
    plain.PLAIN, published.MSR, published.SPC, *blkparse.ACTIONS, fio.FIO, disksim.DISKSIM, blktrace.BLKTRACE,
    vscsi.VSCSI_1, vscsi.VSCSI_2, oracle.LCS, oracle.ORACLE_GENERAL, oracle.OBJECTS,
    *published.PUBLISHED, jsonl.JSONL, *events.EVENTS, disksim.MQSIM,
)  # fmt: skip
FORMATS = {each.name: each for each in _ALL}
"""By name; where a file looks like two of them, it is the earlier."""

COMPRESSED = (".gz", ".zst", ".zstd", ".xz", ".bz2")
HEAD = 1 << 14
"""Bytes by which a format is detected."""
ALIKE = 0.5
"""Of its first lines more than this share must be good for a file to be taken to have a format."""


Passed = Callable[[int], object]
"""Called with a number of bytes that were read."""


class Trace:
    """The requests in the file at *path*, read anew by each iteration; *format* is detected by default.

    UserError, one line, for whatever is wrong: ``file:line:column: reason``, or record and byte in a binary file.
    """

    def __init__(
        self, path: Path, format: str | Format = "", limits: TraceLimits | None = None, others: Sequence[Path] = ()
    ) -> None:
        self.path = path
        self.others = others
        """Files that go on where it ends, or were written beside it."""
        self.limits = TraceLimits() if limits is None else limits
        self.format = (
            recognised(path, self.limits) if format == "" else named(format) if isinstance(format, str) else format)
        self.faults = Faults(self.limits.skip_bad)
        """Of the pass that began last."""

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def records(self, passed: Passed = lambda _: None) -> Iterator[Record]:
        """The requests one by one; *passed* is called with the bytes of the file that were read."""
        for part in self._parts(passed):
            yield from part.records() if isinstance(part, Batch) else part

    def batches(self, passed: Passed = lambda _: None) -> Iterator[Batch]:
        """The same in arrays, of any length but 0."""
        for part in self._parts(passed):
            yield part if isinstance(part, Batch) else batch_of(part)

    def _parts(self, passed: Passed) -> Iterator[Part]:
        faults = self.faults = Faults(self.limits.skip_bad)
        some = False
        with closing(in_order(self._read(passed, faults), faults)) as parts:
            for part in parts:
                some = True
                yield part
        if not some:
            raise UserError(f"{self.path}: there is no request in it: {self.format.needs}")


    def _read(self, passed: Passed, faults: Faults) -> Generator[Part, None, None]:
        """What is asked for, file by file."""
        for path in (self.path, *self.others):
            with closing(source.members(path, self.limits)) as members:
                for number, (name, pieces) in enumerate(members):
                    if number:
                        faults.note(f"{path.name} holds several files, which are read as one trace")
                    for part in self.format.parts(name, _followed(pieces, passed), faults, self.limits):
                        if part.requests if isinstance(part, Batch) else part:
                            yield part
        if self.others:
            faults.note(f"{len(self.others) + 1} files are read as one trace, from {self.path.name} to "
                        f"{self.others[-1].name}")


def _followed(pieces: Iterator[bytes], passed: Passed) -> Iterator[bytes]:
    for piece in pieces:
        passed(len(piece))
        yield piece


def named(name: str) -> Format:
    """The format called *name*; UserError, with the nearest names, if there is none."""
    if name not in FORMATS:
        raise unknown("trace format", name, FORMATS)
    return FORMATS[name]


def recognised(path: Path, limits: TraceLimits) -> Format:
    """The format of most of the first lines of the file at *path*; where none is, that which its name hints at."""
    head = source.head(path, limits)
    if not head:
        raise UserError(f"{path}: the file is empty")
    shares = {name: _share(each, head, limits) for name, each in FORMATS.items()}
    best = max(shares, key=shares.__getitem__)
    if shares[best] > ALIKE:
        return _guessed(FORMATS[best], head)
    said = likely(head)
    if said:
        raise UserError(f"{path}: {said}")
    plain_name = path.name.lower()
    for end in COMPRESSED:
        plain_name = plain_name.removesuffix(end)
    for each in FORMATS.values():
        if plain_name.endswith(each.suffixes):
            return each
    if plain.is_headed(head):
        return plain.PLAIN
    raise UserError(f"{path}: its first lines look like no trace format; --columns takes any lines, key=1 where a line "
                    f"is a key, and --format is one of {', '.join(FORMATS)}")


def _guessed(format: Format, head: bytes) -> Format:
    """*format*, or its likeness that *head* fits better; a note where both are guesses."""
    lines = [line.split() for line in head.splitlines()[:-1] or head.splitlines()]
    if format is disksim.DISKSIM:
        return disksim.likeness(lines)
    if isinstance(format, TextFormat) and format.name == "tencent":
        return replace(format, note=FIVE)
    return format


FIVE = "five whole numbers a line are taken for Tencent's time,offset,size,op,volume; --columns would say otherwise"


def _share(kind: Format, head: bytes, limits: TraceLimits) -> float:
    """How much of *head*, which may end within a line, is good in a format."""
    faults = Faults()
    good = sum(1 for _ in kind.records("", iter([head[:HEAD]]), faults, limits)) + faults.others
    return good / max(1, good + faults.bad)
