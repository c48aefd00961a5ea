"""A trace in a file: its format detected by content, its requests one by one in constant memory."""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from heapq import merge
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spindle.output.text import plural
from spindle.sim.error import UserError, unknown
from spindle.workloads.traces import source
from spindle.workloads.traces.batch import Batch, Floats, Words, batch_of
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
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import TextFormat, some_of

# Requests in the order of their times: logs are written when requests are done, so some stand behind later ones.

def in_order(parts: Generator[Part, None, None], faults: Faults) -> Generator[Part, None, None]:
    """Sort *parts*, each of which is sorted with its successor; times count from the first, if that is < 0.

    Parts without times, or with gaps and numbers, are lists in the order that counts, and stay as they are.
    """
    begin = 0.0
    with closing(parts):
        for number, part in enumerate(_sort(parts, faults)):
            times = _times(part)
            if not number and times is not None and len(times):
                begin = min(0.0, float(times[0]))
            yield part if not begin else _delay(part, -begin)
    if faults.late:
        stand = "stands" if faults.late == 1 else "stand"
        faults.note(f"{plural(faults.late, 'request')} {stand} out of order, behind later ones: sorted by time")


def _sort(parts: Iterator[Part], faults: Faults) -> Iterator[Part]:
    """Sort each part with the next, holding one back."""
    held: Part | None = None
    try:
        for part in parts:
            times = _times(part)
            if times is None or not len(times):
                if held is not None:
                    yield held
                held = None
                yield part
                continue
            part, times = _in_itself(part, times, faults)
            before = None if held is None else _times(held)
            if held is not None and before is not None and before[-1] > times[0]:
                faults.late += int((times < before[-1]).sum())
                held, part = _merge(held, part)
            if held is not None:
                yield held
            held = part
    except UserError:
        if held is not None:
            yield held
        raise
    if held is not None:
        yield held


def _times(part: Part) -> Floats | None:
    """Of each request; None where they are not to be sorted."""
    if isinstance(part, Batch):
        known = part.gaps is None and part.numbers is None and not np.isnan(part.times).any()
        return part.times if known else None
    if any(record.time is None or record.gap is not None or record.number is not None for record in part):
        return None
    return np.array([record.time for record in part], dtype=np.float64)


def _in_itself(part: Part, times: Floats, faults: Faults) -> tuple[Part, Floats]:
    if (times[1:] >= times[:-1]).all():
        return part, times
    faults.late += int((times < np.maximum.accumulate(times)).sum())
    order = np.argsort(times, kind="stable")
    return _reorder(part, order), times[order]


def _merge(one: Part, other: Part) -> tuple[Part, Part]:
    """Merge both, and return them with the earlier half of all requests in the first."""
    records = [*_records(one), *_records(other)]
    records.sort(key=lambda record: record.time or 0.0)
    size = len(records) // 2
    return batch_of(records[:size]), batch_of(records[size:])


def _records(part: Part) -> Sequence[Record]:
    return list(part.records()) if isinstance(part, Batch) else part


def _reorder(part: Part, order: NDArray[np.int64]) -> Part:
    if not isinstance(part, Batch):
        return [part[place] for place in order.tolist()]
    if part.counts is not None and part.counts.max() > 1:
        records = list(part.records())
        return batch_of([records[place] for place in order.tolist()])
    return Batch._make(column if column is None else Words(column.codes[order], column.names)
                       if isinstance(column, Words) else column[order] for column in part)  # fmt: skip


def _delay(part: Part, seconds: float) -> Part:
    if isinstance(part, Batch):
        return part._replace(times=part.times + seconds)
    return [record._replace(time=None if record.time is None else record.time + seconds) for record in part]


# What a file may be that no reader knows, by its beginning: said in its own words, and what to do about it.

