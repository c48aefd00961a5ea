"""fio's latency logs as timed requests: what a user can have of a disc of one's own.

Source: "Log File Formats" in fio's HOWTO: time in ms, latency in ns, direction, block size and offset in bytes. The job
must have iodepth=1, direct=1 and log_offset=1; write_lat_log then names the file.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from models.drives.timed import MOST, TimedRequests
from sim.error import UserError
from sim.request import READ, WRITE, Op, Span
from sim.units import MS

SUFFIX = ".log"
NS = 1e-9
TICK = 1 * MS
"""The log's clock is so coarse: gaps are known to it, and angles to a tenth of a revolution."""
OVERLAP = 0.02
"""The share of requests that may seem to begin before the one before ended."""
_LINE = re.compile(r"\s*(\d{1,15}),\s*(\d{1,15}),\s*(\d),\s*(\d{1,12})(?:,\s*(\d{1,18}))?(?:,.*)?", re.ASCII).fullmatch


class LoggedRequest(NamedTuple):
    """When it was done, how long it took, and what it was; seconds and bytes."""

    done: float
    took: float
    op: Op
    span: Span


def fio_log(path: Path, sector_bytes: int, capacity: int) -> TimedRequests:
    """The log at *path* as requests of a closed loop; UserError if requests overlap, or leave the disc."""
    logged = list(_logged(path, sector_bytes, capacity))
    if not logged:
        raise UserError(f"{path}: there is no request in it")
    now, early, gaps = logged[0].done - logged[0].took, 0, []
    for each in logged:
        gap = each.done - each.took - now
        early += gap < -2.0 * TICK
        gaps.append(max(0.0, gap))
        now += gaps[-1] + each.took
    if early > OVERLAP * len(logged):
        raise UserError(f"{path}: {early} of {len(logged)} requests begin before the one before is done; a fit needs "
                        "iodepth=1 and one job")
    return TimedRequests([each.op for each in logged], [each.span for each in logged], np.array(gaps),
                         np.array([each.took for each in logged]))


def _logged(path: Path, sector_bytes: int, capacity: int) -> Iterator[LoggedRequest]:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if number > MOST:
                    raise UserError(f"{path}: it has more than {MOST:,} requests")
                yield _request(f"{path}:{number}", line.rstrip("\n"), sector_bytes, capacity)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error


def _request(where: str, line: str, sector_bytes: int, capacity: int) -> LoggedRequest:
    match = _LINE(line)
    if match is None:
        raise UserError(f"{where}: must be a line of fio's latency log: time, latency, direction, size, offset")
    done, took, direction, size, offset = (None if each is None else int(each) for each in match.groups())
    assert done is not None
    assert took is not None
    if offset is None or not size:
        raise UserError(f"{where}: no offset or no size; the job needs log_offset=1, and no log_avg_msec")
    if direction not in (0, 1):
        raise UserError(f"{where}: direction {direction} is neither 0, a read, nor 1, a write")
    if offset % sector_bytes or size % sector_bytes or offset + size > capacity:
        raise UserError(f"{where}: {size} bytes at {offset} are not whole sectors of a disc of {capacity} bytes")
    return LoggedRequest(done * TICK, took * NS, WRITE if direction else READ, Span(offset, size))
