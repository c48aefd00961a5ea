"""Plain CSV with a header: ``lba_512,sectors,op`` and, where known, ``time_s``, ``device`` and ``response_s``."""

from sim.error import UserError
from sim.request import READ, WRITE
from workloads.request_list.columns import Header
from workloads.traces.faults import Wrong
from workloads.traces.record import Record
from workloads.traces.shape import ANYTHING, COMMA, Field, Shape, choice, number, whole, word
from workloads.traces.text import TextFormat

SECTOR = 512
OPS = {"R": READ, "W": WRITE}
TIMES = number("time_s", "time")
COLUMNS = (
    Field(TIMES.name, f"(?:{TIMES.pattern})?", f"{TIMES.rule}, or empty", TIMES.part), word("device", "device"),
    choice("op", OPS), whole("lba_512", "first"), whole("sectors", "length"), number("response_s", "response"),
)  # fmt: skip
NEEDED = ("op", "lba_512", "sectors")
MISSING = -1
"""Where an empty cell is put, behind the others."""
_HEADLESS = Shape(COLUMNS, COMMA)


class PlainLines:
    """The columns may stand in any order, and others among them."""

    shape = _HEADLESS

    def __init__(self) -> None:
        self._places: tuple[int, ...] | None = None

    def parse(self, line: str) -> Record | None:
        if self._places is None:
            self._head(line)
            return None
        found = self.shape.match(line)
        if found is None:
            raise self.shape.wrong(line)
        cells = (*found.groups(), "")
        time, device, op, sector, sectors, response = self._places
        return Record(
            float(cells[time]) if cells[time] else None, cells[device],
            OPS[cells[op]], int(cells[sector]) * SECTOR, int(cells[sectors]) * SECTOR,
            float(cells[response]) if cells[response] else None,
        )  # fmt: skip

    def _head(self, line: str) -> None:
        header = Header(line.split(","))
        known = {field.name: field for field in COLUMNS}
        try:
            self._places = tuple(
                header.index(name) if name in NEEDED or name in header else MISSING for name in known)
        except UserError as error:
            raise Wrong(str(error)) from None
        self.shape = Shape([known.get(name, Field(name, ANYTHING, "anything")) for name in header.names], COMMA)


PLAIN = TextFormat("csv", (".csv",), "a request is a line below the header", PlainLines)
