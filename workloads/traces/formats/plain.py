"""CSV whose header names its columns: where, how much, read or write; and where known when, which device, how long.

A list of requests that were timed on a drive is such a trace: it knows the gap before each, and its service time.
"""

import re
from dataclasses import replace

from sim.error import UserError
from sim.request import READ, WRITE
from sim.units import MS
from workloads.traces.faults import Wrong
from workloads.traces.record import Record
from workloads.traces.shape import ANYTHING, COMMA, Field, Header, Shape, choice, number, whole, word
from workloads.traces.text import TextFormat

SECTOR = 512
OPS = {"R": READ, "W": WRITE}


def _or_empty(field: Field) -> Field:
    return replace(field, pattern=f"(?:{field.pattern})?", rule=f"{field.rule}, or empty")


COLUMNS = (
    _or_empty(number("time_s", "time")), _or_empty(number("arrival_s", "time")),
    word("device", "device"), word("disc", "device"), choice("op", OPS),
    whole("lba_512", "first"), whole("lba512", "first"), whole("lba256", "first"), whole("lba", "first"),
    whole("sectors", "length"), whole("sectors512", "length"), whole("sectors256", "length"),
    number("response_s", "response"), number("measured_ms", "response"),
    number("gap_before_ms", "gap"), number("service_ms", "service"), number("queue_ms", "queue"),
    whole("seq", "number"),
)  # fmt: skip
NEEDED = ("op", "first", "length")
NAMES = {part: [each.name for each in COLUMNS if part in (each.part, each.name)] for part in (
    "time", "device", "op", "first", "length", "response", "gap", "service", "queue", "number")}
"""What may head a column, by what of a Record it becomes; of two such columns it is the earlier."""
MISSING = -1
"""Where an empty cell is put, behind the others."""


class PlainLines:
    """The columns may stand in any order, and others among them; ``lba`` and ``sectors`` count *sector* bytes."""

    shape = Shape([each for each in COLUMNS if each.name in ("op", "lba_512", "sectors")], COMMA)

    def __init__(self, sector: int = SECTOR) -> None:
        self._places: tuple[int, ...] | None = None
        self._sector = sector
        self._response = 1.0
        self._timed = False

    def parse(self, line: str) -> Record | None:
        if self._places is None:
            if not line.startswith("#"):
                self._head(line)
            return None
        match = self.shape.match(line)
        if match is None:
            raise self.shape.wrong(line)
        cells = (*match.groups(), "")
        time, device, op, first, length, response = self._places[:6]
        record = Record(
            float(cells[time]) if cells[time] else None, cells[device],
            OPS[cells[op]], int(cells[first]) * self._sector, int(cells[length]) * self._sector,
            float(cells[response]) * self._response if cells[response] else None,
        )  # fmt: skip
        return self._measured(record, cells) if self._timed else record

    def _measured(self, record: Record, cells: tuple[str, ...]) -> Record:
        """With what a list of requests knows of it: a response is its service and its wait in the queue."""
        gap, service, queue, seq = [cells[place] for place in (self._places or ())[6:]]
        seconds = float(service) * MS if service else None
        response = record.response if seconds is None or not queue else seconds + float(queue) * MS
        return record._replace(
            response=response, gap=float(gap) * MS if gap else None, service=seconds if queue else None,
            number=int(seq) if seq else None,
        )  # fmt: skip

    def _head(self, line: str) -> None:
        header = Header(line.split(","))
        try:
            self._places = tuple(
                header.index(*names) if part in NEEDED or any(name in header for name in names) else MISSING
                for part, names in NAMES.items())
        except UserError as error:
            raise Wrong(str(error)) from None
        first, length, response = (self._places[n] for n in (3, 4, 5))
        self._response = MS if response != MISSING and header.names[response].endswith("ms") else 1.0
        self._timed = any(place != MISSING for place in self._places[6:])
        units = {re.sub(r"\D", "", header.names[place]) for place in (first, length)} - {""}
        if len(units) > 1:
            raise Wrong(f"{header.names[first]} and {header.names[length]} count in different sectors")
        self._sector = int(units.pop()) if units else self._sector
        known = {field.name: field for field in COLUMNS}
        self.shape = Shape([known.get(name, Field(name, ANYTHING, "anything")) for name in header.names], COMMA)


def plain(sector: int) -> TextFormat:
    """The format of a file that counts in sectors of so many bytes, unless it says of how many itself."""
    return TextFormat("csv", (".csv",), "a request is a line below the header", lambda: PlainLines(sector))


PLAIN = plain(SECTOR)
