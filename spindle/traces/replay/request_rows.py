"""Writes a row of CSV for each request of a replay when it is completed; the file is complete or absent."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import fsum
from typing import BinaryIO

from spindle.output.text import csv_cell
from spindle.sim.disc.drive import Drive
from spindle.sim.request import READ, Request
from spindle.sim.units import MS
from spindle.workloads.traces.record import Record

DRIVE_HEAD = "seq,predicted_ms,queue_ms,overhead_ms,seek_ms,rotation_ms,transfer_ms,channel_ms,buffer"
"""The header of requests to drives."""
BUFFER_OUTCOMES = {"buffer_hits": "hit", "buffer_late_hits": "late hit", "buffer_misses": "miss"}
"""Words for the outcomes that a drive with a buffer counts, by the name of the counter."""

Outcome = Callable[[Record], str]
"""Returns the outcome of a request in the drive's buffer."""


class RequestRows:
    """Writes a row of *file* for each request, in the order of completion; *outcome* is its result in the buffer."""

    def __init__(self, file: BinaryIO, outcome: Outcome) -> None:
        self._file = file
        self._outcome = outcome
        file.write(f"{DRIVE_HEAD}\n".encode())

    def __call__(self, record: Record, response: float, request: Request) -> None:
        service = request._value
        # Adding 0.0 turns a rounded -0.0 into 0.0.
        numbers = ",".join([f"{round(seconds / MS, 6) + 0.0:.6f}" for seconds in (fsum(service), *service)])
        self._file.write(f"{record.number},{numbers},{self._outcome(record)}\n".encode())


class BufferOutcomes:
    """Finds the outcome of a read from changes of the buffer's counters; requests must be done one by one."""

    def __init__(self, drives: Mapping[str, Drive]) -> None:
        self._drives = drives
        self._before: dict[str, dict[str, float]] = {}

    def __call__(self, record: Record) -> str:
        if record.op is not READ:
            return ""
        now = self._drives[record.device].mechanism.reading()
        before = self._before.get(record.device, {})
        self._before[record.device] = now
        return " ".join(word for name, word in BUFFER_OUTCOMES.items() if now.get(name, 0.0) > before.get(name, 0.0))


TRACE_HEAD = "request,device,op,asked_s,response_ms"
"""The header of requests of a trace: first the number of each in the trace, from 1 on."""


def number_records(records: Iterable[Record]) -> Iterator[Record]:
    """Yield *records* with their numbers in the order of the trace, from 1 on, whatever numbers its file has."""
    return (record._replace(number=number) for number, record in enumerate(records, 1))


def rows_into(file: BinaryIO) -> Callable[[Record, float, Request], None]:
    """Return a function that writes a row for each request into *file*, as they are done, with the request's number."""
    file.write(f"{TRACE_HEAD}\n".encode())
    cell = lru_cache(csv_cell)

    def write(record: Record, response: float, request: Request) -> None:
        op = "R" if record.op is READ else "W"
        line = f"{record.number},{cell(record.device)},{op},{request.submitted:.9f},{response / MS:.6f}\n"
        file.write(line.encode())

    return write
