"""Another simulator's response times of the same requests, in a file beside theirs: DiskSim's, one row for each."""

from collections.abc import Iterator
from pathlib import Path

from sim.error import UserError
from sim.request import READ
from sim.units import MS
from workloads.traces.faults import Wrong
from workloads.traces.reader import Trace
from workloads.traces.record import Record
from workloads.traces.shape import ANYTHING, COMMA, Field, Header, Shape, number, whole
from workloads.traces.text import TextFormat

FILE = "disksim_predicted.csv"
COLUMNS = {"seq": whole("seq"), "disksim_ms": number("disksim_ms", "response")}


class AnswerLines:
    """Columns ``seq`` and ``disksim_ms``, and others among them. An answer is a record of one byte."""

    shape = Shape(list(COLUMNS.values()), COMMA)

    def __init__(self) -> None:
        self._places: list[int] = []

    def parse(self, line: str) -> Record | None:
        if not self._places:
            if not line.startswith("#"):
                self._head(line)
            return None
        match = self.shape.match(line)
        if match is None:
            raise self.shape.wrong(line)
        seq, ms = (match[place + 1] for place in self._places)
        return Record(None, "", READ, 0, 1, float(ms) * MS, number=int(seq))

    def _head(self, line: str) -> None:
        header = Header(line.split(","))
        try:
            self._places = [header.index(name) for name in COLUMNS]
        except UserError as error:
            raise Wrong(str(error)) from None
        self.shape = Shape([COLUMNS.get(name, Field(name, ANYTHING, "anything")) for name in header.names], COMMA)


ANSWERS = TextFormat("answers", (".csv",), "an answer is a line below the header", AnswerLines)


class Foretold:
    """The answers in the file at *path* to requests with numbers, in their order, until each of these is done."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers = iter(Trace(path, ANSWERS))
        self._seconds: dict[int, float] = {}

    def beside(self, records: Iterator[Record]) -> Iterator[Record]:
        """*records*, with the answer to each available once it is read."""
        for place, record in enumerate(records):
            number = record.number or 0
            answer = next(self._answers, None)
            if answer is None:
                raise UserError(f"{self._path}: it ends after {place} answers, and there is none for request {number}")
            if answer.number != number:
                raise UserError(f"{self._path}: answer {place + 1} is to request {answer.number}, and must be to "
                                f"{number}, which stands in this place")
            self._seconds[number] = answer.response or 0.0
            yield record

    def of(self, record: Record) -> float:
        """Seconds of response; once for each record."""
        return self._seconds.pop(record.number or 0)
