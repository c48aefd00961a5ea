"""CSV with columns named by its header or by the caller: the request, and if known its time and response time.

A request is of bytes of a device, ``offset,size``, or its sectors, ``lba_512,sectors``, or an object, ``key``. A list
of requests that were timed on a drive is such a trace, with the gap before each and its service time.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from spindle.sim.error import UserError, shown, unknown
from spindle.sim.units import MS, US
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import (
    COMMA,
    Field,
    Shape,
    choice,
    clock,
    key,
    number,
    separated_by,
    time_to_live,
    unread,
    whole,
    word,
)
from spindle.workloads.traces.text import TextFormat

SECTOR = 512
OPS = ("R", "W", "r", "w", "read", "write", "Read", "Write", "READ", "WRITE", "U", "-", "")
"""Of bytes on a device; the last three name no operation, and are reads."""
NS = 1e-9


def _or_empty(field: Field) -> Field:
    return replace(field, pattern=f"(?:{field.pattern})?", rule=f"{field.rule}, or empty")


OP = replace(choice("op", OPS, "op"), rule="R or W")
COLUMNS = (
    _or_empty(number("time_s", "time")), _or_empty(number("arrival_s", "time")),
    clock("timestamp"), clock("time"), clock("time_ms", MS), clock("time_us", US), clock("time_ns", NS),
    clock("timestamp_ms", MS), clock("timestamp_us", US), clock("timestamp_ns", NS),
    _or_empty(word("device", "device")), word("disc", "device"), word("volume", "device"), word("tenant", "device"),
    OP, *(whole(name, "first", 0) for name in ("lba_512", "lba512", "lba256", "lba")), whole("offset", "first"),
    *(whole(name, "length", 0) for name in ("sectors", "sectors512", "sectors256")),
    whole("size", "length"), whole("length", "length"),
    key("key"), whole("count", "count"), time_to_live("ttl"),
    number("response_s", "response"), number("measured_ms", "response", MS),
    number("gap_before_ms", "gap", MS), number("service_ms", "service", MS), number("queue_ms", "queue", MS),
    whole("seq", "number"),
)  # fmt: skip
"""The columns by name; a unit of 0 is a sector, with its bytes in the column's name or given by the caller."""
KNOWN = {each.name: each for each in COLUMNS}
PASSED = ("async", "qlen", "gap_disksim_ms", "trace_tag")
"""Columns that are allowed and not read."""
HELP = "time_s (or time, time_ms, time_us, time_ns), op, offset and size in bytes (or lba_512 and sectors), or key; " \
       "device, count, ttl, response_s, measured_ms, gap_before_ms, service_ms, queue_ms, seq"  # fmt: skip
MARKS = ",\t;|"
NEEDED = ("op", "lba_512", "sectors")