COLUMNS = "spindle curve --columns key=1 takes a column for keys, others as time, size and op, by their numbers"
ONE_NUMBER = "each of its first lines is a number; spindle curve --columns key=1 takes them for keys"
VALIDATION = "this is a validation trace of DiskSim: op, hit or miss, block, blocks, and times measured, without " \
             "arrival times; --columns op=1,lba_512=3,sectors=4 reads it"  # fmt: skip
BIOSNOOP_BT = "this is the output of bpftrace's biosnoop, which has neither sectors nor sizes; that of bcc has both, " \
              "and spindle capture records them"  # fmt: skip
HISTOGRAM = "this is a histogram, as biolatency prints it, and no trace; biosnoop prints each request"
OWN_FORM = "this looks like blkparse's output in a format of its own (-f): --format takes that format, " \
           "as '%T.%t %a %d %S %n', or run blkparse without -f"  # fmt: skip
KINDS = (
    (rb"\A\s*disksim_\w+\s", "this is a DiskSim parameter file, and no trace"),
    (rb"\A\s*[RWrw]\s+(?:Hit|Miss)\s", VALIDATION),
    (rb"\A\s*[lsLSIM]\s+(?:0x)?[0-9a-fA-F]+[ ,]+\d+\s", "its lines are addresses of memory: " + COLUMNS),
    (rb"\A(?:\d+[ \t]*\r?\n|\*[ \t]*\r?\n)+\d*\Z", ONE_NUMBER),
    (rb"\A(?:\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n)+", "each of its first lines is three numbers: " + COLUMNS),
    (rb"\A\s*\d+\.\d{9}[, \t]+.*\b[QGIDCMFSX]\b", OWN_FORM),
    (rb"(?m)^TIME\(ms\)\s.*LAT\(ms\)", BIOSNOOP_BT),
    (rb"(?m)^\s*\w*secs\s+: count\s+distribution|^\[\d+\w*, \d+\w*\)\s+\d+ \|", HISTOGRAM),
    (rb"\A\x7fELF|\AMZ", "this is a program, and no trace"),
    (rb"\ASQLite format 3", "this is a SQLite data base; write the table as CSV"),
    (rb"\A\x89HDF", "this is an HDF5 file; write the table as CSV or Parquet"),
    (rb"\AFEA1", "this is a Feather file of version 1; write it as Parquet"),
    (rb"\APERFILE2", "this is perf's binary record; perf script prints it"),
    (rb"\A\x25PDF", "this is a PDF, and no trace"),
)  # fmt: skip


def kind_text(head: bytes) -> str:
    """Say what kind of file begins with *head*; '' if unknown."""
    start = head[:4096]
    for pattern, said in KINDS:
        if re.search(pattern, start):
            return said
    if b"\0" in start:
        return "this is a binary file of no kind that is known here; --format names one that is"
    return ""


_ALL: tuple[Format, ...] = (
    plain.PLAIN, published.MSR, published.SPC, *blkparse.ACTIONS, fio.FIO, disksim.DISKSIM, blktrace.BLKTRACE,
    vscsi.VSCSI_1, vscsi.VSCSI_2, oracle.LCS, oracle.ORACLE_GENERAL, oracle.OBJECTS,
    *published.PUBLISHED, jsonl.JSONL, *events.EVENTS, disksim.MQSIM,
)  # fmt: skip
FORMATS = {each.name: each for each in _ALL}
"""By name; where a file looks like two of them, it is the earlier."""

