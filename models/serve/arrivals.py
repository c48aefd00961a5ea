"""The requests that a server's drives got, in the order of their arrival: counted, and as a trace in plain CSV."""

from collections import deque
from functools import partial
from typing import BinaryIO

import simpy

from sim.request import READ, Request
from workloads.traces.record import Record
from workloads.traces.replay.tally import TraceTally

HEAD = b"time_s,device,op,offset,size,response_s\n"


class _Row:
    """A line of the log; its response is known when the request is done."""

    __slots__ = ("record", "response")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.response: float | None = None

    def line(self) -> bytes:
        """With all digits, so that a replay does the same at the same times."""
        time, device, op, first, length = self.record[:5]
        return f"{time!r},{device},{'R' if op is READ else 'W'},{first},{length},{self.response!r}\n".encode()


class Arrivals:
    """*file* gets the lines, if there is one: each when it and all before it are done."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self.tally = TraceTally()
        self.under_way = 0
        self.end = 0.0
        """When the last request was done."""
        self.beside = 0
        """Flushes, and spans forgotten: a trace has no word for them."""
        self._file = file
        self._rows: deque[_Row] = deque()
        if file is not None:
            file.write(HEAD)

    def enter(self, device: str, request: Request) -> None:
        """*request* has just been submitted to *device*."""
        access = request.access
        row = _Row(Record(request.submitted, device, access.op, *access.span))
        self.under_way += 1
        if self._file is not None:
            self._rows.append(row)
        request.callbacks.append(partial(self._done, row))

    def _done(self, row: _Row, request: simpy.Event) -> None:
        assert isinstance(request, Request)
        self.under_way -= 1
        self.end = request.env.now
        row.response = request.env.now - request.submitted
        self.tally.add(row.record, request)
        while self._file is not None and self._rows and self._rows[0].response is not None:
            self._file.write(self._rows.popleft().line())
