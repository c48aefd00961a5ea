"""Responses of an open trace whose host is unknown, as intervals over orders of its queue, with and without chains."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.sim.disc.drive import Scheduler
from spindle.sim.disc.scheduling import CLook, Look, ReadsFirst, Sstf
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, Request
from spindle.sim.units import MS
from spindle.studies.demerit import distance
from spindle.traces.replay.drives import OPEN, Replay, request_list
from spindle.traces.replay.hosts import Chained, Links
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

ORDERS: Mapping[str, Callable[[], Scheduler]] = {
    "c-look": CLook, "look": Look, "sstf": Sstf, "reads-first": ReadsFirst,
}  # fmt: skip
"""Orders of the host's queue; reads-first is the order in which reads wait least."""
DAY = 86_400.0
LEGEND = """\
A reading assumes an order of the host's queue, and that requests wait, or not, for the reads before them.
The trace does not say which is right: expect the mean within the interval. The last columns show the
reading that is best on the other days, and its demerit on this one."""


@dataclass(frozen=True)
class ReadingAnswers:
    """The responses of an open trace by each reading, and those measured; seconds."""

    days: npt.NDArray[np.int_]
    reads: Mask
    measured: Times
    predicted: Mapping[str, Times]

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
        return min(self.predicted, key=lambda reading: self.demerit(reading, mask))


def readings(sheet: DriveSheet, requests: Path, max_gap: float) -> ReadingAnswers:
    """Replay *requests* under each reading; within a chain a request comes at most *max_gap* seconds after a read."""
    found: dict[str, list[tuple[int, float, bool, float, float]]] = {}
    trace = request_list(requests, sheet)
    records = list(trace)
    for order, scheduler in ORDERS.items():
        for limit in (None, max_gap):
            name = order if limit is None else f"{order}, chains"
            found[name] = sorted(_answers(sheet, trace, records, scheduler, limit))
    _, times, reads, measured, _ = np.array(found["c-look"]).T
    return ReadingAnswers(((times - times.min()) // DAY).astype(int), reads.astype(bool), measured,
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
        means = {reading: float(times[mask].mean()) for reading, times in found.predicted.items()}
        low, high, measured = min(means.values()), max(means.values()), float(found.measured[mask].mean())
        others = (found.reads if group == "reads" else ~found.reads) & ~mask
        left = {}
        if others.any() and day != "all":
            best = found.best(others)
            left = {"best_on_other_days": best, "demerit": found.demerit(best, mask)}
        yield {"day": day, "group": group, "requests": int(mask.sum()), "measured_ms": measured / MS,
               "low_ms": low / MS, "high_ms": high / MS, "inside": low <= measured <= high, **left}  # fmt: skip


def page(found: ReadingAnswers) -> Iterator[str]:
    head = f"{'day':<5}{'group':<8}{'requests':>9}{'measured, ms':>14}{'readings, ms':>18}"
    yield f"{head}  {'best on other days':<20}demerit"
    for row in rows(found):
        interval = f"{row['low_ms']:.1f} to {row['high_ms']:.1f}{'' if row['inside'] else ' !'}"
        left = f"{row['best_on_other_days']:<20}{row['demerit']:>7.1%}" if "demerit" in row else ""
        yield (f"{row['day']:<5}{row['group']:<8}{row['requests']:>9,}{row['measured_ms']:>14.1f}{interval:>18}  "
               f"{left}").rstrip()  # fmt: skip
    yield from ("", "Readings: " + "; ".join(found.predicted), LEGEND, "! is outside.")
