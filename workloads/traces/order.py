"""Sorts requests by their times, within a file and over several files."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from math import inf

import numpy as np
from numpy.typing import NDArray

from spindle.output.text import plural
from spindle.sim.error import UserError
from spindle.workloads.traces.batch import Batch, Floats, Part, Words, batch_of
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.record import Record

# Logs are written when requests are completed, so some requests come after later ones.

WINDOW, WINDOW_KEYS = 1 << 12, 1 << 20
"""Requests by which a request may be too late in a file, at least; fewer if they have WINDOW_KEYS keys of objects."""


def sort_by_time(parts: Generator[Part, None, None], faults: Faults) -> Generator[Part, None, None]:
    """Sort *parts* as far as WINDOW requests; times count from the first, if that is < 0.

    Parts without times, or with gaps and numbers, are lists in the right order, and are not sorted.
    """
    begin = 0.0
    with closing(parts):
        for number, part in enumerate(_sort(parts, faults)):
            times = _times(part)
            if not number and times is not None and len(times):
                begin = min(0.0, float(times[0]))
            yield part if not begin else _delay(part, -begin)
    if faults.late:
        stand = "stands" if faults.late == 1 else "stand"
        faults.note(f"{plural(faults.late, 'request')} {stand} out of order, behind later ones: sorted by time")


def _windows(parts: Iterator[Part]) -> Iterator[Part]:
    """Join and split *parts* so that each but the last has WINDOW requests at least, or WINDOW_KEYS keys."""
    held, keys = list[Record](), 0
    try:
        for part in parts:
            while count(part) and (held or count(part) < WINDOW):
                some = _records(_slice(part, 0, WINDOW - len(held)))
                part = _slice(part, len(some), count(part))
                held += some
                keys += sum(len(record.keys) for record in some)
                if len(held) >= WINDOW or keys >= WINDOW_KEYS:
                    yield held
                    held, keys = [], 0
            if count(part):
                yield part
    except UserError:
        yield held
        raise
    if held:
        yield held


def _sort(parts: Iterator[Part], faults: Faults) -> Iterator[Part]:
    """Sort each window with the next, holding one back; UserError where that is not enough."""
    held: Part | None = None
    done = newest = -inf
    try:
        for part in _windows(parts):
            times = _times(part)
            if times is None or not len(times):
                if held is not None:
                    yield held
                held = None
                yield part
                continue
            latest = np.maximum(np.maximum.accumulate(times), newest)
            faults.late += int((times < latest).sum())
            newest = latest[-1]
            part, times = _sort_part(part, times)
            if times[0] < done:
                raise UserError(TOO_LATE.format(times[0], done))
            before = None if held is None else _times(held)
            if held is not None and before is not None and before[-1] > times[0]:
                held, part = _merge(held, part)
            if held is not None:
                yield held
                done = last_time(held)
            held = part
    except UserError:
        if held is not None:
            yield held
        raise
    if held is not None:
        yield held


TOO_LATE = f"a request at {{:.9g}} s stands {WINDOW:,} requests or more behind one at {{:.9g}} s: sort the file by " \
          "time, or read files of two clocks apart"


def last_time(part: Part) -> float:
    """Return the time of the last of *part*; where there are no times, one that is before all."""
    times = _times(part)
    return -inf if times is None or not len(times) else float(times[-1])


def first_time(part: Part) -> float:
    """Return the time of the first of *part*; where there are no times, one that is after all."""
    times = _times(part)
    return inf if times is None or not len(times) else float(times[0])


def _times(part: Part) -> Floats | None:
    """Return the times of the requests; None where they are not to be sorted."""
    if isinstance(part, Batch):
        known = part.gaps is None and part.numbers is None and not np.isnan(part.times).any()
        return part.times if known else None
    if any(record.time is None or record.gap is not None or record.number is not None for record in part):
        return None
    return np.array([record.time for record in part], dtype=np.float64)


def _sort_part(part: Part, times: Floats) -> tuple[Part, Floats]:
    if (times[1:] >= times[:-1]).all():
        return part, times
    order = np.argsort(times, kind="stable")
    return _reorder(part, order), times[order]


def _merge(one: Part, other: Part) -> tuple[Part, Part]:
    """Merge both, and return them with the earlier half of all requests in the first."""
    records = [*_records(one), *_records(other)]
    records.sort(key=lambda record: record.time or 0.0)
    size = len(records) // 2
    return records[:size], records[size:]


def _slice(part: Part, begin: int, end: int) -> Part:
    return part.part(begin, end) if isinstance(part, Batch) else part[begin:end]


def _records(part: Part) -> Sequence[Record]:
    return list(part.records()) if isinstance(part, Batch) else part


def _reorder(part: Part, order: NDArray[np.int64]) -> Part:
    if not isinstance(part, Batch):
        return [part[place] for place in order.tolist()]
    if part.counts is not None and part.counts.max() > 1:
        records = list(part.records())
        return batch_of([records[place] for place in order.tolist()])
    return Batch._make(column if column is None else Words(column.codes[order], column.names)
                       if isinstance(column, Words) else column[order] for column in part)  # fmt: skip


def _delay(part: Part, seconds: float) -> Part:
    if isinstance(part, Batch):
        return part._replace(times=part.times + seconds)
    return [record._replace(time=None if record.time is None else record.time + seconds) for record in part]


# Files that were written beside each other, as those of several processors, jobs or volumes.

class _Stream:
    """The parts of a file, sorted, of which one is held."""

    def __init__(self, parts: Iterator[Part], faults: Faults) -> None:
        self._parts = _sort(parts, faults)
        self.part: Part = []

    def fill(self) -> bool:
        """Hold the next part if nothing is left of this; False at the end."""
        while not count(self.part):
            part = next(self._parts, None)
            if part is None:
                return False
            self.part = part
        return True

    def take(self, until: float) -> Sequence[Record]:
        """Take the requests up to the time *until*, or all if they have no times."""
        times, part = _times(self.part), self.part
        ready = count(part) if times is None else int(np.searchsorted(times, until, "right"))
        self.part = _slice(part, ready, count(part))
        return _records(_slice(part, 0, ready))


def count(part: Part) -> int:
    return part.requests if isinstance(part, Batch) else len(part)


def merge_files(files: Iterable[tuple[float, Callable[[], Iterator[Part]]]], faults: Faults) -> Iterator[Part]:
    """Merge *files*, each with its first time, by the times of their requests.

    A file is opened when the others have come to its first time.
    """
    waiting = sorted(files, key=lambda file: file[0], reverse=True)
    active = list[_Stream]()
    while waiting or active:
        while waiting and (not active or waiting[-1][0] <= min(last_time(stream.part) for stream in active)):
            stream = _Stream(waiting.pop()[1](), faults)
            active += [stream] if stream.fill() else []
        if len(active) == 1:
            yield active[0].part
            active[0].part = []
        elif active:
            until = min(last_time(stream.part) for stream in active)
            records = [record for stream in active for record in stream.take(until)]
            yield batch_of(sorted(records, key=lambda record: record.time or 0.0))
        active = [stream for stream in active if stream.fill()]
