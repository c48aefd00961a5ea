"""An interval over what is not known of a host: the order of its queue, and whether its requests wait for reads."""

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
from spindle.studies.confidence import distance
from spindle.traces.replay.drives import OPEN, Replay, request_list
from spindle.traces.replay.hosts import Chained, Links
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

ORDERS: Mapping[str, Callable[[], Scheduler]] = {
    "c-look": CLook, "look": Look, "sstf": Sstf, "reads-first": ReadsFirst,
}  # fmt: skip
"""Of a driver that sorts its queue; reads-first is the least that any can let its reads wait."""
DAY = 86_400.0
LEGEND = """\
A reading is an order of the host's queue, and whether requests wait for the reads that they followed.
Which is right the trace does not say: expect the mean within the interval. The last columns take the
reading that is best on the other days, with its demerit on this one."""


@dataclass(frozen=True)
class ReadingAnswers:
    """The responses of an open trace by each reading, and those measured; seconds."""

    days: npt.NDArray[np.int_]
    reads: Mask
    measured: Times
    predicted: Mapping[str, Times]

    def groups(self) -> Iterator[tuple[str, str, Mask]]:
        """Each day, and all of them, with the reads and the writes of it."""
        parts = {str(day + 1): self.days == day for day in np.unique(self.days)}
        if len(parts) > 1:
            parts["all"] = np.ones(len(self.days), bool)
        for name, day in parts.items():
            for group, of in (("reads", self.reads), ("writes", ~self.reads)):
                if (day & of).any():
                    yield name, group, day & of

    def demerit(self, reading: str, of: Mask) -> float:
        return distance(self.measured[of], self.predicted[reading][of]).share

    def best(self, of: Mask) -> str:
        return min(self.predicted, key=lambda reading: self.demerit(reading, of))


def readings(sheet: DriveSheet, requests: Path, chains: float) -> ReadingAnswers:
    """Replay *requests* under each reading; chains are of up to so many seconds."""
    found: dict[str, list[tuple[int, float, bool, float, float]]] = {}
    trace = request_list(requests, sheet)
    records = list(trace)
    for order, scheduler in ORDERS.items():
        for limit in (None, chains):
            name = order if limit is None else f"{order}, chains"
            found[name] = sorted(_answers(sheet, trace, records, scheduler, limit))
    _, times, reads, measured, _ = np.array(found["c-look"]).T
    return ReadingAnswers(((times - times.min()) // DAY).astype(int), reads.astype(bool), measured,
                          {name: np.array(rows)[:, 4] for name, rows in found.items()})  # fmt: skip


def _answers(
    sheet: DriveSheet, trace: Trace, records: Sequence[Record], scheduler: Callable[[], Scheduler],
    limit: float | None,
) -> Sequence[tuple[int, float, bool, float, float]]:
    """Of each request its number, its time, whether it reads, and its response as measured and as predicted."""
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
    """A row for each day and for reads and writes apart."""
    for day, group, of in found.groups():
        means = {reading: float(times[of].mean()) for reading, times in found.predicted.items()}
        low, high, measured = min(means.values()), max(means.values()), float(found.measured[of].mean())
        others = (found.reads if group == "reads" else ~found.reads) & ~of
        left = {}
        if others.any() and day != "all":
            best = found.best(others)
            left = {"best_on_other_days": best, "demerit": found.demerit(best, of)}
        yield {"day": day, "group": group, "requests": int(of.sum()), "measured_ms": measured / MS, "low_ms": low / MS,
               "high_ms": high / MS, "inside": low <= measured <= high, **left}  # fmt: skip


def page(found: ReadingAnswers) -> Iterator[str]:
    head = f"{'day':<5}{'group':<8}{'requests':>9}{'measured, ms':>14}{'readings, ms':>18}"
    yield f"{head}  {'best on other days':<20}demerit"
    for row in rows(found):
        interval = f"{row['low_ms']:.1f} to {row['high_ms']:.1f}{'' if row['inside'] else ' !'}"
        left = f"{row['best_on_other_days']:<20}{row['demerit']:>7.1%}" if "demerit" in row else ""
        yield (f"{row['day']:<5}{row['group']:<8}{row['requests']:>9,}{row['measured_ms']:>14.1f}{interval:>18}  "
               f"{left}").rstrip()  # fmt: skip
    yield from ("", "Readings: " + "; ".join(found.predicted), LEGEND, "! is outside.")
