"""Sorts requests by their times, within a file and over several files."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from math import inf

import numpy as np
from numpy.typing import NDArray

from spindle.output.text import plural
from spindle.sim.error import UserError
from spindle.workloads.traces.batch import Batch, Floats, Stretch, Words, batch_of
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.record import Record

# Logs are written when requests are completed, so some requests come after later ones.

WINDOW, WINDOW_KEYS = 1 << 12, 1 << 20
"""Requests by which a request may be too late in a file, at least; fewer if they have WINDOW_KEYS keys of objects."""


def sort_by_time(stretches: Generator[Stretch, None, None], faults: Faults) -> Generator[Stretch, None, None]:
    """Sort *stretches* as far as WINDOW requests; times count from the first, if that is < 0.

    Stretches without times, or with gaps and numbers, are lists in the right order, and are not sorted.
    """
    begin = 0.0
    with closing(stretches):
        for number, stretch in enumerate(_sort(stretches, faults)):
            times = _times(stretch)
            if not number and times is not None and len(times):
                begin = min(0.0, float(times[0]))
            yield stretch if not begin else _delay(stretch, -begin)
    if faults.late:
        stand = "stands" if faults.late == 1 else "stand"
        faults.note(f"{plural(faults.late, 'request')} {stand} out of order, behind later ones: sorted by time")


def _windows(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Join and split *stretches* so that each but the last has WINDOW requests at least, or WINDOW_KEYS keys."""
    held, keys = list[Record](), 0
    try:
        for stretch in stretches:
            while count(stretch) and (held or count(stretch) < WINDOW):
                some = _records(_slice(stretch, 0, WINDOW - len(held)))
                stretch = _slice(stretch, len(some), count(stretch))
                held += some
                keys += sum(len(record.keys) for record in some)
                if len(held) >= WINDOW or keys >= WINDOW_KEYS:
                    yield held
                    held, keys = [], 0
            if count(stretch):
                yield stretch
    except UserError:
        yield held
        raise
    if held:
        yield held


def _sort(stretches: Iterator[Stretch], faults: Faults) -> Iterator[Stretch]:
    """Sort each window with the next, holding one back; UserError where that is not enough."""
    held: Stretch | None = None
    done = newest = -inf
    try:
        for stretch in _windows(stretches):
            times = _times(stretch)
            if times is None or not len(times):
                if held is not None:
                    yield held
                held = None
                yield stretch
                continue
            latest = np.maximum(np.maximum.accumulate(times), newest)
            faults.late += int((times < latest).sum())
            newest = latest[-1]
            stretch, times = _sort_stretch(stretch, times)
            if times[0] < done:
                raise UserError(TOO_LATE.format(times[0], done))
            before = None if held is None else _times(held)
            if held is not None and before is not None and before[-1] > times[0]:
                held, stretch = _merge(held, stretch)
            if held is not None:
                yield held
                done = last_time(held)
            held = stretch
    except UserError:
        if held is not None:
            yield held
        raise
    if held is not None:
        yield held


TOO_LATE = f"a request at {{:.9g}} s stands {WINDOW:,} requests or more behind one at {{:.9g}} s: sort the file by " \
          "time, or read files of two clocks apart"


def last_time(stretch: Stretch) -> float:
    """Return the time of the last of *stretch*; where there are no times, one that is before all."""
    times = _times(stretch)
    return -inf if times is None or not len(times) else float(times[-1])


def first_time(stretch: Stretch) -> float:
    """Return the time of the first of *stretch*; where there are no times, one that is after all."""
    times = _times(stretch)
    return inf if times is None or not len(times) else float(times[0])


def _times(stretch: Stretch) -> Floats | None:
    """Return the times of the requests; None where they are not to be sorted."""
    if isinstance(stretch, Batch):
        known = stretch.gaps is None and stretch.numbers is None and not np.isnan(stretch.times).any()
        return stretch.times if known else None
    if any(record.time is None or record.gap is not None or record.number is not None for record in stretch):
        return None
    return np.array([record.time for record in stretch], dtype=np.float64)


def _sort_stretch(stretch: Stretch, times: Floats) -> tuple[Stretch, Floats]:
    if (times[1:] >= times[:-1]).all():
        return stretch, times
    order = np.argsort(times, kind="stable")
    return _reorder(stretch, order), times[order]


def _merge(one: Stretch, other: Stretch) -> tuple[Stretch, Stretch]:
    """Merge both, and return them with the earlier half of all requests in the first."""
    records = [*_records(one), *_records(other)]
    records.sort(key=lambda record: record.time or 0.0)
    size = len(records) // 2
    return records[:size], records[size:]


def _slice(stretch: Stretch, begin: int, end: int) -> Stretch:
    return stretch.slice(begin, end) if isinstance(stretch, Batch) else stretch[begin:end]


def _records(stretch: Stretch) -> Sequence[Record]:
    return list(stretch.records()) if isinstance(stretch, Batch) else stretch


def _reorder(stretch: Stretch, order: NDArray[np.int64]) -> Stretch:
    if not isinstance(stretch, Batch):
        return [stretch[place] for place in order.tolist()]
    if stretch.counts is not None and stretch.counts.max() > 1:
        records = list(stretch.records())
        return batch_of([records[place] for place in order.tolist()])
    return Batch._make(column if column is None else Words(column.codes[order], column.names)
                       if isinstance(column, Words) else column[order] for column in stretch)  # fmt: skip


def _delay(stretch: Stretch, seconds: float) -> Stretch:
    if isinstance(stretch, Batch):
        return stretch._replace(times=stretch.times + seconds)
    return [record._replace(time=None if record.time is None else record.time + seconds) for record in stretch]


# Files that were written beside each other, as those of several processors, jobs or volumes.

class _Stream:
    """The stretches of a file, sorted, of which one is held."""

    def __init__(self, stretches: Iterator[Stretch], faults: Faults) -> None:
        self._stretches = _sort(stretches, faults)
        self.stretch: Stretch = []

    def fill(self) -> bool:
        """Hold the next stretch if nothing is left of this; False at the end."""
        while not count(self.stretch):
            stretch = next(self._stretches, None)
            if stretch is None:
                return False
            self.stretch = stretch
        return True

    def take(self, until: float) -> Sequence[Record]:
        """Take the requests up to the time *until*, or all if they have no times."""
        times, stretch = _times(self.stretch), self.stretch
        ready = count(stretch) if times is None else int(np.searchsorted(times, until, "right"))
        self.stretch = _slice(stretch, ready, count(stretch))
        return _records(_slice(stretch, 0, ready))


def count(stretch: Stretch) -> int:
    return stretch.requests if isinstance(stretch, Batch) else len(stretch)


def merge_files(files: Iterable[tuple[float, Callable[[], Iterator[Stretch]]]], faults: Faults) -> Iterator[Stretch]:
    """Merge *files*, each with its first time, by the times of their requests.

    A file is opened when the others have come to its first time.
    """
    waiting = sorted(files, key=lambda file: file[0], reverse=True)
    active = list[_Stream]()
    while waiting or active:
        while waiting and (not active or waiting[-1][0] <= min(last_time(stream.stretch) for stream in active)):
            stream = _Stream(waiting.pop()[1](), faults)
            active += [stream] if stream.fill() else []
        if len(active) == 1:
            yield active[0].stretch
            active[0].stretch = []
        elif active:
            until = min(last_time(stream.stretch) for stream in active)
            records = [record for stream in active for record in stream.take(until)]
            yield batch_of(sorted(records, key=lambda record: record.time or 0.0))
        active = [stream for stream in active if stream.fill()]
