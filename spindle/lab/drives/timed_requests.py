"""Reads requests timed one by one on a drive, from a list or fio's latency log; and has models answer them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spindle.output.text import plural
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.mechanism import ArmPosition, DiscType, Mechanism
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Span
from spindle.sim.units import MS, NS, US
from spindle.studies.demerit import Distance, distance
from spindle.traces.replay.drives import ANSWERS_FORMAT, DISKSIM_FILE, request_list
from spindle.traces.replay.request_rows import BUFFER_OUTCOMES
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

Times = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
MAX_REQUESTS = 1_000_000
"""Limit of a file; more were never timed, and they would not fit into memory."""


@dataclass(frozen=True)
class TimedRequests:
    """The requests of a closed loop: each is made its gap after the one before is done. In seconds and bytes.

    *notes* are lines on what the reader of the file assumed and left out.
    """

    ops: Sequence[Op]
    spans: Sequence[Span]
    gaps: Times
    measured: Times
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ops)

    @property
    def reads(self) -> Mask:
        return np.array([op is READ for op in self.ops], bool)

    def distances(self, times: Times) -> dict[str, Distance]:
        """Compute the distances of *times* from the measured ones: all, reads and writes, if there are any."""
        groups = {"all": np.ones(len(self), bool), "reads": self.reads, "writes": ~self.reads}
        return {name: distance(self.measured[mask], times[mask]) for name, mask in groups.items() if mask.any()}

    def part(self, chosen: slice) -> "TimedRequests":
        """Return the *chosen* requests, in their order."""
        return TimedRequests(self.ops[chosen], self.spans[chosen], self.gaps[chosen], self.measured[chosen])


def timed_requests(path: Path, sheet: DriveSheet) -> TimedRequests:
    """Read the list at *path*; UserError if a request was not timed, or there is a second disc."""
    records: list[Record] = []
    for place, record in enumerate(request_list(path, sheet)):
        if place >= MAX_REQUESTS:
            raise UserError(f"{path}: it has more than {MAX_REQUESTS:,} requests")
        if record.response is None or record.gap is None:
            raise UserError(f"{path}: request {place} has no {'measured_ms' if record.gap is not None else 'gap'}; "
                            "what is held against a model needs gap_before_ms and measured_ms")
        if record.device != (records[0].device if records else record.device):
            raise UserError(f"{path}: request {place} is to another disc than the one before; each needs its own list")
        records.append(record)
    return TimedRequests(
        [each.op for each in records], [Span(each.first, each.length) for each in records],
        np.array([each.gap for each in records]), np.array([each.response for each in records]),
    )  # fmt: skip


# Timed requests from fio's latency logs, which users can record of their own discs.
#
# Source: "Log File Formats" in fio's HOWTO: time in ms, latency in ns, direction, block size and offset in bytes. The
# job must have iodepth=1, direct=1 and log_offset=1; write_lat_log then names the file. fio 2 has latencies in us.

LOG_SUFFIX = ".log"
LOG_TICK = 1 * MS
"""The log's clock counts milliseconds: gaps are known to 1 ms, and angles to a tenth of a revolution."""
OVERLAP_SHARE = 0.02
"""Largest share of requests that may seem to begin before the one before ended."""
FILLED_SHARES = (0.3, 1.05)
"""Latencies are microseconds if as such they fill a share of the log's time within these: about all of it.

As nanoseconds they fill a thousandth of that, and leave the drive idle.
"""
READS, WRITES, TRIMS = range(3)
"""Numbers of fio for the direction of a request."""
_LINE = re.compile(r"\s*(\d{1,15}),\s*(\d{1,15}),\s*(\d),\s*(\d{1,12})(?:,\s*(\d{1,18}))?(?:,.*)?", re.ASCII).fullmatch


class LoggedRequest(NamedTuple):
    """A request from a log: the instant it was *done* and the time it *took*, in seconds, operation, and bytes."""

    done: float
    took: float
    op: Op
    span: Span


