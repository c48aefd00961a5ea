"""LoopedDrives serves millions of requests at drives of one type in compiled loops, with the same counters as Drive."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import DriveCounts
from spindle.sim.disc.kernel.arm import ArmService, LateClockError, serve
from spindle.sim.disc.kernel.arrays import (
    ArmTables,
    BufferArrays,
    DriveBuffers,
    Floats,
    Integers,
    Records,
    buffers_of,
    records,
    tables_of,
)
from spindle.sim.disc.kernel.buffered import serve_buffered
from spindle.sim.disc.kernel.queue import (
    DRIVE,
    MAX_QUEUED,
    NOBODY,
    REQUEST,
    SPTF,
    QueueRule,
    Queues,
    arrive,
    next_by_cylinder,
    refill,
    renumber,
    shortest_positioning,
    take,
)
from spindle.sim.disc.mechanism import Mechanism, MovingArm
from spindle.sim.jit import compile_loop, is_kept

# Incoming and completions of requests at drives, in the order in which SimPy would have them happen.

OPEN = 0
"""The number of requests under way that stands for an open load: requests arrive at their own times."""

CLOCK = np.dtype([
    ("now", "f8"), ("arrival", "f8"), ("events", "i8"), ("arriving", "i8"), ("planned", "?"), ("owed", "i8"),
    ("asked", "i8"), ("served", "i8"), ("over", "?"), ("woken", "i8"),
])  # fmt: skip
"""The instants and numbers of the last event, and of the arrival if one is *planned*; requests *owed*, to come next.

Of the present batch: the next to come, how many are served, and whether it is *over*. *woken* drives wait for all
requests of this instant before they begin one."""
SERVICE = np.dtype([
    ("number", "i8"), ("began", "f8"), ("overhead", "f8"), ("seek", "f8"), ("rotation", "f8"), ("transfer", "f8"),
    ("channel", "f8"), ("ended", "f8"),
])  # fmt: skip
"""Services in the order in which they began: the number of the request, instants, and seconds of its phases."""


@compile_loop
def serve_part(
    arm: ArmTables, buffers: DriveBuffers | None, rule: QueueRule, under_way: int, queues: Queues, requests: Records,
    when: Floats, last: bool, clocks: Records, services: Records, pause: int,
) -> bool:  # fmt: skip
    """Serve *requests*, the last of which come at *when*, until the next arrival is of another batch.

    If this is the *last* batch, no more will come. The loop stops for a *pause* after that count of services and
    resumes where it was. False if a drive has more requests than MAX_QUEUED or a transfer of zero; LateClockError
    after LATEST_INSTANT.
    """
    clock, count = clocks[0], len(requests)
    clock.over = False
    while clock.planned or not clock.owed or clock.asked < count or last:
        if clock.served >= pause:
            return True
        comes = clock.owed > 0 and not clock.planned and clock.asked < count
        if comes:
            clock.owed -= 1
            if plan_arrival(clock, under_way, when[clock.asked - count]):
                continue
        number = first_done(queues)
        drive = queues.drives[number]
        if clock.woken and not comes and drive.end > clock.now and not (clock.planned and clock.arrival <= clock.now):
            clock.woken -= 1
            if not begin_next(arm, buffers, rule, queues, requests, first_woken(queues), clocks, services):
                return False
            continue
        if comes or arrives(clock, drive, under_way):
            requests[clock.asked].came, number = clock.now, requests[clock.asked].drive
            if not arrive(arm, rule, queues, requests, clock.asked):
                return False
            clock.asked += 1
            if rule.gathers:
                wake(clock, queues.drives[number])
                continue
        elif drive.end < np.inf:
            clock.now, drive.end = drive.end, np.inf
            clock.owed += under_way != OPEN
        else:
            break
        idle = queues.drives[number].end == np.inf
        if idle and not begin_next(arm, buffers, rule, queues, requests, number, clocks, services):
            return False
    clock.over = True
    return True


@compile_loop
def plan_arrival(clock: Records, under_way: int, when: float) -> bool:
    """Put the next arrival on the clock; False if it follows the one before at once and needs no event."""
    delay = when - (clock.now if under_way == OPEN else 0.0)
    if under_way != OPEN and not delay > 0.0:
        return False
    clock.events += 1
    clock.planned, clock.arriving = True, clock.events
    clock.arrival = clock.now + delay if delay > 0.0 else clock.now
    return True


@compile_loop
def arrives(clock: Records, drive: Records, under_way: int) -> bool:
    """Tell if the planned arrival precedes the end of the service of *drive*; if so, advance the clock to it."""
    if not clock.planned or clock.arrival > drive.end or (
            clock.arrival == drive.end and clock.arriving > drive.event):
        return False
    clock.now, clock.planned = clock.arrival, False
    clock.owed += under_way == OPEN
    return True


@compile_loop
def wake(clock: Records, drive: Records) -> None:
    """Let *drive* begin at the end of this instant if it is idle, as Drive.gather has it."""
    if drive.end == np.inf and not drive.woken:
        clock.events += 1
        clock.woken += 1
        drive.woken = clock.events


@compile_loop
def first_woken(queues: Queues) -> int:
    """The number of the drive that was woken first; it is woken no more."""
    first = -1
    for drive in range(len(queues.drives)):
        woken = queues.drives[drive].woken
        if woken and (first < 0 or woken < queues.drives[first].woken):
            first = drive
    queues.drives[first].woken = 0
    return first


@compile_loop
def first_done(queues: Queues) -> int:
    """The number of the drive whose service ends next."""
    first = 0
    for drive in range(1, len(queues.drives)):
        one, other = queues.drives[drive], queues.drives[first]
        if one.end < other.end or (one.end == other.end and one.event < other.event):
            first = drive
    return first


@compile_loop
def begin_next(
    arm: ArmTables, buffers: DriveBuffers | None, rule: QueueRule, queues: Queues, requests: Records, number: int,
    clocks: Records, services: Records,
) -> bool:  # fmt: skip
    """Begin the next request of idle drive *number*; False if its seconds are negative by rounding."""
    clock, drive = clocks[0], queues.drives[number]
    refill(arm, rule, queues, requests, number)
    if not drive.ready:
        return True
    if rule.order == SPTF:
        place = shortest_positioning(arm, buffers, rule.ageing, queues, requests, number, clock.now)
    else:
        place = next_by_cylinder(rule, queues, requests, number)
    each = take(queues, requests, number, place)
    request, service = requests[each], services[clock.served]
    if buffers is None:
        phases = serve(arm, drive.cylinder, drive.head, clock.now, int(request.write), request.first, request.length)
    else:
        phases = serve_behind(arm, buffers, number, clock.now, int(request.write), request.first, request.length)
    overhead, seek, rotation, transfer, channel, drive.cylinder, drive.head = phases
    seconds = overhead + seek + rotation + transfer + channel
    if not seconds >= 0.0:  # a transfer that is shorter than the clock's rounding
        return False
    drive.end = clock.now + seconds
    clock.events += 1
    clock.served += 1
    drive.event = clock.events
    service.number, service.began, service.ended = each, clock.now, drive.end
    service.overhead, service.seek, service.rotation = overhead, seek, rotation
    service.transfer, service.channel = transfer, channel
    return True


@compile_loop
def serve_behind(
    arm: ArmTables, buffers: DriveBuffers, number: int, now: float, write: int, first: int, length: int
) -> ArmService:
    """Serve a request of drive *number* through its buffer."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    one: Any = BufferArrays(sheet, state, buffers.segments[number], buffers.ends[number], None)
    return serve_buffered(arm, one, now, write, first, length)


