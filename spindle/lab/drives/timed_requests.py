"""Requests that were timed one by one on a drive, read from a list; and the answers of a model and of DiskSim."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.mechanism import ArmPosition, DiscType, Mechanism
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, Op, Service, Span
from spindle.studies.confidence import Distance, distance
from spindle.traces.replay.drives import request_list
from spindle.traces.replay.page import ANSWERS, FILE, OUTCOMES
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

Times = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
MAX_REQUESTS = 1_000_000
"""More than were ever timed, and few enough for memory."""


@dataclass(frozen=True)
class TimedRequests:
    """The requests of a closed loop: each comes its gap after the answer to the one before; seconds and bytes.

    *notes*: lines on what the reader of the file assumed, and what it left out.
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
        """Some of them, in their order."""
        return TimedRequests(self.ops[chosen], self.spans[chosen], self.gaps[chosen], self.measured[chosen])


def timed_requests(path: Path, sheet: DriveSheet) -> TimedRequests:
    """The list in the file at *path*; UserError where one of its requests was not timed, or there is a second disc."""
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


def disksim_times(path: Path, count: int) -> Times | None:
    """DiskSim's answers to the *count* requests at *path*, if their file is in the same folder."""
    file = path.parent / FILE
    if not file.is_file():
        return None
    times = np.array([answer.response for answer in Trace(file, ANSWERS)], float)
    if len(times) != count:
        raise UserError(f"{file}: {len(times)} answers to {count} requests")
    return times


@dataclass(frozen=True)
class Answers:
    """The services of a model in the order of the requests, the outcomes of reads in its buffer, and seconds."""

    services: Sequence[Service]
    outcomes: Sequence[str]
    times: Times


def answer_times(mechanism: Mechanism, requests: TimedRequests) -> Times:
    """Return the seconds that each of *requests* takes on a new *mechanism*; the next is asked its gap later."""
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
        outcomes.append(" ".join(word for name, word in OUTCOMES.items() if counted.get(name) != before.get(name)))
        services.append(service)
        before = counted
        now += gap + sum(service)
    return Answers(services, outcomes, np.array([sum(service) for service in services]))