def fio_log(path: Path, sector_bytes: int, capacity: int) -> TimedRequests:
    """Read the log at *path* as a closed loop, without trims; UserError if requests overlap or leave the disc."""
    lines = list(_read_log(path, sector_bytes, capacity))
    logged = [each for each in lines if each is not None]
    if not logged:
        raise UserError(f"{path}: there is no read or write in it")
    notes = [f"{plural(len(lines) - len(logged), 'trim')} passed over"] if len(lines) > len(logged) else []
    if _in_microseconds(logged):
        logged = [each._replace(took=each.took * US / NS) for each in logged]
        notes.append("latencies are taken for microseconds, as of fio 2: as nanoseconds they leave the drive idle")
    now, early, gaps = logged[0].done - logged[0].took, 0, []
    for request in logged:
        gap = request.done - request.took - now
        early += gap < -2.0 * LOG_TICK
        gaps.append(max(0.0, gap))
        now += gaps[-1] + request.took
    if early > OVERLAP_SHARE * len(logged):
        raise UserError(f"{path}: {early} of {len(logged)} requests begin before the one before is done; a fit needs "
                        "iodepth=1 and one job")
    return TimedRequests([each.op for each in logged], [each.span for each in logged], np.array(gaps),
                         np.array([each.took for each in logged]), tuple(notes))


def _in_microseconds(logged: Sequence[LoggedRequest]) -> bool:
    """Tell if latencies fill the time of the log as microseconds."""
    took, passed = sum(each.took for each in logged[1:]), logged[-1].done - logged[0].done
    return FILLED_SHARES[0] * passed <= took * US / NS <= FILLED_SHARES[1] * passed


def _read_log(path: Path, sector_bytes: int, capacity: int) -> Iterator[LoggedRequest | None]:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if number > MAX_REQUESTS:
                    raise UserError(f"{path}: it has more than {MAX_REQUESTS:,} requests")
                yield _request(f"{path}:{number}", line.rstrip(), sector_bytes, capacity)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error


def _request(where: str, line: str, sector_bytes: int, capacity: int) -> LoggedRequest | None:
    """Read the request in a *line*; None for a trim."""
    match = _LINE(line)
    if match is None:
        raise UserError(f"{where}: must be a line of fio's latency log: time, latency, direction, size, offset")
    done, took, direction, size, offset = (None if each is None else int(each) for each in match.groups())
    assert done is not None
    assert took is not None
    if direction == TRIMS:
        return None
    if offset is None or not size:
        raise UserError(f"{where}: no offset or no size; the job needs log_offset=1, and no log_avg_msec")
    if direction not in (READS, WRITES):
        raise UserError(f"{where}: direction {direction} is neither 0, a read, nor 1, a write, nor 2, a trim")
    if offset % sector_bytes or size % sector_bytes or offset + size > capacity:
        raise UserError(f"{where}: {size} bytes at {offset} are not whole sectors of a disc of {capacity} bytes")
    return LoggedRequest(done * LOG_TICK, took * NS, WRITE if direction == WRITES else READ, Span(offset, size))


# The answers of the simulator DiskSim and of a model to timed requests.

def disksim_times(path: Path, count: int) -> Times | None:
    """Read DiskSim's answers to the *count* requests at *path*, if their file is in the same folder."""
    file = path.parent / DISKSIM_FILE
    if not file.is_file():
        return None
    times = np.array([answer.response for answer in Trace(file, ANSWERS_FORMAT)], float)
    if len(times) != count:
        raise UserError(f"{file}: {len(times)} answers to {count} requests")
    return times


@dataclass(frozen=True)
class Answers:
    """A model's answers in the order of the requests: phases of service, outcomes in its buffer, and seconds."""

    services: Sequence[AccessTiming]
    outcomes: Sequence[str]
    times: Times


def answer_times(mechanism: Mechanism, requests: TimedRequests) -> Times:
    """Return the seconds that each of *requests* takes on a new *mechanism*; the next is made its gap later."""
    arm, now = ArmPosition(0, 0), 0.0
    times = np.empty(len(requests))
    for place, (op, span, gap) in enumerate(zip(requests.ops, requests.spans, requests.gaps.tolist(), strict=True)):
        service, arm = mechanism.serve(arm, now + gap, op, span)
        times[place] = seconds = sum(service)
        now += gap + seconds
    return times


def answers(disc: DiscType, requests: TimedRequests) -> Answers:
    """Return the answers of a new model of *disc* to *requests*, each with its phases and its outcome in the buffer."""
    mechanism, arm, now = mechanism_of(disc), ArmPosition(0, 0), 0.0
    services, outcomes = [], []
    before = mechanism.reading()
    for op, span, gap in zip(requests.ops, requests.spans, requests.gaps.tolist(), strict=True):
        service, arm = mechanism.serve(arm, now + gap, op, span)
        counted = mechanism.reading()
        outcomes.append(" ".join(word for name, word in BUFFER_OUTCOMES.items()
                                 if counted.get(name) != before.get(name)))
        services.append(service)
        before = counted
        now += gap + sum(service)
    return Answers(services, outcomes, np.array([sum(service) for service in services]))
