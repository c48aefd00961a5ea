"""Reads logs of biosnoop, ftrace, perf, xperf, iosnoop, DiskMon, fio, LMCache; and traces of FIU, IBM and Tencent.

Sources: biosnoop(8) of bcc; iosnoop(8) of perf-tools; the block events in include/trace/events/block.h of Linux;
xperf's dumper, whose times are microseconds; iosnoop(1m) of the DTrace Toolkit; DiskMon's saved logs; the README of
FIU's traces (SNIA IOTTA 390), in nanoseconds and sectors of 512 bytes; that of IBM's object store traces (SNIA IOTTA
36305), in milliseconds; "Log File Formats" in fio's HOWTO; the README of Tencent's photos (SNIA IOTTA; Zhou et al., ICS
2018); LMCache's CacheEngineKey.
"""

import re
from calendar import timegm
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import strptime
from typing import Any

from spindle.sim.error import quote
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS, NS, US
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.operations import DEVICES, MEANINGS, OBJECTS, Meaning, Operations, PassedWords, plain_word
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.shape import COMMA, Shape, word
from spindle.workloads.traces.text import TextFormat

MAX_DIGITS = 18
"""Most digits of a number in a line."""


@dataclass(frozen=True)
class Event:
    """The request in a line, still as text.

    *time* is in units of *unit* seconds, *response* of *response_unit* seconds, *first* of *sector* bytes, *length* of
    *sectors* bytes; both may be hexadecimal. An object of unknown size has no *length*.
    """

    op: str
    device: str
    first: str
    length: str
    time: str = ""
    response: str = ""
    unit: float = 1.0
    response_unit: float = 1.0
    sector: int = SECTOR
    sectors: int = 1
    keys: tuple[str, ...] = ()
    skip: bool = False
    """True if the line neither reads nor writes, which is noted."""
    ended: bool = False
    """True if the time is that of completion; the request came by its response earlier."""


Reading = Callable[[str], Event | None]
"""Reads the request in a line: None in a line of another kind; Wrong, ValueError or LookupError in one of no tool."""


class EventLines:
    """The lines of one tool, as *read* takes them; the clock counts from the first request."""

    shape = Shape([word("line")], COMMA)
    columns = None

    def __init__(self, read: Callable[[], Reading]) -> None:
        self._read = read()
        self.notes: Sequence[str] = ()
        self.began: float | None = None
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}

    def parse(self, line: str) -> Record | None:
        try:
            event = self._read(line)
            return None if event is None else self._record(event)
        except (ValueError, LookupError):
            raise Wrong(f"this is no line of that tool: {quote(line.strip()[:80])}") from None

    def _record(self, event: Event) -> Record | None:
        table: Operations = OBJECTS if event.keys else DEVICES
        given = self.given.get(plain_word(event.op))
        kind = given or (Meaning.SKIP if event.skip else table.meaning(event.op))
        if kind is None or kind is Meaning.SKIP:
            self.passed.add(event.op, kind if event.keys else Meaning.SKIP)
            return None
        first = 0 if event.keys else _whole_number(event.first) * event.sector
        length = _whole_number(event.length) * event.sectors if event.length else 1
        if not length and not event.keys:  # a flush
            return None
        time, response = None, _number(event.response) * event.response_unit if event.response else None
        if event.time:
            now = _number(event.time)
            self.began = now if self.began is None else self.began
            time = (now - self.began) * event.unit - (response if event.ended and response else 0)
        return Record(time, event.device[:255], WRITE if kind is Meaning.WRITE else READ, first, length, response,
                      keys=event.keys, delete=kind is Meaning.DELETE, unsized=not event.length)  # fmt: skip


def groups(match: re.Match[str] | None) -> Sequence[Any]:
    """Return the groups of a line's *match*; ValueError where the line did not match."""
    if match is None:
        raise ValueError
    return match.groups()


NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII).fullmatch
WHOLE = re.compile(r"\d+|0[xX][0-9a-fA-F]+", re.ASCII).fullmatch


