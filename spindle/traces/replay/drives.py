"""Builds drives from a drive file, and replays timed requests on them beside their measured times or DiskSim's."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path

import simpy

from spindle.sim.disc.channel import Channel, SharingDrive, SpeedMatching
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.hindered import HinderedMechanism
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import BUSES
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError, check_known
from spindle.sim.request import READ, Request
from spindle.sim.units import MS
from spindle.traces.replay.hosts import Closed, Host, Open
from spindle.traces.replay.page import DISKSIM, MEASURED, PREDICTED, RESPONSE, SERVICE, QuantitySeries, ReplayTally
from spindle.traces.replay.replay import OnCompletion, replay_trace
from spindle.traces.replay.storage import CachePlan, FlashPlan, Storage, check_head
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.plain import plain
from spindle.workloads.traces.operations import Meaning, PassedWords
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import COMMA, Header, Shape, integer, number, unread
from spindle.workloads.traces.text import TextFormat

# DiskSim's response times of the same requests, in a file in the same folder, one row for each.

DISKSIM_FILE = "disksim_predicted.csv"
DISKSIM_COLUMNS = {"seq": integer("seq"), "disksim_ms": number("disksim_ms", "response")}
"""Columns of that file by name: the number of a request, and its response in milliseconds."""


class AnswerLines:
    """Reads DiskSim's response times from lines with columns ``seq`` and ``disksim_ms``, and perhaps others.

    Each line becomes a Record with the number and the response of its request, and a length of one byte.
    """

    columns = None
    notes = ()
    began: float | None = None
    shape = Shape(list(DISKSIM_COLUMNS.values()), COMMA)

    def __init__(self) -> None:
        self._places: list[int] = []
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}

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


ANSWERS_FORMAT = TextFormat("answers", (".csv",), "an answer is a line below the header", AnswerLines)


class DiskSimAnswers:
    """DiskSim's answers, in the file at *path*, to numbered requests in their order; each is kept until it is taken."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers = iter(Trace(path, ANSWERS_FORMAT, TraceLimits(has_skip=False)))
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