class PlainLines:
    """The columns may stand in any order; ``lba`` and ``sectors`` count *sector* bytes.

    *columns* are the names of some, and where each stands: its number, from 1 on, or what the header calls it. Then
    others may be there, and with numbers the header may lack. Without them, others may be there if
    *harmless*, as in a list that a drive is held to, where ``op`` must be.
    """

    def __init__(
        self, sector: int = SECTOR, columns: Mapping[str, str] | None = None, mark: str = "", harmless: bool = False
    ) -> None:
        self._sector = sector
        self._columns = columns or {}
        self._mark = mark
        self._harmless = harmless
        self._rows: Rows | None = None
        self.shape = Shape([KNOWN[name] for name in NEEDED], COMMA)

    @property
    def columns(self) -> Rows | None:
        return self._rows

    def parse(self, line: str) -> Record | None:
        if self._rows is not None:
            return self._rows.parse(line)
        return None if line.startswith("#") else self._begin(line)

    def _begin(self, line: str) -> Record | None:
        """The first line, which is the header, or perhaps a record where the columns are given by number."""
        mark = self._mark or max(MARKS, key=line.count)
        mark = mark if self._mark or mark in line or len(line.split()) < 2 else " "
        names = [name.strip() for name in line.split(None if mark == " " else mark)]
        numbers = bool(self._columns) and all(place.isdecimal() for place in self._columns.values())
        try:
            headed = self._numbered() if numbers else self._named(names) if self._columns else self._own(names)
            rows = Rows(self._fields(headed, mark), separated_by(mark), longer=numbers)
        except UserError as error:
            raise Wrong(str(error)) from None
        self._rows, self.shape = rows, rows.shape
        return rows.parse(line) if numbers and rows.shape.match(line) else None

    def _numbered(self) -> list[str]:
        """What each column is called, up to the last that is wanted."""
        places = {int(place): name for name, place in self._columns.items()}
        return [places.get(number, "") for number in range(1, max(places) + 1)]

    def _named(self, names: list[str]) -> list[str]:
        wanted = {}
        for column, name in self._columns.items():
            if name not in names:
                raise unknown("column", name, names)
            wanted[names.index(name)] = column
        return [wanted.get(place, "") for place in range(len(names))]

    def _own(self, names: list[str]) -> list[str]:
        if self._harmless and "op" not in names:
            raise UserError("there is no column op")
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"column {name} stands there twice")
            if name not in KNOWN and name not in PASSED and not self._harmless:
                near = get_close_matches(name.lower(), KNOWN, 1, 0.5)
                meant = f" (is {near[0]} meant?)" if near else ""
                raise UserError(f"column {shown(name)} is not known{meant}; --columns says which to read of {HELP}")
        return [name if name in KNOWN else "" for name in names]

    def _fields(self, names: list[str], mark: str) -> list[Field]:
        """The fields of a line, in which sectors have their size, and objects words of their own for what is done."""
        fields = [KNOWN[name] for name in names if name]
        parts = {each.part for each in fields}
        if "key" not in parts:
            for part, usual in (("first", "offset or lba_512"), ("length", "size or sectors")):
                if part not in parts:
                    raise UserError(f"there is no column {usual}, nor key")
        sector = self._bytes([name for name in names if name and KNOWN[name].unit == 0])
        anything = unread(mark)
        made = {"key": key("key", mark), "op": Field("op", anything.pattern, "a word", "op")} if "key" in parts else {}
        return [made.get(name) or (replace(KNOWN[name], unit=KNOWN[name].unit or sector) if name else anything)
                for name in names]

    def _bytes(self, names: list[str]) -> int:
        """What a sector has by *names* of columns that count them."""
        sizes = {re.sub(r"\D", "", name) for name in names} - {""}
        if len(sizes) > 1:
            raise UserError(f"{' and '.join(names)} count in different sectors")
        return int(sizes.pop()) if sizes else self._sector


def is_headed(head: bytes) -> bool:
    """Whether a file that begins with *head* has names of columns in its first line, perhaps others than COLUMNS."""
    return re.match(rf"\ufeff?\s*[A-Za-z_]\w*\s*[{MARKS}]\s*[A-Za-z_]\w*", head.decode("utf-8", "replace")) is not None


def plain(sector: int) -> TextFormat:
    """The format of a list of requests that counts in sectors of so many bytes, unless its header gives their size."""
    return replace(PLAIN, parser=lambda: PlainLines(sector, harmless=True))


def with_columns(columns: Mapping[str, str], mark: str = "") -> TextFormat:
    """The format of a file with these *columns*, by the names of COLUMNS."""
    for name, place in columns.items():
        if name not in KNOWN:
            raise unknown("column", name, KNOWN)
        if place == "0":
            raise UserError(f"column {name} is the first at least, which is 1, and not 0")
    if len({place.isdecimal() for place in columns.values()}) > 1:
        raise UserError("columns are known by their numbers or by their names in the header, all of them alike")
    return TextFormat("columns", (), "a request is a line", lambda: PlainLines(columns=columns, mark=mark))


PLAIN = TextFormat("csv", (".csv",), "a request is a line below the header", PlainLines)
