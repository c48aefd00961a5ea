"""Times of a replay as text: rows of requests as CSV, by phase for ``spindle drive`` and by device for ``replay``; and
tables for 80 columns, beside measured times or DiskSim's.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import fsum, isfinite
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from spindle.output.text import csv_cell
from spindle.sim.disc.drive import Drive
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request
from spindle.sim.units import MS
from spindle.studies.confidence import distance
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Header, Shape, integer, number, unread
from spindle.workloads.traces.text import TextFormat

# DiskSim's response times of the same requests, in a file in the same folder, one row for each.

FILE = "disksim_predicted.csv"
DISKSIM_COLUMNS = {"seq": integer("seq"), "disksim_ms": number("disksim_ms", "response")}


class AnswerLines:
    """Reads lines with columns ``seq`` and ``disksim_ms``, and perhaps others. An answer is a record of one byte."""

    columns = None
    notes = ()
    began: float | None = None
    shape = Shape(list(DISKSIM_COLUMNS.values()), COMMA)

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
            self._places = [header.index(name) for name in DISKSIM_COLUMNS]
        except UserError as error:
            raise Wrong(str(error)) from None
        fields = [DISKSIM_COLUMNS.get(name, replace(unread(), name=name)) for name in header.names]
        self.shape = Shape(fields, COMMA)


ANSWERS = TextFormat("answers", (".csv",), "an answer is a line below the header", AnswerLines)


class DiskSimAnswers:
    """DiskSim's answers, in the file at *path*, to numbered requests in their order; each is kept until it is taken."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers = iter(Trace(path, ANSWERS))
        self._seconds: dict[int, float] = {}

    def with_answers(self, records: Iterator[Record]) -> Iterator[Record]:
        """Yield *records*; the answer to each is available once it is read."""
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

    def take_seconds(self, record: Record) -> float:
        """Return the response in seconds, once for each record."""
        return self._seconds.pop(record.number or 0)


# A row for each request of a replay, as CSV, written at its completion; the file is whole or not there.

HEAD = "seq,predicted_ms,queue_ms,overhead_ms,seek_ms,rotation_ms,transfer_ms,channel_ms,buffer"

OUTCOMES = {"buffer_hits": "hit", "buffer_late_hits": "late hit", "buffer_misses": "miss"}
"""Words for the outcomes that a mechanism with a buffer counts."""

Outcome = Callable[[Record], str]


class RequestRows:
    """Writes a row of *file* for each request, in the order of completion; *outcome* is its result in the buffer."""

    def __init__(self, file: BinaryIO, outcome: Outcome) -> None:
        self._file = file
        self._outcome = outcome
        file.write(f"{HEAD}\n".encode())

    def __call__(self, record: Record, response: float, request: Request) -> None:
        service = request._value
        # Adding 0.0 turns a rounded -0.0 into 0.0.
        numbers = ",".join([f"{round(seconds / MS, 6) + 0.0:.6f}" for seconds in (fsum(service), *service)])
        self._file.write(f"{record.number},{numbers},{self._outcome(record)}\n".encode())


class BufferOutcomes:
    """Outcomes of reads, from changes of the buffer's counters: for requests that are done one by one."""

    def __init__(self, drives: Mapping[str, Drive]) -> None:
        self._drives = drives
        self._before: dict[str, dict[str, float]] = {}

    def __call__(self, record: Record) -> str:
        if record.op is not READ:
            return ""
        now = self._drives[record.device].mechanism.reading()
        before = self._before.get(record.device, {})
        self._before[record.device] = now
        return " ".join(word for name, word in OUTCOMES.items() if now.get(name, 0.0) > before.get(name, 0.0))


TRACE_HEAD = "request,device,op,asked_s,response_ms"


def rows_into(file: BinaryIO) -> Callable[[Record, float, Request], None]:
    """Return a function that writes a row for each request into *file*, numbered in the order of completion."""
    number = 0
    file.write(f"{TRACE_HEAD}\n".encode())
    cell = lru_cache(csv_cell)

    def write(record: Record, response: float, request: Request) -> None:
        nonlocal number
        op = "R" if record.op is READ else "W"
        line = f"{number},{cell(record.device)},{op},{request.submitted:.9f},{response / MS:.6f}\n"
        file.write(line.encode())
        number += 1

    return write


MEASURED, PREDICTED, DISKSIM = "measured", "predicted", "DiskSim"
RESPONSE, SERVICE = "response", "service"
Times = npt.NDArray[np.float64]


class QuantitySeries(NamedTuple):
    """A *quantity*, response or service, from a *source*."""

    quantity: str
    source: str


class ReplayTally:
    """Collects one number of each of the *series* for each request, reads and writes apart."""

    def __init__(self, series: Sequence[QuantitySeries]) -> None:
        self.series = tuple(series)
        self._reads, self._writes = ([array("d") for _ in series] for _ in Op)

    def add(self, op: Op, seconds: Sequence[float]) -> None:
        """Add a completed request; *seconds* are in the order of the series."""
        for times, value in zip(self._reads if op is READ else self._writes, seconds, strict=True):
            times.append(value)

    def seconds_of(self, quantity: str, source: str, op: Op | None = None) -> Times:
        """Return the seconds of the reads or the writes, or of the reads and then the writes."""
        place = self.series.index(QuantitySeries(quantity, source))
        groups = [self._reads, self._writes] if op is None else [self._reads if op is READ else self._writes]
        return np.concatenate([np.asarray(times[place], float) for times in groups])

    def count(self, op: Op | None = None) -> int:
        reads, writes = len(self._reads[0]), len(self._writes[0])
        return reads + writes if op is None else reads if op is READ else writes


