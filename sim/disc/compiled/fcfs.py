"""Drives that serve first come, first served, request by request in arrays; and what they count, as Drive counts it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.disc.compiled.arm import ArmTables, Floats, Integers, serve
from sim.disc.counts import DriveCounts
from sim.jit import compiled


class Asked(NamedTuple):
    """Requests in turn: of which drive, whether they write, and which bytes.

    *when* is the instant of each in an open loop; in a closed one the seconds from the end of the request before it,
    of whichever drive.
    """

    drives: Integers
    writes: NDArray[np.bool_]
    firsts: Integers
    lengths: Integers
    when: Floats


class Served(NamedTuple):
    """Of each request the instants at which it came, began and ended, and seconds of its phases."""

    came: Floats
    began: Floats
    seek: Floats
    rotation: Floats
    transfer: Floats
    ended: Floats


class FcfsDrives:
    """At most *most* drives of one type, as far as they have got."""

    def __init__(self, arm: ArmTables, most: int) -> None:
        self._arm = arm
        self._most = most
        self._arms = np.zeros((most, 2), dtype=np.int64)
        self._free = np.zeros(most)
        self._now = 0.0
        self._totals: dict[str, Floats] = {}

    @property
    def end(self) -> float:
        """The instant at which all that was asked is done."""
        return float(self._free.max())

    def serve(self, asked: Asked, closed: bool) -> Served | None:
        """None where the clock becomes too coarse for the angle of a disc."""
        served = Served(*np.empty((len(Served._fields), len(asked.firsts))))
        self._now = serve_all(self._arm, asked, closed, self._arms, self._free, self._now, served)
        if self._now < 0.0:
            return None
        for name, values in self._counted(asked, served).items():
            self._totals[name] = self._added(self._totals.get(name, np.zeros(self._most)), asked.drives, values)
        return served

    def _added(self, totals: Floats, drives: Integers, values: NDArray[Any]) -> Floats:
        """*totals* with the *values* of each drive added one after the other, as the drive would have."""
        return np.bincount(np.concatenate([np.arange(self._most), drives]), np.concatenate([totals, values]))

    def _counted(self, asked: Asked, served: Served) -> dict[str, NDArray[Any]]:
        """What each request adds to the numbers of its drive, by their names and in their order."""
        writes, size = asked.writes, self._arm.sector_bytes
        partly = (asked.firsts % size > 0) | ((asked.firsts + asked.lengths) % size > 0)
        one, busy = np.ones(len(writes)), served.ended - served.began
        return {
            "issued": one, "completed": one, "reads": ~writes, "writes": writes, "partial_writes": writes & partly,
            "bytes_read": asked.lengths * ~writes, "bytes_written": asked.lengths * writes,
            "busy": busy, "number_seconds": served.ended - served.came, "queue": served.began - served.came,
            "overhead": one * self._arm.overhead, "seek": served.seek, "rotation": served.rotation,
            "transfer": served.transfer, "channel": 0.0 * one,
        }  # fmt: skip

    def counts(self, drive: int) -> DriveCounts:
        totals = {name: float(sums[drive]) for name, sums in self._totals.items()}
        return ServedCounts(totals, self._arm.sector_bytes)


class ServedCounts(DriveCounts):
    """The *totals* of requests that all are done."""

    def __init__(self, totals: Mapping[str, float], sector_bytes: int) -> None:
        super().__init__(0.0, sector_bytes)
        self._totals = totals

    def busy(self, now: float) -> float:
        return self._totals["busy"]

    def reading(self, now: float) -> dict[str, float]:
        return dict(self._totals)


@compiled
def serve_all(
    arm: ArmTables, asked: Asked, closed: bool, arms: Integers, free: Floats, now: float, served: Served
) -> float:
    """Fill in *served* from *now* on, and bring *arms* to where they are then; the instant of the last, -1 if too late.

    That instant is the last end in a closed loop; in an open one it is when the last request came.
    """
    for each in range(len(asked.firsts)):
        drive = asked.drives[each]
        delay = asked.when[each] if closed else asked.when[each] - now
        came = now + delay if delay > 0.0 else now
        began = max(came, free[drive])
        seek, rotation, transfer, cylinder, head = serve(
            arm, arms[drive, 0], arms[drive, 1], began, asked.writes[each], asked.firsts[each], asked.lengths[each])
        if np.isnan(seek):
            return -1.0
        ended = began + (arm.overhead + seek + rotation + transfer)
        arms[drive, 0], arms[drive, 1], free[drive] = cylinder, head, ended
        served.came[each], served.began[each], served.ended[each] = came, began, ended
        served.seek[each], served.rotation[each], served.transfer[each] = seek, rotation, transfer
        now = ended if closed else came
    return now