class Drives(dict[str, Drive]):
    """Drives by name, each made on its first use; all are on one bus if the sheet names it."""

    def __init__(
        self, env: simpy.Environment, sheet: DriveSheet, scheduler: Callable[[], Scheduler], head: int = 0,
        hindrance: Hindrance | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if hindrance is not None and sheet.bus is not None:
            raise UserError(f"{sheet.disc.name} shares a bus, where no drive sleeps or stalls")
        self._hindrance = hindrance
        check_head(sheet.disc, head)
        self._head = head
        self._env = env
        self._disc = sheet.disc
        self._scheduler = scheduler
        self._bus = None if sheet.bus is None else _bus(env, sheet.disc, sheet.bus)

    def __missing__(self, name: str) -> Drive:
        scheduler, title = self._scheduler(), f"disc {name}"
        if self._bus is None:
            self[name] = drive_of(self._env, self._disc, scheduler, title)
        else:
            assert isinstance(self._disc, DiscType), "flash shares no bus"
            self[name] = SharingDrive(self._env, self._disc, self._bus, scheduler, title)
        drive = self[name]
        if self._hindrance is not None:
            drive.mechanism = HinderedMechanism(drive.mechanism, self._hindrance)
        drive.arm = ArmPosition(self._head, 0)
        if type(scheduler) is not Fcfs:
            drive.gather()
        return drive


def _bus(env: simpy.Environment, disc: DriveType, kind: str) -> SpeedMatching:
    check_known("kind of bus in the sheet", BUSES, kind)
    if not isinstance(disc, DiscType):
        raise UserError(f"{disc.name} has a link of its own, and shares no bus, such as {kind}")
    if disc.buffer is not None:
        raise UserError(f"{disc.name} has a buffer, and is to share a bus, {kind}: together they are not simulated")
    return SpeedMatching(Channel(env, kind), BUSES[kind])


@dataclass(frozen=True)
class StoragePlan:
    """Plan of drives of a *sheet*, each behind its scheduler, on one bus if the sheet names it, or in a *raid*."""

    sheet: DriveSheet
    scheduler: Callable[[], Scheduler]
    cache: CachePlan | None = None
    count: int | None = None
    wrap: bool = False
    raid: RaidType | None = None
    head: int = 0
    """The cylinder on which the arm of each drive is at first."""
    flash: FlashPlan | None = None
    hindrance: Hindrance | None = None
    """Sleep and stalls of each drive."""
    network: NetworkType | None = None

    @property
    def disc(self) -> DriveType:
        return self.sheet.disc

    @property
    def queue(self) -> DriveQueue | None:
        return self.sheet.queue

    def drives(self, env: simpy.Environment) -> Drives:
        return Drives(env, self.sheet, self.scheduler, self.head, self.hindrance)


# One replay: the requests of a list submitted to drives, and the response times, simulated, measured and DiskSim's.

def request_list(path: Path, sheet: DriveSheet) -> Trace:
    """Read the requests in the file at *path*, in the drive's sectors, unless its header gives another size."""
    layout = sheet.disc.layout
    return Trace(path, plain(layout.sector_bytes), TraceLimits(has_skip=False, end=layout.capacity))


@dataclass(frozen=True)
class RequestLoop:
    """A way for a *host* to submit the requests of a list, with the *quantities* of requests that are compared."""

    name: str
    host: Callable[..., Host]
    quantities: tuple[str, ...]
    column: str

    def has_time(self, record: Record) -> bool:
        return (record.gap if self is CLOSED else record.time) is not None


CLOSED = RequestLoop("a closed loop", Closed, (RESPONSE,), "gap_before_ms")
OPEN = RequestLoop("an open loop", Open, (SERVICE, RESPONSE), "arrival_s")


@dataclass(frozen=True)
class Replayed:
    """The times of a replay, and its drives by name, as they are at the instant *end*."""

    tally: ReplayTally
    drives: dict[str, Drive]
    end: float


class Replay:
    """A replay of *requests* on drives of *sheet*; *disksim*: DiskSim's answers to compare with.

    It is built first, so that an error in the first request is raised before anything is written; then run.
    """

    def __init__(
        self, sheet: DriveSheet, requests: Trace, loop: RequestLoop = CLOSED, scheduler: Callable[[], Scheduler] = Fcfs,
        disksim: DiskSimAnswers | None = None,
    ) -> None:  # fmt: skip
        self.storage = Storage(simpy.Environment(), StoragePlan(sheet, scheduler))
        self._loop = loop
        self._disksim = disksim
        first = next(iter(requests))
        _check_timed(requests, loop, first)
        self._measured = [name for name, value in ((SERVICE, first.service), (RESPONSE, first.response))
                          if value is not None]
        predicted = max(loop.quantities, tuple(self._measured), key=len)
        self._apart = SERVICE in predicted
        self.tally = ReplayTally([
            *(QuantitySeries(quantity, PREDICTED) for quantity in predicted),
            *(QuantitySeries(quantity, MEASURED) for quantity in self._measured),
            *([QuantitySeries(RESPONSE, DISKSIM)] if disksim is not None else []),
        ])  # fmt: skip

    def run(self, records: Iterator[Record], also: OnCompletion | None = None) -> Replayed:
        """Submit all *records* of the requests; *also* is called for each, in the order of completion."""

        def finish(record: Record, response: float, request: Request) -> None:
            self.tally.add(record.op, [*self._simulated_times(request), *self._record_times(record)])
            if also is not None:
                also(record, response, request)

        records = _number(records)
        answered = records if self._disksim is None else self._disksim.with_answers(records)
        replayed = replay_trace(answered, self.storage, self._loop.host, finish)
        return Replayed(self.tally, dict(self.storage.drives), replayed.end)

    def _simulated_times(self, request: Request) -> tuple[float, ...]:
        """Return the sums of phases, which are free of the clock's rounding."""
        service = request._value
        response = fsum(service)
        return (response - service.queue, response) if self._apart else (response,)

    def _record_times(self, record: Record) -> Iterator[float]:
        for name in self._measured:
            value = record.service if name == SERVICE else record.response
            if value is None:
                raise UserError(f"request {record.number} was not timed, as those before it were")
            yield value
        if self._disksim is not None:
            yield self._disksim.take_seconds(record)


def _check_timed(requests: Trace, loop: RequestLoop, first: Record) -> None:
    """UserError where the list has times of requests, but not those that this *loop* needs."""
    other = OPEN if loop is CLOSED else CLOSED
    if not loop.has_time(first) and (loop is OPEN or other.has_time(first)):
        there = f"; there is {other.column} for {other.name}" if other.has_time(first) else ""
        raise UserError(f"{requests.path}: there is no column {loop.column} for {loop.name}{there}")


def _number(records: Iterator[Record]) -> Iterator[Record]:
    for place, record in enumerate(records):
        yield record if record.number is not None else record._replace(number=place)
