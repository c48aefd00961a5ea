"""Predicts responses of an open trace whose host is unknown, as intervals over all readings of the host.

A reading assumes one order of the host's queue, with or without chains: requests that waited for a read before them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.scheduling import CLook, Look, ReadsFirst, Sstf
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, Request
from spindle.sim.units import DAY, MS
from spindle.studies.demerit import distance
from spindle.traces.replay.drives import OPEN, Replay, request_list
from spindle.traces.replay.hosts import Chained, Links
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

HOST_SCHEDULERS: Mapping[str, Callable[[], Scheduler]] = {
    "c-look": CLook, "look": Look, "sstf": Sstf, "reads-first": ReadsFirst,
}  # fmt: skip
"""Orders of the host's queue that are tried; with reads-first, reads wait least."""
UNORDERED = "fcfs"
"""The order of a host that does not order its queue; used for days with more load than any other day."""
HOST_LEGEND = """\
A reading assumes an order of the host's queue, and that requests wait, or not, for the reads before them.
The trace does not say which is right: expect the mean within the interval, which is that of all readings,
wider by what they were off on the other days. The last columns show the reading that is best on the other
days, and its demerit on this one. On a day outside, that error is taken to grow with the queue."""


@dataclass(frozen=True)
class DayLoad:
    """The load of a day: requests *a_second*, and *met*, how many each meets under way on average, by simulation."""

    a_second: float
    met: float