def _number(text: str) -> float:
    """Read a number that is not negative; whole ones stay whole, because a float cannot hold nanoseconds of a date."""
    if len(text) > 2 * MAX_DIGITS or NUMBER(text) is None:
        raise ValueError
    return int(text) if text.isdecimal() else float(text)


def _whole_number(text: str) -> int:
    if len(text) > MAX_DIGITS + 2 or WHOLE(text) is None:
        raise ValueError
    return int(text, 0) if text[1:2] in ("x", "X") else int(text)


NOWHERE = re.compile(r"\s*\d+\.\d+\s+\S.*\s\d+\s+[A-Z]+\s+(?:-1|\d{1,20})\s+\d+(\s+[\d.]+){1,2}\s*",
                     re.ASCII).fullmatch  # fmt: skip
"""Matches a request whose disk is not known; its sector may be -1, also as 64 bits without a sign."""

COLUMN_NAMES = {"DEV": "DISK", "TYPE": "T", "BLOCK": "SECTOR", "LATms": "LAT(ms)", "TIMEs": "TIME(s)",
                "ENDs": "TIME(s)", "TIME": "TIME(s)"}  # fmt: skip
"""Headings of iosnoop in perf-tools and of old versions of biosnoop, and the headings of today."""


def biosnoop() -> Reading:
    """``TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)``, or as the header says. The time is that of completion, but in
    ``STARTs``; names of commands may have spaces.
    """
    clock, names = "TIME(s)", ["PID", "DISK", "T", "SECTOR", "BYTES", "LAT(ms)"]

    def read(line: str) -> Event | None:
        nonlocal clock, names
        cells = line.split()
        header = [COLUMN_NAMES.get(cell, cell) for cell in cells] if "PID" in cells else []
        if {"PID", "DISK", "T", "SECTOR", "BYTES"} <= {*header}:
            clock = header[0] if header[0] in ("TIME(s)", "STARTs") else ""
            names = header[header.index("PID") :]
        if not cells or header or cells[0] in ("Attaching", "Tracing") or NOWHERE(line):
            return None
        row = dict(zip(names, cells[-len(names) :], strict=True))
        if not row["PID"].isdecimal() or len(cells) < len(names) + 1 + bool(clock) or row["T"][:1] not in "RWDFN":
            raise ValueError
        return Event(row["T"], row["DISK"], row["SECTOR"], row["BYTES"], cells[0] if clock else "",
                     row.get("LAT(ms)", ""), response_unit=MS, ended=clock == "TIME(s)")  # fmt: skip

    return read


FTRACE = re.compile(r"(\d{1,10}\.\d{1,9}): {1,40}(?:(?:block:)?(block_\w{1,30}): {1,40}(\d{1,4},\d{1,8}) ([A-Z]{1,8}) "
                    r"(?:\d{1,12} )?(?:\([^()]{0,400}\) )?|(\d{1,4},\d{1,8}) {1,9}([QIDC]) {1,9}([A-Z]{1,8}) )"
                    r"(\d{1,18}) \+ (\d{1,9})\b")  # fmt: skip
"""An event of the block layer, or of the tracer called blk, which prints the letters of blktrace."""
ASKED = ("block_bio_queue", "Q", "block_rq_issue", "D", "block_rq_insert", "I", "block_rq_complete", "C")
"""Kinds of events that may be the requests, the best first: a request that waits for nothing is not inserted."""
OF_FTRACE = re.compile(r"\d: {1,40}(?:(?:block:)?block_\w+: |\d{1,4},\d{1,8} {1,9}[A-Z]{1,2} {1,9})").search


def ftrace(kind: str = "") -> Reading:
    """ftrace's and ``perf script``'s block events: those of *kind*, or the first kind in the file, are the requests."""
    asked = kind

    def read(line: str) -> Event | None:
        nonlocal asked
        match = FTRACE.search(line[:4096])
        if match is None and (line.startswith("#") or OF_FTRACE(line[:4096]) is not None):
            return None
        time, *event, sector, count = groups(match)
        kind, device, op = event[:3] if event[0] else (event[4], event[3], event[5])
        asked = asked or (kind if kind in ASKED else "")
        return Event(op, device, sector, count, time, sectors=SECTOR) if kind == asked else None

    return read


