"""Requests in the order of their times: logs are written when requests are done, so some stand behind later ones."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from spindle.output.text import counted
from spindle.sim.error import UserError
from spindle.workloads.traces.batch import Batch, Floats, Words, batch_of
from spindle.workloads.traces.faults import Faults, Part
from spindle.workloads.traces.record import Record


def in_order(parts: Generator[Part, None, None], faults: Faults) -> Generator[Part, None, None]:
    """*parts*, each sorted and with what follows it, so far as it reaches; times count from the first, if that is < 0.

    Those without times, or with gaps and numbers, which are a list in the order that counts, stay as they are.
    """
    begin = 0.0
    with closing(parts):
        for number, part in enumerate(_sorted(parts, faults)):
            times = _times(part)
            if not number and times is not None and len(times):
                begin = min(0.0, float(times[0]))
            yield part if not begin else _later(part, -begin)
    if faults.late:
        stand = "stands" if faults.late == 1 else "stand"
        faults.note(f"{counted(faults.late, 'request')} {stand} out of order, behind later ones: sorted by time")


def _sorted(parts: Iterator[Part], faults: Faults) -> Iterator[Part]:
    """One part is held back until the next is there."""
    held: Part | None = None
    try:
        for part in parts:
            times = _times(part)
            if times is None or not len(times):
                if held is not None:
                    yield held
                held = None
                yield part
                continue
            part, times = _in_itself(part, times, faults)
            before = None if held is None else _times(held)
            if held is not None and before is not None and before[-1] > times[0]:
                faults.late += int((times < before[-1]).sum())
                held, part = _joined(held, part)
            if held is not None:
                yield held
            held = part
    except UserError:
        if held is not None:
            yield held
        raise
    if held is not None:
        yield held


def _times(part: Part) -> Floats | None:
    """Of each request; None where they are not to be sorted."""
    if isinstance(part, Batch):
        known = part.gaps is None and part.numbers is None and not np.isnan(part.times).any()
        return part.times if known else None
    if any(record.time is None or record.gap is not None or record.number is not None for record in part):
        return None
    return np.array([record.time for record in part], dtype=np.float64)


def _in_itself(part: Part, times: Floats, faults: Faults) -> tuple[Part, Floats]:
    if (times[1:] >= times[:-1]).all():
        return part, times
    faults.late += int((times < np.maximum.accumulate(times)).sum())
    order = np.argsort(times, kind="stable")
    return _at(part, order), times[order]


def _joined(one: Part, other: Part) -> tuple[Part, Part]:
    """Both, with the earlier of all requests in the first."""
    records = [*_records(one), *_records(other)]
    records.sort(key=lambda record: record.time or 0.0)
    size = len(records) // 2
    return batch_of(records[:size]), batch_of(records[size:])


def _records(part: Part) -> Sequence[Record]:
    return list(part.records()) if isinstance(part, Batch) else part


def _at(part: Part, order: NDArray[np.int64]) -> Part:
    if not isinstance(part, Batch):
        return [part[place] for place in order.tolist()]
    if part.counts is not None and part.counts.max() > 1:
        records = list(part.records())
        return batch_of([records[place] for place in order.tolist()])
    return Batch._make(column if column is None else Words(column.codes[order], column.names)
                       if isinstance(column, Words) else column[order] for column in part)  # fmt: skip


def _later(part: Part, seconds: float) -> Part:
    if isinstance(part, Batch):
        return part._replace(times=part.times + seconds)
    return [record._replace(time=None if record.time is None else record.time + seconds) for record in part]
