"""A row for each request of a replayed trace, in the order in which they were done."""

from collections.abc import Callable
from typing import TextIO

from sim.request import READ, Request
from sim.units import MS
from workloads.traces.record import Record

HEAD = "request,device,op,asked_s,response_ms"


def rows_into(file: TextIO) -> Callable[[Record, float, Request], None]:
    """Numbers requests in the order in which they are done, and says when each was asked."""
    number = 0

    def write(record: Record, response: float, request: Request) -> None:
        nonlocal number
        op = "R" if record.op is READ else "W"
        file.write(f"{number},{record.device},{op},{request.submitted:.9f},{response / MS:.6f}\n")
        number += 1

    return write