# Requests that arrive, the drives' state between batches, and their counters.

AT_ONCE = 1 << 14
"""Requests served between two looks at whether the user wants to stop."""

PRIVATE = ("busy", "number_seconds", "queue")
"""Sums that are private fields of DriveCounts."""


class Incoming(NamedTuple):
    """Requests in the order of arrival: of which drive, whether they write, and which bytes.

    *when* is the instant of each in an open loop; in a closed one of 1 the seconds from the end of the one before.
    """

    drives: Integers
    writes: NDArray[np.bool_]
    firsts: Integers
    lengths: Integers
    when: Floats


def are_compiled(buffered: bool) -> bool:
    """Tell if the loops for such drives are compiled already."""
    return is_kept(serve_behind if buffered else serve_part)


def no_requests() -> Incoming:
    none = np.empty(0, dtype=np.int64)
    return Incoming(none, np.empty(0, dtype=np.bool_), none, none, np.empty(0))


class Served(NamedTuple):
    """Requests that were served, in the order of their beginning, and their seconds from coming to end."""

    writes: NDArray[np.bool_]
    responses: Floats


class LoopedDrives:
    """At most *most* drives; *under_way* requests are kept in their queues, or OPEN for arrivals by the clock.

    With *buffers*, there must be one for each drive.
    """

    def __init__(
        self, arm: ArmTables, rule: QueueRule, under_way: int, most: int, buffers: DriveBuffers | None = None
    ) -> None:
        self._arm = arm
        self._buffers = buffers
        self._rule = rule
        self._under_way = under_way
        self._drives = records(most, DRIVE)
        self._drives.end, self._drives.first = np.inf, NOBODY
        self._ready, self._held = np.zeros((2, most, MAX_QUEUED), dtype=np.int64)
        self._used = 1  # drives that were asked so far; loops look at no others
        self._clock = records(1, CLOCK)
        self._clock.owed = under_way or 1
        self._waiting = records(0, REQUEST)
        self._totals: dict[str, Floats] = {}

    def place_heads(self, cylinder: int) -> None:
        """Put the arms of all drives on *cylinder*, before the first request."""
        self._drives.cylinder = cylinder

    def serve(self, asked: Incoming, last: bool = False) -> Served | None:
        """Serve requests and return those that begin before the next arrival; in the *last* batch, all that wait.

        None if the clock becomes too coarse for the angle of a disc, or a drive has more requests than MAX_QUEUED.
        """
        requests = self._append(asked)
        services = records(len(requests), SERVICE)
        used = self._used = max(self._used, 1 + int(asked.drives.max(initial=0)))
        queues, clock = Queues(self._drives[:used], self._ready[:used], self._held[:used]), self._clock[0]
        clock.asked, clock.served, clock.over = len(self._waiting), 0, False
        while not clock.over:
            try:
                if not serve_part(self._arm, self._buffers, self._rule, self._under_way, queues, requests, asked.when,
                                  last, self._clock, services, clock.served + AT_ONCE):  # fmt: skip
                    return None
            except LateClockError:
                return None
        service = services[: clock.served]
        served = requests[service.number]
        self._keep(requests, service.number, queues)
        for name, values in self._count(served, service).items():
            self._totals[name] = _add(self._totals.get(name, np.zeros(len(self._drives))), served.drive, values)
        return Served(served.write, service.ended - served.came)

    def _append(self, asked: Incoming) -> Records:
        """Return the waiting requests, followed by those *asked* now."""
        requests = records(len(self._waiting) + len(asked.drives), REQUEST)
        requests[: len(self._waiting)] = self._waiting
        new = requests[len(self._waiting) :]
        new.drive, new.write, new.first, new.length, _ = asked
        return requests

    def _keep(self, requests: Records, served: Integers, queues: Queues) -> None:
        """Keep the *requests* that still wait, with new numbers."""
        left = np.ones(len(requests), dtype=np.bool_)
        left[served] = False
        numbers = np.cumsum(left) - 1
        renumber(queues, numbers)
        kept = self._waiting = requests[left]
        kept.after = np.where(kept.after == NOBODY, NOBODY, numbers[kept.after])

    def _count(self, served: Records, service: Records) -> dict[str, NDArray[Any]]:
        """Return the contribution of each request to its drive's counters, by their names and in their order."""
        writes, lengths, size = served.write, served.length, self._arm.sector_bytes
        partly = (served.first % size > 0) | ((served.first + lengths) % size > 0)
        one = np.ones(len(writes))
        return {
            "issued": one, "completed": one, "reads": ~writes, "writes": writes, "partial_writes": writes & partly,
            "bytes_read": lengths * ~writes, "bytes_written": lengths * writes,
            "busy": service.ended - service.began, "number_seconds": service.ended - served.came,
            "queue": service.began - served.came, "overhead": service.overhead, "seek": service.seek,
            "rotation": service.rotation, "transfer": service.transfer, "channel": service.channel,
        }  # fmt: skip

    @property
    def end(self) -> float:
        """The instant of the last event."""
        return float(self._clock.now[0])

    def answers(self, drive: int) -> tuple[int, int, int]:
        """Return hits, late hits and misses of the drive's buffer."""
        if self._buffers is None:
            return 0, 0, 0
        state = self._buffers.states[drive]
        return int(state.hits), int(state.late_hits), int(state.misses)

    def counts(self, drive: int) -> DriveCounts:
        """Return the counters of *drive*, all of whose requests are done."""
        counts = DriveCounts(0.0, self._arm.sector_bytes)
        for name, sums in self._totals.items():
            setattr(counts, f"_{name}" if name in PRIVATE else name, float(sums[drive]))
        return counts


def looped_drives(mechanism: Mechanism, rule: QueueRule, under_way: int, most: int) -> LoopedDrives | None:
    """Make drives like that of *mechanism*; None if it is of a class that loops cannot serve."""
    if type(mechanism) is MovingArm:
        tables = tables_of(mechanism)
        return None if tables is None else LoopedDrives(tables, rule, under_way, most)
    if type(mechanism) is not BufferedArm:
        return None
    tables, buffers = tables_of(mechanism.moving), buffers_of(mechanism, most)
    return None if tables is None or buffers is None else LoopedDrives(tables, rule, under_way, most, buffers)


def _add(totals: Floats, drives: Integers, values: NDArray[Any]) -> Floats:
    """Return *totals* with the *values* of each drive added one after the other, as the drive itself would."""
    sums = np.bincount(np.concatenate([np.arange(len(totals)), drives]), np.concatenate([totals, values]))
    return np.asarray(sums, np.float64)