GROUPS: Mapping[str, Op | None] = {"all": None, "reads": READ, "writes": WRITE}
Summary = dict[str, dict[str, dict[str, Any]]]
"""Numbers by quantity, group of requests, and source."""


def summary(tally: ReplayTally) -> Summary:
    """Return all numbers of the page, without reads or writes if they are all requests or none."""
    groups = {name: op for name, op in GROUPS.items() if op is None or 0 < tally.count(op) < tally.count()}
    quantities = dict.fromkeys(each.quantity for each in tally.series)
    return {
        quantity: {name: {"requests": tally.count(op), **_sources(tally, quantity, op)} for name, op in groups.items()}
        for quantity in quantities
    }


def _sources(tally: ReplayTally, quantity: str, op: Op | None) -> dict[str, dict[str, float]]:
    """Return the numbers of each source; of models, with their distance from measured times."""
    times = {each.source: tally.seconds_of(quantity, each.source, op)
             for each in tally.series if each.quantity == quantity}  # fmt: skip
    sources = {}
    for source in (MEASURED, PREDICTED, DISKSIM):
        if source in times:
            sources[source] = _spread(times[source])
            if source != MEASURED and MEASURED in times:
                sources[source] |= _distance(times[MEASURED], times[source])
    return sources


def _spread(times: Times) -> dict[str, float]:
    median, p95, most = np.quantile(times, [0.5, 0.95, 1.0], method="inverted_cdf") / MS
    return {"mean_ms": times.mean() / MS, "median_ms": median, "p95_ms": p95, "max_ms": most}


def _distance(measured: Times, modelled: Times) -> dict[str, float]:
    apart = distance(measured, modelled)
    return {"demerit_ms": apart.demerit / MS, "demerit_percent": 100.0 * apart.share,
            "median_difference_ms": apart.apart / MS}


LEGEND = """\
demerit: rms horizontal distance between the two distributions, and in percent
of the measured mean; apart: the median difference, request by request"""

COLUMNS = {"mean_ms": ("mean", 8, 3), "median_ms": ("median", 8, 3), "p95_ms": ("p95", 8, 3),
           "p99_ms": ("p99", 7, 3), "p99.9_ms": ("p99.9", 7, 3), "p99.99_ms": ("p99.99", 7, 3), "max_ms": ("max", 9, 3),
           "demerit_ms": ("demerit", 8, 3), "demerit_percent": ("%", 6, 2), "median_difference_ms": ("apart", 7, 3)}
"""Columns for each source: head, width, and decimals if they fit."""
NAMES = 26
"""Characters of a line for the group of requests and the source."""


def page(summary: Summary) -> list[str]:
    """Tables for a screen of 80 columns."""
    lines = []
    compared = any(MEASURED in group for groups in summary.values() for group in groups.values())
    given = {key for groups in summary.values() for group in groups.values() for source, numbers in group.items()
             if source != "requests" for key in numbers}  # fmt: skip
    columns = [form for key, form in COLUMNS.items() if key in given]
    for quantity, groups in summary.items():
        heads = "".join(f"{head:>{width}}" for head, width, _ in columns)
        lines += ["", f"{f'{quantity} time, ms':<{NAMES}}{heads}"]
        for name, group in groups.items():
            lines += _group(name, group)
    return [*lines, "", LEGEND] if compared else lines


def rows(what: str, groups: Iterable[tuple[str, int, Mapping[str, float]]]) -> list[str]:
    """A table of the numbers of each group: its name, its requests, its numbers by COLUMNS."""
    names = (name for _, _, numbers in groups for name in numbers) if (groups := list(groups)) else iter(())
    columns = {name: COLUMNS[name] for name in dict.fromkeys(names)}
    lines = ["", f"{what:<{NAMES}}" + "".join(f"{head:>{width}}" for head, width, _ in columns.values())]
    for name, requests, numbers in groups:
        cells = "".join(_cell(numbers[key], width, digits) for key, (_, width, digits) in columns.items())
        lines.append(f"{name[: NAMES - 10]:<{NAMES - 10}}{requests:>10,}{cells}")
    return lines


def _group(name: str, group: Mapping[str, Any]) -> list[str]:
    lines = []
    begin = f"{name:<7}{group['requests']:>9,}"
    for source, numbers in group.items():
        if source != "requests":
            cells = "".join(_cell(numbers[key], *form) for key, (_, *form) in COLUMNS.items() if key in numbers)
            lines.append(f"{begin:<16} {source:<{NAMES - 17}}{cells}")
            begin = ""
    return lines


def _cell(value: float, width: int, digits: int) -> str:
    """Format *value* after a space, with *digits* decimals, or fewer if it is too long for its column."""
    if not isfinite(value):
        return f"{'-':>{width}}"
    while digits and len(f"{value:.{digits}f}") >= width:
        digits -= 1
    return f" {value:{width - 1}.{digits}f}"
