"""A row for each request of a replayed trace, in the order in which they were done."""

from collections.abc import Callable
from functools import lru_cache
from typing import BinaryIO

from sim.output.cells import csv_cell
from sim.request import READ, Request
from sim.units import MS
from workloads.traces.record import Record

HEAD = "request,device,op,asked_s,response_ms"


def rows_into(file: BinaryIO) -> Callable[[Record, float, Request], None]:
    """Numbers requests in the order in which they are done, and says when each was asked."""
    number = 0
    file.write(f"{HEAD}\n".encode())
    cell = lru_cache(csv_cell)

    def write(record: Record, response: float, request: Request) -> None:
        nonlocal number
        op = "R" if record.op is READ else "W"
        line = f"{number},{cell(record.device)},{op},{request.submitted:.9f},{response / MS:.6f}\n"
        file.write(line.encode())
        number += 1

    return write