COMPRESSED = (".gz", ".zst", ".zstd", ".xz", ".bz2")
HEAD, HEAD_LINES = 1 << 14, 100
"""Bytes and lines by which a format is detected."""
ALIKE = 0.5
"""Of its first lines more than this share must be good for a file to be taken to have a format."""
NANOSECONDS = 9
"""Digits of a second that the clock of such a trace has."""
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
            detect(path, self.limits) if format == "" else format_named(format) if isinstance(format, str) else format)
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
        """Yield the requests, file by file, or by time where each has a part of one clock's."""
        paths = (self.path, *self.others)
        if self.others and all(source.is_of_one_clock(path) for path in paths):
            yield from some_of(_by_time([self._records(path, passed, faults) for path in paths], faults))
        else:
            for path in paths:
                yield from self._parts_of(path, passed, faults)
        if self.others:
            faults.note(f"{len(paths)} files are read as one trace, from {self.path.name} to {self.others[-1].name}")

    def _parts_of(self, path: Path, passed: Passed, faults: Faults) -> Generator[Part, None, None]:
        with closing(source.members(path, self.limits)) as members:
            for number, (name, pieces) in enumerate(members):
                if number:
                    faults.note(f"{path.name} holds several files, which are read as one trace")
                for part in self.format.parts(name, _report_progress(pieces, passed), faults, self.limits):
                    if part.requests if isinstance(part, Batch) else part:
                        yield part

    def _records(self, path: Path, passed: Passed, faults: Faults) -> Iterator[Record]:
        for part in self._parts_of(path, passed, faults):
            yield from part.records() if isinstance(part, Batch) else part


def _by_time(files: Sequence[Iterator[Record]], faults: Faults) -> Iterator[Record]:
    """The requests of all *files* by their times, which count from the first."""
    faults.began = 0
    began: float | None = None
    for record in merge(*files, key=lambda record: record.time or 0.0):
        if record.time is None:
            yield record
            continue
        began = record.time if began is None else began
        yield record._replace(time=round(record.time - began, NANOSECONDS))


def _report_progress(pieces: Iterator[bytes], passed: Passed) -> Iterator[bytes]:
    for piece in pieces:
        passed(len(piece))
        yield piece


def format_named(name: str) -> Format:
    """The format called *name*, or of blkparse -f *name*; UserError, with the nearest names, if there is none."""
    if "%" in name:
        return blkparse.with_form(name)
    if name not in FORMATS:
        raise unknown("trace format", name, FORMATS)
    return FORMATS[name]


def detect(path: Path, limits: TraceLimits) -> Format:
    """Return the format of most of the first lines of the file at *path*; if there is none, the one its name hints at.
    """
    head = source.head(path, limits)
    if not head:
        raise UserError(f"{path}: the file is empty")
    shares = {name: _share(each, head, limits) for name, each in FORMATS.items()}
    best = max(shares, key=shares.__getitem__)
    if shares[best][0] > ALIKE:
        return _choose_variant(FORMATS[best], head)
    form = blkparse.form_of(_whole_lines(head).decode("utf-8", "replace").splitlines())
    if form:
        return replace(blkparse.with_form(form), note=f"its lines are taken for those of blkparse -f '{form}'")
    said = kind_text(head)
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


def _choose_variant(format: Format, head: bytes) -> Format:
    """Return *format*, or a variant that fits *head* better; with a note if both are guesses."""
    lines = [line.split() for line in head.splitlines()[:-1] or head.splitlines()]
    if format is disksim.DISKSIM:
        return disksim.likeness(lines)
    if isinstance(format, TextFormat) and format.name == "tencent":
        return replace(format, note=FIVE)
    return format


FIVE = "five whole numbers a line are taken for Tencent's time,offset,size,op,volume; --columns would say otherwise"


def _share(kind: Format, head: bytes, limits: TraceLimits) -> tuple[float, int]:
    """Return the share of *head*, which may end within a line, that is good in a format, and the requests in it."""
    faults = Faults()
    piece = _whole_lines(head) if isinstance(kind, TextFormat) else head[:HEAD]
    requests = sum(1 for _ in kind.records("", iter([piece]), faults, limits))
    good = requests + faults.others
    return good / max(1, good + faults.bad), requests


def _whole_lines(head: bytes) -> bytes:
    """The first HEAD_LINES of *head*, or as many as end in it; a line that is longer as far as it goes."""
    lines = head[:HEAD].split(b"\n", HEAD_LINES)
    is_cut = len(lines) > HEAD_LINES or (len(head) > HEAD and len(lines) > 1)
    return b"\n".join([*lines[:-1], b""]) if is_cut else head[:HEAD]
