"""A trace in one file or several: its requests one by one or in batches, in constant memory; its format, detected by
content; and messages for files that are no trace."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import Protocol

from spindle.sim.error import UserError, unknown
from spindle.workloads.traces import order, source
from spindle.workloads.traces.batch import Batch, Part, batch_of
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.formats import (
    blkparse,
    blktrace,
    disksim,
    events,
    fio,
    json_blocks,
    jsonl,
    oracle,
    plain,
    published,
    server_logs,
    tool_logs,
    vscsi,
)
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.order import merge_files, sort_by_time
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import TextFormat


class Format(Protocol):
    """A format of traces; names of such files often end with one of *suffixes*."""

    @property
    def name(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    @property
    def needs(self) -> str:
        """Describe what a file must hold for requests to be found in it."""

    def parts(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Part]:
        """Yield the requests in the file *where* that consists of *pieces*: by columns where possible."""

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        """Yield the same requests, read one by one."""


# Kinds of files that no reader knows, by their beginnings: a sentence on each, and on a way to read it.

COLUMNS = "spindle curve --columns key=1 takes a column for keys, others as time, size and op, by their numbers"
ONE_NUMBER = "each of its first lines is a number; spindle curve --columns key=1 takes them for keys"
VALIDATION = "this is a validation trace of DiskSim: op, hit or miss, block, blocks, and times measured, without " \
             "arrival times; --columns op=1,lba_512=3,sectors=4 reads it"  # fmt: skip
BIOSNOOP_BT = "this is the output of bpftrace's biosnoop, which has neither sectors nor sizes; that of bcc has both, " \
              "and spindle capture records them"  # fmt: skip
HISTOGRAM = "this is a histogram, as biolatency prints it, and no trace; biosnoop prints each request"
OWN_FORM = "this looks like blkparse's output in a format of its own (-f): --format takes that format, " \
           "as '%T.%t %a %d %S %n', or run blkparse without -f"  # fmt: skip
FIO_AVERAGES = "this is a log of fio's averages, and no requests: log_avg_msec=0 and log_offset=1 log each"
FIO_OFFSETS = "this is a log of fio without offsets: log_offset=1 adds them"
VSCSI_HISTOGRAM = "this is a histogram, as vscsiStats prints it, and no trace; vscsiStats -t records one"
SYSTEM_CALLS = "these are system calls, as strace prints them, with offsets in files; blktrace and biosnoop record " \
               "requests for blocks"  # fmt: skip
KINDS = (
    (rb"\A\s*\{\s*\"fio version\"", "this is fio's answer, and no trace; spindle drive fit takes it"),
    (rb"(?m)^Histogram: ", VSCSI_HISTOGRAM),
    (rb"(?m)^Device:?\s+(?:tps|r/s|rrqm/s)\s", "these are rates, as iostat prints them, and no requests"),
    (rb"(?m)^(?:\[pid +\d+\] |\d+ +)?(?:[\d:.]+ )?p?(?:read|write)v?2?(?:64)?\(\d+[,<]", SYSTEM_CALLS),
    (rb"\A\s*disksim_\w+\s", "this is a DiskSim parameter file, and no trace"),
    (rb"\A\s*[RWrw]\s+(?:Hit|Miss)\s", VALIDATION),
    (rb"\A\s*[lsLSIM]\s+(?:0x)?[0-9a-fA-F]+[ ,]+\d+\s", "its lines are addresses of memory: " + COLUMNS),
    (rb"\A(?:\d+[ \t]*\r?\n|\*[ \t]*\r?\n)+\d*\Z", ONE_NUMBER),
    (rb"\A(?:\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n)+", "each of its first lines is three numbers: " + COLUMNS),
    (rb"\A(?=[^\n]*(?<![^\s,])\d{1,10}\.\d{9}[,\s])[^\n]*(?<![^\s,])(?:[AQGIDCMFSX]|[RWF][ASMFBV]{0,4})[,\s]",
     OWN_FORM),
    (rb"(?m)^TIME\(ms\)\s.*LAT\(ms\)", BIOSNOOP_BT),
    (rb"(?m)^\s*\w*secs\s+: count\s+distribution|^\[\d+\w*, \d+\w*\)\s+\d+ \|", HISTOGRAM),
    (rb"\A\s*\[\s*[{\[]|\A\s*\{\s*\n", "this is one JSON document; jq -c '.[]' makes a line of each element"),
    (rb"\A(?:\d+, *\d+, *[012], *\d+[ \r]*\n)+", FIO_OFFSETS),
    (rb"\A\x1f\x9d", "it is compressed by compress: uncompress it"),
)  # fmt: skip
LACKEY = "these are addresses of memory, as valgrind's lackey prints them: sets and lines of a processor's cache are " \
         "not modelled; spindle curve --columns key=2 --separator space takes addresses for objects"  # fmt: skip
MAGICS = (
    (rb"\A(?:==\d+==[^\n]*\n)*(?:(?:I  | [LSM] )[0-9a-fA-F]{1,16},\d{1,4}[ \r]*\n){2}", LACKEY),
    (rb"\A\x7fELF|\AMZ.\0", "this is a program, and no trace"),
    (rb"\ASQLite format 3", "this is a SQLite data base; write the table as CSV"),
    (rb"\A\x89HDF", "this is an HDF5 file; write the table as CSV or Parquet"),
    (rb"\AFEA1", "this is a Feather file of version 1; write it as Parquet"),
    (rb"\AORC[\0-\x1f]|\AObj\x01", "this is a table in ORC or Avro; write it as Parquet"),
    (rb"\A\x93NUMPY", "this is an array of NumPy; write it as CSV or Parquet"),
    (rb"\A\x80(?:[\2\3][]}c(]|[\4\5]\x95(?s:.{6})\0\0)|\A\((?:lp|dp)\d+\n", "this is a pickle, which may run "
     "anything when it is opened: write it as CSV or Parquet"),
    (rb"\APERFILE2", "this is perf's binary record; perf script prints it"),
    (rb"\A\x25PDF-|\A<\?xml|(?i:\A\s*<(?:!doctype )?html)", "this is a page of text, HTML or XML, and no trace"),
    (rb"\A(?:\d+, *\d+, *(?:\d+, *)?[012], *0(?:, *(?:0|0x[0-9a-f]+)){1,3}[ \r]*\n){2,}[^\n]*\Z", FIO_AVERAGES),
    (rb"\A(?:\d+, *\d+, *[012], *\d+, *(?:[01]|0x[0-9a-f]+)(?:, *\d{2,})?[ \r]*\n){2,}[^\n]*\Z", FIO_OFFSETS),
    (rb"\A7z\xbc\xaf\x27\x1c|\ARar!\x1a|\A\x04\x22\x4d\x18", "this is packed by 7-Zip, RAR or LZ4: unpack it"),
    (rb"\A(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x0a\x0d\x0d\x0a)", "these are packets of a network, and no trace"),
    (rb"\A(?:\x1f\x8b\x08|\x28\xb5\x2f\xfd|\xfd7zX|BZh\d1AY)", "it is compressed twice: decompress it once"),
    (rb"\APK\x03\x04|\A(?s:.{257})ustar", "this is an archive within an archive: unpack it"),
    (rb"\APK\x05\x06", "this is an archive without files"),
    (rb"\Aversion https://git-lfs", "this is a pointer of Git LFS: git lfs pull brings the file"),
)  # fmt: skip
"""Kinds of files by beginnings that no trace can have."""


def kind_text(head: bytes, kinds: Sequence[tuple[bytes, str]] = KINDS) -> str:
    """Say what kind of file begins with *head*, by *kinds*; '' if unknown."""
    start = head[:4096]
    for pattern, said in kinds:
        if re.search(pattern, start):
            return said
    if kinds is KINDS and b"\0" in start:
        return "this is a binary file of no kind that is known here; --format names one that is"
    return ""


_ALL: tuple[Format, ...] = (
    plain.PLAIN, published.MSR, published.SPC, *blkparse.ACTIONS, fio.FIO, disksim.DISKSIM, blktrace.BLKTRACE,
    vscsi.VSCSI_1, vscsi.VSCSI_2, oracle.LCS, oracle.ORACLE_GENERAL, oracle.OBJECTS,
    *published.PUBLISHED, jsonl.JSONL, json_blocks.JSON_BLOCKS, *events.EVENTS, disksim.MQSIM,
    *server_logs.SERVER_LOGS, *tool_logs.TOOL_LOGS,
)  # fmt: skip
FORMATS = {each.name: each for each in _ALL}
"""Formats by name; a file that looks like two of them is taken for the earlier."""

COMPRESSED = (".gz", ".zst", ".zstd", ".xz", ".bz2")
HEAD, HEAD_LINES = 1 << 14, 100
"""Bytes and lines by which a format is detected."""
ALIKE = 0.5
"""A file is taken to have a format if more than this share of its first lines is good in it."""
FAR_APART = 1000.0
"""Mean seconds between two requests beyond which the unit of times is doubted."""
DATED = 1e9
"""A clock that shows more shows dates, whose unit is known."""
UNSAID = ("csv", "columns", "jsonl-blocks")
"""Formats where the names of columns say the unit of times."""
Passed = Callable[[int], object]
"""Called with a number of bytes that were read."""


class Trace:
    """The requests in the file at *path*, read anew by each iteration; *format* is detected by default.

    UserError, one line, for whatever is wrong: ``file:line:column: reason``, or record and byte in a binary file.
    """

    def __init__(
        self, path: Path, format: str | Format = "", limits: TraceLimits | None = None, others: Sequence[Path] = (),
        ops: Mapping[str, Meaning] | None = None,
    ) -> None:  # fmt: skip
        self.path = path
        self.others = others
        """Files that go on where it ends, or were written beside it."""
        self.limits = TraceLimits() if limits is None else limits
        self.format = (
            format_named(format) if isinstance(format, str) and format != "" else
            detect(path, self.limits, ops) if isinstance(format, str) else format)
        if ops:
            self.format = with_ops(self.format, ops)
        self.faults = Faults(self.limits.skip_bad)
        """Faults of the pass that began last."""
        self._is_guessed = format == ""
        if self._is_guessed and self.format is blktrace.BLKTRACE:
            self.format = self._kind_of_events()
        for other in others if self._is_guessed else ():
            self._check_alike(str(other), iter([source.head(other, self.limits)]))

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def records(self, passed: Passed = lambda _: None) -> Iterator[Record]:
        """Yield the requests one by one; *passed* is called with the number of bytes that were read."""
        for part in self._parts(passed):
            yield from part.records() if isinstance(part, Batch) else part

    def batches(self, passed: Passed = lambda _: None) -> Iterator[Batch]:
        """Yield the requests in arrays, of any length but 0."""
        for part in self._parts(passed):
            yield part if isinstance(part, Batch) else batch_of(part)

    def _parts(self, passed: Passed) -> Iterator[Part]:
        faults = self.faults = Faults(self.limits.skip_bad)
        some, last, requests = False, 0.0, 0
        with closing(sort_by_time(self._read(passed, faults), faults)) as parts:
            for part in parts:
                some = True
                last, requests = order.last_time(part), requests + order.count(part)
                yield part
        if last > FAR_APART * requests and self.format.name in UNSAID and (faults.began or 0) < DATED:
            faults.note(f"requests are {last / requests:,.0f} s apart on average; time_ms, time_us or time_ns as the "
                        "name of the column takes times in another unit")
        if not some:
            over = "".join(f"; {sentence}" for sentence in faults.passed.sentences())
            raise UserError(f"{self.path}: there is no request in it: {self.format.needs}{over}")

    def _kind_of_events(self) -> Format:
        """Return blktrace's format for the best kind of events that is in one of the files."""
        for kind in blktrace.KINDS:
            for path in (self.path, *self.others):
                with closing(source.members(path, self.limits)) as members, suppress(UserError):
                    for name, pieces in members:
                        if next(kind.records(name, pieces, Faults(), self.limits), None) is not None:
                            return kind
        return blktrace.BLKTRACE

    def _check_alike(self, name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Return *pieces* of a file beside the first; UserError where they look like another format."""
        head = next(pieces, b"")
        if self._is_guessed and head and _share(self.format, head, self.limits)[0] <= ALIKE:
            kind = looks_like(head, self.limits)
            raise UserError(f"{name}: it looks like {kind.name if kind else 'no trace'}, and {self.path.name} like "
                            f"{self.format.name}: the files of one trace have one format")  # fmt: skip
        return chain([head], pieces)

    def _read(self, passed: Passed, faults: Faults) -> Generator[Part, None, None]:
        """Yield the requests, of several files by time, or file by file where there are no times."""
        paths = (self.path, *self.others)
        files = [partial(self._parts_of, path, passed, faults) for path in paths]
        firsts = self._first_times(paths, faults) if self.others else []
        if firsts:
            yield from merge_files(zip(firsts, files, strict=True), faults)
        else:
            for read in files:
                yield from read()
        if self.others:
            faults.note(f"{len(paths)} files are read as one trace, from {self.path.name} to {self.others[-1].name}"
                        f"{', merged by time' if firsts else ''}")

    def _first_times(self, paths: Sequence[Path], faults: Faults) -> list[float]:
        """Return the time of the first request of each file, by the clock of the first; nothing where one has none."""
        firsts = []
        for path in paths:
            probe = Faults(self.limits.skip_bad, began=faults.began)
            with closing(source.members(path, self.limits)) as members:
                name, pieces = next(members, ("", iter(())))
                first = next(self.format.records(name, pieces, probe, self.limits), None)
            faults.began = probe.began
            if first is not None and (first.time is None or first.gap is not None or first.number is not None):
                return []
            firsts.append(inf if first is None or first.time is None else first.time)
        return firsts

    def _parts_of(self, path: Path, passed: Passed, faults: Faults) -> Generator[Part, None, None]:
        with closing(source.members(path, self.limits)) as members:
            for number, (name, pieces) in enumerate(members):
                if number:
                    faults.note(f"{path.name} holds several files, which are read as one trace")
                    pieces = self._check_alike(name, pieces)
                for part in self.format.parts(name, _report_progress(pieces, passed), faults, self.limits):
                    if part.requests if isinstance(part, Batch) else part:
                        yield part


def _report_progress(pieces: Iterator[bytes], passed: Passed) -> Iterator[bytes]:
    for piece in pieces:
        passed(len(piece))
        yield piece


def format_named(name: str) -> Format:
    """Return the format called *name*, or of blkparse -f *name*; UserError, with the nearest names, if there is none.
    """
    if "%" in name:
        return blkparse.with_form(name)
    if name not in FORMATS:
        raise unknown("trace format", name, FORMATS)
    return FORMATS[name]


def with_ops(format: Format, ops: Mapping[str, Meaning]) -> Format:
    """Return *format* with the meanings *ops* of words; UserError where operations are numbers in binary."""
    if not isinstance(format, TextFormat):
        raise UserError(f"--ops gives words a meaning, and {format.name} has codes in binary, whose meanings it says")
    return replace(format, ops=tuple(ops.items()))


def detect(path: Path, limits: TraceLimits, ops: Mapping[str, Meaning] | None = None) -> Format:
    """Return the format of most of the first lines of the file at *path*; if there is none, the one its name hints at.
    """
    head = source.head(path, limits)
    if not head:
        raise UserError(f"{path}: the file is empty")
    if not head.strip():
        raise UserError(f"{path}: there is nothing in it but blank lines")
    if said := kind_text(head, MAGICS):
        raise UserError(f"{path}: {said}")
    likely = looks_like(head, limits, tuple((ops or {}).items()))
    if likely is events.FIO_LOG and re.search(r"_(bw|iops)(\.\d+)?\.log", path.name):
        return events.FIO_RATES
    if likely is not None:
        return _choose_variant(likely, head)
    form = blkparse.form_of(_whole_lines(head).decode("utf-8", "replace").splitlines())
    if form:
        return replace(blkparse.with_form(form), note=f"its lines are taken for those of blkparse -f '{form}'")
    said = kind_text(head)
    if said:
        raise UserError(f"{path}: {said}")
    if head.lstrip().startswith(b"{"):
        return json_blocks.JSON_BLOCKS if json_blocks.has_names(_whole_lines(head).splitlines()) else jsonl.JSONL
    plain_name = path.name.lower()
    for end in COMPRESSED:
        plain_name = plain_name.removesuffix(end)
    for each in FORMATS.values():
        if plain_name.endswith(each.suffixes):
            return _choose_variant(each, head)
    if plain.is_headed(head):
        return plain.GUESSED
    raise UserError(f"{path}: its first lines look like no trace format; --columns takes any lines, key=1 where a line "
                    f"is a key, others by their numbers, as time=1,key=7,size=5; spindle curve --help lists formats")


@lru_cache(maxsize=4)
def looks_like(head: bytes, limits: TraceLimits, ops: tuple[tuple[str, Meaning], ...] = ()) -> Format | None:
    """Return the format that most lines of *head* have, or whose header its first line is; None if there is none.

    Answers are kept, because the runs of a sweep over a trace ask for the same.
    """
    kinds = {name: replace(each, ops=ops) if isinstance(each, TextFormat) else each for name, each in FORMATS.items()}
    shares = {name: _share(each, head, limits) for name, each in kinds.items()}
    best = max(shares, key=shares.__getitem__)
    if plain.knows(head) and not _share(FORMATS[best], head.partition(b"\n")[0] + b"\n", limits)[0]:
        return plain.PLAIN
    return FORMATS[best] if shares[best][0] > ALIKE else None


def _choose_variant(format: Format, head: bytes) -> Format:
    """Return *format*, or a variant that fits *head* better; with a note if both are guesses."""
    lines = [line.split() for line in _whole_lines(head).splitlines()]
    if format is disksim.DISKSIM:
        return disksim.likeness(lines)
    if format is plain.PLAIN:
        return plain.GUESSED
    if format is oracle.ORACLE_GENERAL:
        return oracle.likeness(head)
    if isinstance(format, TextFormat) and format.name == "ftrace":
        return events.likeness(format, head)
    if format is json_blocks.JSON_BLOCKS:
        return json_blocks.likeness(_whole_lines(head).splitlines())
    cells = [line.split(b",") for line in _whole_lines(head).splitlines()]
    if format is published.SPC:
        return replace(published.SPC, note=SPC_IN_BYTES if _divide(cells, 1) else "")
    if isinstance(format, TextFormat) and format.name == "tencent":
        return replace(format, note=FIVE + (TENCENT_IN_BYTES if _divide(cells, 1, 2) else ""))
    return format


def _divide(lines: Sequence[Sequence[bytes]], *places: int) -> bool:
    """Tell if the numbers in *places* of *lines* all divide by a sector, and not all are 0: a hint at bytes."""
    numbers = [int(cells[place]) for cells in lines for place in places
               if len(cells) > place and cells[place].strip().isdigit()]  # fmt: skip
    return len(lines) > 1 and any(numbers) and not any(number % SECTOR for number in numbers)


SECTOR = 512
SPC_IN_BYTES = "its lines are taken for SPC's, with sectors of 512 bytes; as all divide by 512, they may be bytes: " \
               "--columns device=1,offset=2,size=3,op=4,time_s=5"  # fmt: skip
TENCENT_IN_BYTES = "; as offsets and sizes all divide by 512, they may be bytes: --columns " \
                   "time=1,offset=2,size=3,op=4,device=5 --ops 0=read,1=write"  # fmt: skip
FIVE = "five whole numbers a line are taken for Tencent's time,offset,size,op,volume; --columns would say otherwise"


def _share(kind: Format, head: bytes, limits: TraceLimits) -> tuple[float, int]:
    """Return the share of *head*, which may end within a line, that is good in a format, and the requests in it."""
    faults = Faults()
    piece = _whole_lines(head) if isinstance(kind, TextFormat) else head[:HEAD]
    requests = sum(1 for _ in kind.records("", iter([piece]), faults, limits))
    good = requests + faults.others
    return good / max(1, good + faults.bad), requests


def _whole_lines(head: bytes) -> bytes:
    """Return the first HEAD_LINES lines of *head*, or those that end in it; of a single longer line its beginning."""
    lines = head[:HEAD].split(b"\n", HEAD_LINES)
    is_cut = len(lines) > HEAD_LINES or (len(head) > HEAD and len(lines) > 1)
    return b"\n".join([*lines[:-1], b""]) if is_cut else head[:HEAD]
