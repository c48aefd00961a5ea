"""Simple lines of a plan, as CSV has them, read by columns."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spindle.sim.request import Op
from spindle.workloads.traces.formats.rows import DELETES, LATEST, MOST_KEYS
from spindle.workloads.traces.quick.batch import Integers, QuickBatch, Words, held, never, nobody, whole_lines
from spindle.workloads.traces.quick.columns import QuickColumns, columns_of, type_of
from spindle.workloads.traces.quick.plan import QuickPlan
from spindle.workloads.traces.record import TraceLimits

MEASURED = ("response", "gap", "service", "queue")
EXACT = 2.0**53
"""From here on whole numbers are lost among the floats that Arrow makes of a column where one is missing."""


class QuickLines:
    """Lines of *plan*; the *first* of them has those cells."""

    def __init__(self, plan: QuickPlan, first: list[str], limits: TraceLimits) -> None:
        held(len(first) == len(plan.fields))
        self.keyed = plan.keyed
        self._plan = plan
        self._limits = limits
        self._types: list[pa.DataType] = [type_of(*each) for each in zip(plan.fields, first, strict=True)]
        self._began: float | None = None

    def batches(self, pieces: Iterator[bytes]) -> Iterator[QuickBatch]:
        skip, plan = self._plan.skip, self._plan
        for block in whole_lines(pieces, self._limits.line):
            columns = QuickColumns(plan.fields, columns_of(block, plan.fields, self._types, plan.mark, skip))
            skip = 0
            if len(columns):
                yield self._batch(columns)

    def _batch(self, columns: QuickColumns) -> QuickBatch:
        times = self._times(columns)
        wanted, writes = self._operations(columns)
        for part in MEASURED:
            if columns.has(part):
                values, unit = columns.numbers(part)
                held(not bool((values * unit > self._limits.latest / 2).any()))
        owners = _owners(columns)
        whose = Words(owners.codes[wanted], owners.names)
        lengths = _lengths(columns, self.keyed)[wanted]
        batch = QuickBatch(times[wanted], never(len(lengths)), writes[wanted], whose, lengths)
        if not self.keyed:
            return batch._replace(firsts=columns.wholes("first"), gaps=_gaps(columns))
        return _of_objects(batch, columns, wanted)

    def _times(self, columns: QuickColumns) -> NDArray[np.float64]:
        if columns.has("time"):
            return columns.numbers("time")[0].astype(np.float64)
        if not columns.has("clock"):
            return never(len(columns))
        clock, tick = columns.numbers("clock")
        known = clock[~np.isnan(clock)]
        held(clock.dtype.kind != "f" or not bool((known >= EXACT).any()))
        if self._began is None and len(known):
            self._began = known[0]
            held(bool(self._plan.ticks) or tick != 1 or known[0] <= LATEST)
        since = (clock - (self._began or 0)).astype(np.float64)
        return since / self._plan.ticks if self._plan.ticks else since * tick

    def _operations(self, columns: QuickColumns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which lines ask for something, and which of them write."""
        for codes, words in columns.words("op"):
            deletes = np.array([self.keyed and word.strip().lower() in DELETES for word in words])
            writes = np.array([self._plan.ops.get(word.strip().lower()) is Op.WRITE for word in words])
            return ~deletes[codes], writes[codes]
        return np.ones(len(columns), dtype=np.bool_), np.zeros(len(columns), dtype=np.bool_)


def _owners(columns: QuickColumns) -> Words:
    """The parts of a device's name are joined by points, of each pair that there is."""
    owners = nobody(len(columns))
    for part, (more, words) in enumerate(columns.words("device")):
        pairs, codes = np.unique(owners.codes * len(words) + more, return_inverse=True)
        before, after = np.divmod(pairs, max(1, len(words)))
        names = [f"{owners.names[one]}.{words[other]}" if part else words[other]
                 for one, other in zip(before.tolist(), after.tolist(), strict=True)]
        owners = Words(codes.astype(np.int64), names)
    return owners


def _lengths(columns: QuickColumns, keyed: bool) -> Integers:
    lengths = np.ones(len(columns), np.int64) if keyed and not columns.has("length") else columns.wholes("length")
    return lengths + columns.wholes("extra") if columns.has("extra") else lengths


def _gaps(columns: QuickColumns) -> NDArray[np.float64] | None:
    if not columns.has("gap"):
        return None
    values, unit = columns.numbers("gap")
    return values.astype(np.float64) * unit


def _of_objects(batch: QuickBatch, columns: QuickColumns, wanted: NDArray[np.bool_]) -> QuickBatch:
    keys = next(columns.words("key"))
    counts = columns.wholes("count") if columns.has("count") else np.ones(len(columns), dtype=np.int64)
    held(bool(((counts > 0) & (counts <= MOST_KEYS)).all()))
    counts = counts[wanted]
    if columns.has("ttl"):
        given = columns.numbers("ttl")[0][wanted]
        batch = batch._replace(ttls=np.where(given > 0, given, np.nan))
    names = [name.strip() for name in keys.names]
    return batch._replace(keys=Words(np.repeat(keys.codes[wanted], counts), names), counts=counts)