XPERF = ("TimeStamp", "Process Name ( PID)", "ThreadID", "IrpPtr", "ByteOffset", "IOSize", "ElapsedTime", "DiskNum")
"""Cells behind the kind of the row, where no header says them; later releases have the CPU among them."""


def xperf() -> Reading:
    """xperf's and ETW's rows ``DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ...``,
    or as the header says; they are written at completion.
    """
    names: Sequence[str] = XPERF

    def read(line: str) -> Event | None:
        nonlocal names
        kind, *cells = [cell.strip() for cell in line.split(",")]
        if kind in ("DiskRead", "DiskWrite") and cells[0] != "TimeStamp":
            row = dict(zip(names, cells, strict=False))
            return Event(kind[4:], row["DiskNum"], row["ByteOffset"], row["IOSize"], row["TimeStamp"],
                         row["ElapsedTime"], US, US, sector=1, ended=True)  # fmt: skip
        if kind == "DiskRead" and {*XPERF[4:]} <= {*cells}:
            names = cells
        event = len(kind) > 1 and kind[0].isupper() and kind.lower() not in MEANINGS
        if kind.startswith(("BeginHeader", "EndHeader", "OS Version:")) or "TimeStamp" in cells[:1] or (
                event and cells[0].isdecimal()):  # fmt: skip
            return None
        raise ValueError

    return read


def iosnoop() -> Reading:
    """DTrace's ``UID PID D BLOCK SIZE COMM PATHNAME``, or as the header says. Options put times before, in us, of which
    TIME is that of completion.
    """
    names = ["UID", "PID", "D", "BLOCK", "SIZE", "COMM"]

    def read(line: str) -> Event | None:
        nonlocal names
        cells = line.split()
        if {"UID", "PID", "D", "BLOCK", "SIZE"} <= {*cells}:
            names = [cell.removesuffix("(us)") for cell in cells[: cells.index("SIZE") + 2]]
            return None
        row = dict(zip(names, cells[: len(names)], strict=True))
        if not (row["UID"] + row["PID"]).isdecimal() or row["D"] not in ("R", "W"):
            raise ValueError
        time = row.get("STIME", row.get("TIME", ""))
        device = ",".join(row[name] for name in ("DEVICE", "MAJ", "MIN") if name in row)
        return Event(row["D"], device, row["BLOCK"], row["SIZE"], time, row.get("DELTA", ""), US, US,
                     ended="STIME" not in row)  # fmt: skip

    return read


def diskmon(line: str) -> Event | None:
    """``sequence time duration disk request sector length`` between tabs."""
    _, time, took, disc, what, sector, count = line.strip().split("\t")
    if what not in ("Read", "Write"):
        raise ValueError
    return Event(what, disc, sector, count, time, took, sectors=SECTOR)


def fiu(line: str) -> Event | None:
    """``nanoseconds pid process lba sectors op major minor md5``."""
    cells = line.split()
    sector, count, op, major, minor, digest = cells[-6:]
    if len(cells) < 9 or op not in ("R", "W") or len(digest) != 32:
        raise ValueError
    device = f"{_whole_number(major)},{_whole_number(minor)}"
    return Event(op, device, sector, count, cells[0], unit=NS, sectors=SECTOR)


def ibm_cos(line: str) -> Event | None:
    """``milliseconds REST.GET.OBJECT object bytes first last``; a delete has no bytes."""
    time, op, key, *more = line.split()
    if not re.fullmatch(r"REST\.[A-Z]{1,10}\.OBJECT", op) or len(key) > 4096:
        raise ValueError
    return Event(op, "", "0", more[0] if more else "0", time, unit=MS, keys=(key,))


FIO_LINE = re.compile(r"\s*(\d{1,15}),\s*(\d{1,15}),\s*(\d),\s*(\d{1,12}),\s*(\d{1,18})"
                      r"(?:,\s*([01]|0x[0-9a-f]{1,4})(?:,\s*(\d{1,18}))?)?\s*", re.ASCII).fullmatch  # fmt: skip


