"""What one request costs a drive: replayed from lists and traces, with a buffer, and picked from a long queue."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count, islice
from random import Random
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import NamedTuple

import numpy as np
import simpy

from benchmarks.unit import unit
from spindle.sim.clock import Account
from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, Overheads
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.disc.kernel.drives import Incoming, looped_drives
from spindle.sim.disc.kernel.queue import UNLIMITED_DEPTH, QueueRule
from spindle.sim.disc.layout import Layout, Stretch, Zone
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.request import READ, WRITE, Op, Span, access
from spindle.sim.units import MS
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Host, Open
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record

CYLINDERS, HEADS = 2000, 12


def _zone(first: int, per_track: int) -> Zone:
    """A zone of 250 cylinders, which steps over one bad sector in each fiftieth of its cylinders."""
    size = 250 * HEADS * per_track
    piece = size // 50
    good = tuple(Stretch(start, piece - 1) for start in range(0, size, piece))
    return Zone(first, per_track, per_track // 8, per_track // 3, stretches=good)


BARE = DiscType(
    "a gigabyte in eight zones",
    Layout(CYLINDERS, HEADS, 512, tuple(_zone(250 * n, 96 - 5 * n) for n in range(8))),
    5400,
    PowerSeek.fit(2.5 * MS, 10 * MS, 20 * MS, CYLINDERS), head_switch=1 * MS, write_settle=0.5 * MS,
)  # fmt: skip
BUFFERED = replace(BARE, buffer=Buffer(
    segments=4, blocks=256, read_ahead=BlocksAhead(128), link=HostLink(0.1 * MS, 0.1 * MS),
    overheads=Overheads(*[After(0.5 * MS, 0.7 * MS)] * 4, reselect=0.2 * MS), high_water=0.5, goes_on=True,
))  # fmt: skip


class Cost(NamedTuple):
    """Bare timeouts and microseconds a request, and the largest memory so far."""

    units: float
    microseconds: float
    resident_mib: float


def requests(disc: DiscType) -> Iterator[Record]:
    """Without end: two thirds reads, a third going on where the one before ended, 4 KiB on the average."""
    random = Random("drives")
    size, blocks = disc.layout.sector_bytes, disc.layout.sectors - 64
    first = 0
    for number in count():
        if random.random() > 0.33:
            first = int(random.random() * blocks)
        length = 1 + int(random.random() * 15)
        op: Op = READ if random.random() < 0.66 else WRITE
        yield Record(0.02 * number, "0", op, first * size, length * size, gap=random.random() * 25 * MS)
        first = min(first + length, blocks)


def replayed(disc: DiscType, number: int) -> Cost:
    """*number* requests, each a gap after the one before; they are made beforehand unless there are very many."""
    asked = islice(requests(disc), number)
    if number <= 100_000:
        asked = iter(list(asked))
    return _timed(lambda: replay_trace(asked, _storage(disc, Fcfs), Closed), number)


def looped(disc: DiscType, number: int, rule: QueueRule, under_way: int = 1) -> Cost:
    """The same in arrays, by a loop that is compiled before it is timed; gaps only of one under way."""
    asked = list(islice(requests(disc), number))
    columns = Incoming(
        np.zeros(number, dtype=np.int64), np.array([each.op is WRITE for each in asked]),
        np.array([each.first for each in asked]), np.array([each.length for each in asked]),
        np.array([each.gap or 0.0 for each in asked]) * (under_way == 1),
    )  # fmt: skip
    drives = looped_drives(mechanism_of(disc), rule, under_way, 1)
    assert drives is not None
    drives.serve(columns)
    return _timed(lambda: drives.serve(columns, last=True), number)


def queued(disc: DiscType, waiting: int, scheduler: Callable[[], Scheduler], number: int) -> Cost:
    """*number* requests with always *waiting* in the queue of a drive."""
    env, account = simpy.Environment(), Account("host")
    drive, rows = Drive(env, disc, scheduler()), islice(requests(disc), number)

    def ask(_: simpy.Event | None = None) -> None:
        if (row := next(rows, None)) is not None:
            drive.start(access(row.op, row.first, row.length, account)).callbacks.append(ask)

    for _ in range(waiting + 1):
        ask()
    return _timed(env.run, number)


def written_over(sheet: FlashType) -> FlashDrive:
    """A drive of *sheet* with few and small blocks, all of whose units were written, and as often again at random."""
    nand = replace(sheet.nand, blocks=64, pages=32, erase=sheet.nand.erase * 32 / sheet.nand.pages)
    whole = sheet.nand.blocks * sheet.nand.pages
    units, random = sheet.capacity * 64 * 32 // whole // sheet.unit, Random("written over")
    drive = FlashDrive(simpy.Environment(), replace(sheet, nand=nand, capacity=units * sheet.unit))
    for number in [*range(units), *(int(random.random() * units) for _ in range(units))]:
        drive.flash.serve(drive.arm, 0.0, WRITE, Span(number * sheet.unit, sheet.unit))
    drive.env.run(drive.flash.serve(drive.arm, 0.0, READ, Span(0, sheet.unit))[0].total + 1.0)
    return drive


def flashed(drive: FlashDrive, op: Op, at_once: int, number: int) -> Cost:
    """*number* requests for a unit anywhere, *at_once* of them under way at any time."""
    account, random, unit = Account("host"), Random("flash"), drive.flash.sheet.unit
    firsts = iter([int(random.random() * (drive.capacity // unit)) * unit for _ in range(number)])

    def ask(_: simpy.Event | None = None) -> None:
        if (first := next(firsts, None)) is not None:
            drive.start(access(op, first, unit, account)).callbacks.append(ask)

    for _ in range(at_once):
        ask()
    return _timed(drive.env.run, number)


def traced(host: Callable[..., Host], scheduler: Callable[[], Scheduler], number: int) -> Cost:
    """*number* records of a trace, fifty a second by their times, replayed by a *host*: with tally and laws."""
    records = [record._replace(gap=None) for record in islice(requests(BARE), number)]
    return _timed(lambda: replay_trace(records, _storage(BARE, scheduler), host), number)


def _storage(disc: DiscType, scheduler: Callable[[], Scheduler]) -> Storage:
    return Storage(simpy.Environment(), StoragePlan(DriveSheet(disc, None), scheduler))


def _timed(run: Callable[[], object], number: int) -> Cost:
    """The unit is measured before and after: what else the machine does has changed little if they agree."""
    before = unit()
    began = process_time()
    run()
    seconds = (process_time() - began) / number
    one = (before + unit()) / 2
    return Cost(seconds / one, seconds * 1e6, getrusage(RUSAGE_SELF).ru_maxrss / 1024)


def table(number: int) -> Iterator[tuple[str, Cost]]:
    """Name and cost of each way to serve *number* requests."""
    yield "replayed, mechanics only", replayed(BARE, number)
    yield "the same in arrays", looped(BARE, number, QueueRule(1))
    yield "replayed, buffer and overheads", replayed(BUFFERED, number)
    yield "the same buffer in arrays", looped(BUFFERED, number, QueueRule(1))
    yield "FCFS, 15 waiting", queued(BARE, 15, Fcfs, number)
    yield "SPTF, 15 waiting", queued(BARE, 15, Sptf, number)
    yield "SPTF in arrays, 15 waiting", looped(BARE, number, QueueRule(UNLIMITED_DEPTH), 16)
    yield "SPTF with ageing, 15 waiting", queued(BARE, 15, lambda: Sptf(0.006), number)
    for sheet, at_once in ((INTEL_S3700, 32), (SAMSUNG_960_PRO, 128)):
        for name, op in (("reads", READ), ("writes", WRITE)):
            empty = FlashDrive(simpy.Environment(), sheet)
            yield f"flash behind {sheet.front.name}, {at_once} {name}", flashed(empty, op, at_once, number)
    yield "flash behind SATA, 32 writes, written over", flashed(written_over(INTEL_S3700), WRITE, 32, number)
    yield "a trace, closed loop, FCFS", traced(Closed, Fcfs, number)
    yield "a trace, open loop, FCFS", traced(Open, Fcfs, number)
    yield "a trace, 15 under way, NCQ", traced(
        partial(Closed, depth=15), lambda: TaggedQueue(Fcfs(), Sptf(0.006), 32), number)
