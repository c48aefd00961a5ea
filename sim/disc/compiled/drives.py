"""Drives of one type that serve requests by the million, a batch at a time; and what they count, as Drive counts it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.disc.buffer.arm import BufferedArm
from spindle.sim.disc.compiled.arm import ArmTables, Floats, Integers, Records, records, tables_of
from spindle.sim.disc.compiled.buffer import DriveBuffers, buffers_of
from spindle.sim.disc.compiled.buffered import serve_buffered
from spindle.sim.disc.compiled.events import CLOCK, SERVICE, go_on
from spindle.sim.disc.compiled.queue import DRIVE, NOBODY, REQUEST, ROOM, QueueRule, Queues, renumber
from spindle.sim.disc.drive import DriveCounts
from spindle.sim.disc.mechanism import Mechanism, MovingArm
from spindle.sim.jit import is_kept

AT_ONCE = 1 << 14
"""Requests served without a look at whether somebody wants to stop."""


PRIVATE = ("busy", "number_seconds", "queue")
"""Sums that DriveCounts keeps to itself."""


class Asked(NamedTuple):
    """Requests in turn: of which drive, whether they write, and which bytes.

    *when* is the instant of each in an open loop; in a closed one of 1 the seconds from the end of the one before.
    """

    drives: Integers
    writes: NDArray[np.bool_]
    firsts: Integers
    lengths: Integers
    when: Floats


def at_hand(buffered: bool) -> bool:
    """Whether the loops for such drives are compiled already."""
    return is_kept(serve_buffered if buffered else go_on)


def nothing() -> Asked:
    none = np.empty(0, dtype=np.int64)
    return Asked(none, np.empty(0, dtype=np.bool_), none, none, np.empty(0))


class Served(NamedTuple):
    """Requests that were served, in the order of their beginning, and their seconds from coming to end."""

    writes: NDArray[np.bool_]
    responses: Floats


class LoopedDrives:
    """At most *most* drives, as far as they have got; so many requests are *under_way*, or OPEN.

    They have the *buffers* given, if any, as many as there may be drives.
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
        self._ready, self._held = np.zeros((2, most, ROOM), dtype=np.int64)
        self._used = 1  # drives that were asked so far; loops look at no others
        self._clock = records(1, CLOCK)
        self._clock.owed = under_way or 1
        self._waiting = records(0, REQUEST)
        self._totals: dict[str, Floats] = {}

    def serve(self, asked: Asked, last: bool = False) -> Served | None:
        """What begins before the next request is to come; all that waits where it is the *last* batch.

        None where the clock becomes too coarse for the angle of a disc, or a drive has more requests than ROOM.
        """
        requests = self._with(asked)
        services = records(len(requests), SERVICE)
        used = self._used = max(self._used, 1 + int(asked.drives.max(initial=0)))
        queues, clock = Queues(self._drives[:used], self._ready[:used], self._held[:used]), self._clock[0]
        clock.asked, clock.served, clock.over = len(self._waiting), 0, False
        while not clock.over:
            if not go_on(self._arm, self._buffers, self._rule, self._under_way, queues, requests, asked.when, last,
                         self._clock, services, clock.served + AT_ONCE):  # fmt: skip
                return None
        service = services[: clock.served]
        served = requests[service.number]
        self._keep(requests, service.number, queues)
        for name, values in self._counted(served, service).items():
            self._totals[name] = _added(self._totals.get(name, np.zeros(len(self._drives))), served.drive, values)
        return Served(served.write, service.ended - served.came)

    def _with(self, asked: Asked) -> Records:
        """Those that wait, and behind them those *asked* now."""
        requests = records(len(self._waiting) + len(asked.drives), REQUEST)
        requests[: len(self._waiting)] = self._waiting
        new = requests[len(self._waiting) :]
        new.drive, new.write, new.first, new.length, _ = asked
        return requests

    def _keep(self, requests: Records, served: Integers, queues: Queues) -> None:
        """Those of *requests* that wait still, by new numbers."""
        left = np.ones(len(requests), dtype=np.bool_)
        left[served] = False
        numbers = np.cumsum(left) - 1
        renumber(queues, numbers)
        kept = self._waiting = requests[left]
        kept.after = np.where(kept.after == NOBODY, NOBODY, numbers[kept.after])

    def _counted(self, served: Records, service: Records) -> dict[str, NDArray[Any]]:
        """What each request adds to the numbers of its drive, by their names and in their order."""
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
        """Hits, late hits and misses of its buffer."""
        if self._buffers is None:
            return 0, 0, 0
        state = self._buffers.states[drive]
        return int(state.hits), int(state.late_hits), int(state.misses)

    def counts(self, drive: int) -> DriveCounts:
        """Of requests that all are done."""
        counts = DriveCounts(0.0, self._arm.sector_bytes)
        for name, sums in self._totals.items():
            setattr(counts, f"_{name}" if name in PRIVATE else name, float(sums[drive]))
        return counts


def looped_drives(mechanism: Mechanism, rule: QueueRule, under_way: int, most: int) -> LoopedDrives | None:
    """Drives like that of *mechanism*; None where loops do not know how it works."""
    if type(mechanism) is MovingArm:
        tables = tables_of(mechanism)
        return None if tables is None else LoopedDrives(tables, rule, under_way, most)
    if type(mechanism) is not BufferedArm:
        return None
    tables, buffers = tables_of(mechanism._head.moving), buffers_of(mechanism, most)
    return None if tables is None or buffers is None else LoopedDrives(tables, rule, under_way, most, buffers)


def _added(totals: Floats, drives: Integers, values: NDArray[Any]) -> Floats:
    """*totals* with the *values* of each drive added one after the other, as the drive would have."""
    sums = np.bincount(np.concatenate([np.arange(len(totals)), drives]), np.concatenate([totals, values]))
    return np.asarray(sums, np.float64)