@dataclass(frozen=True)
class ReadingAnswers:
    """Responses of an open trace, *measured* and *predicted* by each reading, in seconds."""

    arrived: Times
    reads: Mask
    measured: Times
    predicted: Mapping[str, Times]

    @cached_property
    def days(self) -> npt.NDArray[np.int_]:
        """The day of each request, from 0 on."""
        days: npt.NDArray[np.int_] = ((self.arrived - self.arrived.min()) // DAY).astype(int)
        return days

    @cached_property
    def loads(self) -> Mapping[int, DayLoad]:
        return {int(day): self._load(self.days == day) for day in np.unique(self.days)}

    def _load(self, day: Mask) -> DayLoad:
        arrived = self.arrived[day]
        done = np.sort(arrived + next(iter(self.predicted.values()))[day])
        met = np.arange(len(arrived)) - np.searchsorted(done, arrived, side="right")
        return DayLoad(len(arrived) / max(float(np.ptp(arrived)), 1.0), float(met.mean()))

    def outside(self, day: int) -> float:
        """Return 0 for a *day* whose load and queue other days reach; otherwise its queue as a multiple of theirs."""
        others = [load for other, load in self.loads.items() if other != day]
        mine = self.loads[day]
        most, longest = (max(numbers, default=inf) for numbers in ([each.a_second for each in others],
                                                                   [each.met for each in others]))  # fmt: skip
        if mine.a_second <= most and mine.met <= longest:
            return 0.0
        return max(1.0, mine.met / longest) if longest else 1.0

    def expected(self, mask: Mask, others: Mask, outside: float) -> tuple[float, float]:
        """Return the least and the greatest mean of *mask*, by all readings and their errors on days of *others*."""
        readings = [times for name, times in self.predicted.items() if outside or UNORDERED not in name]
        means = [float(times[mask].mean()) for times in readings]
        days = [others & (self.days == day) for day in np.unique(self.days[others])]
        ratios = [1.0, *(float(self.measured[day].mean() / times[day].mean()) for day in days for times in readings)]
        low, high = min(ratios), max(ratios)
        if outside:
            high = max(high, 1.0 / low) ** outside
            low = 1.0 / high
        return min(means) * low, max(means) * high

    def groups(self) -> Iterator[tuple[str, str, Mask]]:
        """Yield each day, and all days together, with a mask of the reads and one of the writes."""
        parts = {str(day + 1): self.days == day for day in np.unique(self.days)}
        if len(parts) > 1:
            parts["all"] = np.ones(len(self.days), bool)
        for name, day in parts.items():
            for group, mask in (("reads", self.reads), ("writes", ~self.reads)):
                if (day & mask).any():
                    yield name, group, day & mask

    def demerit(self, reading: str, mask: Mask) -> float:
        return distance(self.measured[mask], self.predicted[reading][mask]).share

    def best(self, mask: Mask) -> str:
        ordered = [reading for reading in self.predicted if UNORDERED not in reading]
        return min(ordered, key=lambda reading: self.demerit(reading, mask))


def readings(sheet: DriveSheet, requests: Path, max_gap: float) -> ReadingAnswers:
    """Replay *requests* under each reading; in a chain a request was made at most *max_gap* seconds after a read."""
    found: dict[str, list[tuple[int, float, bool, float, float]]] = {}
    trace = request_list(requests, sheet)
    records = list(trace)
    for order, scheduler in {**HOST_SCHEDULERS, UNORDERED: Fcfs}.items():
        for limit in (None, max_gap):
            name = order if limit is None else f"{order}, chains"
            found[name] = sorted(_answers(sheet, trace, records, scheduler, limit))
    _, times, reads, measured, _ = np.array(found["c-look"]).T
    return ReadingAnswers(times, reads.astype(bool), measured,
                          {name: np.array(rows)[:, 4] for name, rows in found.items()})  # fmt: skip


def _answers(
    sheet: DriveSheet, trace: Trace, records: Sequence[Record], scheduler: Callable[[], Scheduler],
    limit: float | None,
) -> Sequence[tuple[int, float, bool, float, float]]:
    """For each request return its number, its time, if it is a read, and its measured and predicted response."""
    rows = []

    def add_row(record: Record, response: float, _: Request) -> None:
        if record.response is None or record.number is None or record.time is None:
            raise UserError(f"{trace.path}: request {record.number} has no measured response, "
                            "which --readings compares")  # fmt: skip
        rows.append((record.number, record.time, record.op is READ, record.response, response))

    loop = OPEN if limit is None else replace(OPEN, host=partial(Chained, links=Links(limit)))
    Replay(sheet, trace, loop, scheduler).run(iter(records), add_row)
    return rows


def rows(found: ReadingAnswers) -> Iterator[dict[str, Any]]:
    """Yield a row for the reads and one for the writes of each day."""
    for day, group, mask in found.groups():
        others = (found.reads if group == "reads" else ~found.reads) & ~mask
        outside = found.outside(int(day) - 1) if day != "all" else 0.0
        low, high = found.expected(mask, others, outside)
        measured = float(found.measured[mask].mean())
        left = {}
        if others.any():
            best = found.best(others)
            left = {"best_on_other_days": best, "demerit": found.demerit(best, mask), "outside": outside}
        yield {"day": day, "group": group, "requests": int(mask.sum()), "measured_ms": measured / MS,
               "low_ms": low / MS, "high_ms": high / MS, "inside": low <= measured <= high, **left}  # fmt: skip


def page(found: ReadingAnswers) -> Iterator[str]:
    head = f"{'day':<5}{'group':<8}{'requests':>9}{'measured, ms':>14}{'expected, ms':>18}"
    yield f"{head}  {'best on other days':<20}demerit"
    for row in rows(found):
        interval = f"{row['low_ms']:.1f} to {row['high_ms']:.1f}{'' if row['inside'] else ' !'}"
        left = f"{row['best_on_other_days']:<20}{row['demerit']:>7.1%}" if "demerit" in row else ""
        yield (f"{row['day']:<5}{row['group']:<8}{row['requests']:>9,}{row['measured_ms']:>14.1f}{interval:>18}  "
               f"{left}").rstrip()  # fmt: skip
    for day, load in found.loads.items():
        if found.outside(day):
            yield (f"Day {day + 1} is outside what the others show: {load.a_second:.3g} requests a second, each of "
                   f"which meets {load.met:.3g} others.")  # fmt: skip
    yield from ("", "Readings: " + "; ".join(name for name in found.predicted if UNORDERED not in name), HOST_LEGEND,
                "! is not as expected.")  # fmt: skip