def fio_log(has_latencies: bool = True) -> Reading:
    """fio's latency log, ``end, latency, direction, size, offset[, priority[, issue]]``. A line without priority may
    have its latency in microseconds, so that it is not read; other logs have rates instead.
    """
    def read(line: str) -> Event | None:
        done, took, direction, size, offset, priority, issued = groups(FIO_LINE(line))
        if priority is None or not has_latencies:
            return Event(direction, "", offset, size, done, unit=MS, sector=1)
        begun = str(int(issued or 0) or max(0, int(done) * 10**6 - int(took)))  # logs of totals have no times of issue
        return Event(direction, "", offset, size, begun, took, NS, NS, sector=1)

    return read


SHAPES = "laomcb"


def tencent_photo(line: str) -> Event | None:
    """``YYYYMMDDHHMMSS photo format shape bytes hit terminal ms``: an object is a photo in one of its shapes."""
    time, photo, kind, shape, size, hit, terminal, took = line.split()
    if len(shape) != 1 or shape not in SHAPES or hit not in ("0", "1") or terminal not in ("PHONE", "PC"):
        raise ValueError
    seconds = str(timegm(strptime(time, "%Y%m%d%H%M%S")))
    return Event("", "", "0", size, seconds, took, response_unit=MS, keys=(f"{photo}.{kind}.{shape}",))


LMCACHE = re.compile(r"(?:\w{1,20}@)?[\w./:-]{1,200}@\d{1,6}@\d{1,6}@-?[0-9a-fA-F]{1,64}(?:@[\w.,%-]{0,80})?").fullmatch


def lmcache(line: str) -> Event | None:
    """A list of LMCache's keys, ``[format@]model@workers@worker@hash[@type]``, one a line."""
    if not line.isascii() or LMCACHE(line.strip()) is None:
        raise ValueError
    return Event("", "", "0", "", keys=(line.strip(),))


def tool_format(
    name: str, read: Callable[[], Reading], slack: float = 0.0, note: str = "",
    choose: Callable[[bytes, str], TextFormat] | None = None,
) -> TextFormat:  # fmt: skip
    """Return the format of a tool whose reading of a file is begun by *read*, and takes what earlier lines said."""
    return TextFormat(name, (), f"a request is a line of {name}", partial(EventLines, read), note=note, slack=slack,
                      choose=choose)  # fmt: skip


def line_format(name: str, read: Reading, slack: float = 0.0, note: str = "") -> TextFormat:
    """Return the format of a tool each of whose lines *read* takes by itself."""
    return tool_format(name, partial(_the_same, read), slack, note)


def _the_same(read: Reading) -> Reading:
    return read


def _of_best_events(head: bytes, name: str) -> TextFormat:
    """Return ftrace's format for the best kind of events that are in *head*."""
    kind = next((kind for kind in ASKED if re.search(rf": +(?:block:)?(?:\d+,\d+ +)?{kind}\b".encode(), head)), "")
    return replace(FTRACE_EVENTS, parser=partial(EventLines, partial(ftrace, kind)))


def _of_requests_or_rates(head: bytes, name: str) -> TextFormat:
    """Return the format of fio's logs, by a file's *name* that of its rates."""
    return FIO_RATES if re.search(r"_(bw|iops)(\.\d+)?\.log", name) else FIO_LOG


RATES = "by its name it is a log of fio's rates, which it has in place of latencies: they are passed over"
FTRACE_EVENTS = tool_format("ftrace", ftrace, choose=_of_best_events)
FIO_LOG = tool_format("fio-log", fio_log, choose=_of_requests_or_rates)
FIO_RATES = replace(FIO_LOG, parser=partial(EventLines, partial(fio_log, False)), note=RATES)
EVENTS = (tool_format("biosnoop", biosnoop), FTRACE_EVENTS, tool_format("xperf", xperf),
          tool_format("iosnoop", iosnoop), line_format("diskmon", diskmon), line_format("fiu", fiu),
          line_format("ibm-cos", ibm_cos), FIO_LOG, line_format("tencent-photo", tencent_photo),
          line_format("lmcache", lmcache))  # fmt: skip
