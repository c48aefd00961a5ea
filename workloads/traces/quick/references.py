"""The references of a simple trace, in arrays from the beginning: the same as those of its records."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.curve.replay import block_references
from sim.request import Op
from workloads.traces import source
from workloads.traces.blocks import APART, Blocks, BlockString
from workloads.traces.formats.rows import DELETES, LATEST, MOST_KEYS
from workloads.traces.gathering import TraceReferences, few_enough
from workloads.traces.limits import TraceLimits
from workloads.traces.quick.columns import NotSimpleError, QuickColumns, column_batches, held
from workloads.traces.quick.plan import QuickPlan, quick_plan
from workloads.traces.reader import Trace
from workloads.traces.record import number_of

Integers = NDArray[np.int64]


class Requests(NamedTuple):
    """Some requests: *blocks* of all, and *counts*, *sizes*, *times*, *whose*, *ttls* and *writes* of each."""

    blocks: Blocks
    counts: Integers
    sizes: Integers
    times: NDArray[np.float64]
    whose: Integers
    ttls: NDArray[np.float64]
    writes: NDArray[np.bool_]


class QuickReferences:
    """Goes through *trace* by columns, a batch at a time; *owners* are the devices so far.

    NotSimpleError, perhaps behind some batches, where that cannot be done, or where a careful reader would refuse it.
    """

    def __init__(self, trace: Trace, block: int) -> None:
        BlockString(block)  # refuses a block that is too small
        self.owners: dict[str, int] = {}
        self.keyed = False
        self._trace = trace
        self._block = block
        self._began: float | None = None
        self._newest = -np.inf

    def __iter__(self) -> Iterator[Requests]:
        trace, limits = self._trace, self._trace.limits
        head = source.head(trace.path, limits)
        plan = quick_plan(trace.format.name, head)
        if plan is None:
            raise NotSimpleError
        self.keyed = plan.keyed
        lines = head.decode("utf-8", "replace").split("\n")[plan.skip : plan.skip + 1]
        first = lines[0].split(plan.mark) if lines else []
        for columns in column_batches(plan, source.pieces(trace.path, limits), first):
            if len(columns):
                yield self._requests(plan, columns, limits)

    def _requests(self, plan: QuickPlan, columns: QuickColumns, limits: TraceLimits) -> Requests:
        times = self._times(plan, columns)
        wanted, writes = _operations(plan, columns)
        whose = self._whose(columns, wanted, limits)
        if plan.keyed:
            blocks, counts, sizes = _objects(columns, wanted)
        else:
            blocks, counts, sizes = self._bytes(columns, whose, limits)
        ttls = np.full(len(columns), np.nan)
        if plan.keyed and columns.has("ttl"):
            given = columns.numbers("ttl")[0]
            ttls = np.where(given > 0, given, np.nan)
        parts = Requests(blocks, counts, sizes[wanted], times[wanted], whose, ttls[wanted], writes[wanted])
        held(bool((parts.sizes > 0).all() and (parts.sizes <= (limits.end if plan.keyed else limits.length)).all()))
        self._in_order(parts.times, limits)
        return parts

    def _times(self, plan: QuickPlan, columns: QuickColumns) -> NDArray[np.float64]:
        if columns.has("time"):
            return columns.numbers("time")[0].astype(np.float64)
        if not columns.has("clock"):
            return np.full(len(columns), np.nan)
        clock, tick = columns.numbers("clock")
        known = clock[~np.isnan(clock)]
        if self._began is None and len(known):
            self._began = known[0]
            held(bool(plan.ticks) or tick != 1 or known[0] <= LATEST)
        since = (clock - (self._began or 0)).astype(np.float64)
        return since / plan.ticks if plan.ticks else since * tick

    def _in_order(self, times: NDArray[np.float64], limits: TraceLimits) -> None:
        known = times[~np.isnan(times)]
        if len(known):
            newest = np.maximum.accumulate(np.maximum(known, self._newest))
            before = np.concatenate([[self._newest], newest[:-1]])
            held(bool((known >= before - limits.slack).all() and newest[-1] <= limits.latest))
            self._newest = float(newest[-1])

    def _whose(self, columns: QuickColumns, wanted: NDArray[np.bool_], limits: TraceLimits) -> Integers:
        """The number of the device of each that is *wanted*, by the order in which they come."""
        codes, names = np.zeros(len(columns), dtype=np.int64), [""]
        for part, (more, words) in enumerate(columns.words("device")):
            codes = codes * len(words) + more
            names = [f"{name}.{word}" if part else word for name in names for word in words]
        codes = codes[wanted]
        first = np.full(len(names), -1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several in one place the last stays there
        there = np.flatnonzero(first >= 0)
        numbers = np.zeros(len(names), dtype=np.int64)
        for each in there[np.argsort(first[there])]:
            numbers[each] = self.owners.setdefault(names[each], len(self.owners))
        held(len(self.owners) <= limits.devices)
        return numbers[codes]

    def _bytes(self, columns: QuickColumns, whose: Integers, limits: TraceLimits) -> tuple[Blocks, Integers, Integers]:
        firsts, lengths = columns.wholes("first"), columns.wholes("length")
        held(bool((lengths > 0).all() and (firsts + lengths <= limits.end).all()))
        begins = firsts // self._block
        counts = (firsts + lengths - 1) // self._block - begins + 1
        begins += whose * APART
        if counts.max() == 1:
            return begins, counts, lengths
        return block_references(np.stack([begins, counts], axis=1), 1), counts, lengths


def quick_references(trace: Trace, block: int, most: int | None = None) -> TraceReferences | None:
    """The references of the first *most* requests of *trace*, as gathered has them; None where it must be."""
    quick = QuickReferences(trace, block)
    parts: list[Requests] = []
    left = most
    try:
        for part in quick:
            parts.append(part if left is None else _first(part, left))
            few_enough(sum(len(each.blocks) for each in parts))
            left = None if left is None else left - len(parts[-1].counts)
            if left == 0:
                break
    except NotSimpleError:
        return None
    if not parts:
        return None
    whole = Requests._make(np.concatenate(column) for column in zip(*parts, strict=True))
    owners = list(quick.owners)[: int(whole.whose.max()) + 1] if len(whole.whose) else []
    return TraceReferences(*whole, owners, quick.keyed)


def quick_blocks(trace: Trace, block: int) -> Iterator[Blocks]:
    """The blocks alone, a batch at a time; NotSimpleError, perhaps behind some, where they must be read with care."""
    return (part.blocks for part in QuickReferences(trace, block))


def _first(part: Requests, most: int) -> Requests:
    kept = part.counts[:most]
    return Requests._make([part.blocks[: int(kept.sum())], *(each[:most] for each in part[1:])])


def _operations(plan: QuickPlan, columns: QuickColumns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which lines ask for something, and which of them write."""
    for codes, words in columns.words("op"):
        deletes = np.array([plan.keyed and word.strip().lower() in DELETES for word in words])
        writes = np.array([plan.ops.get(word.strip().lower()) is Op.WRITE for word in words])
        return ~deletes[codes], writes[codes]
    return np.ones(len(columns), dtype=np.bool_), np.zeros(len(columns), dtype=np.bool_)


def _objects(columns: QuickColumns, wanted: NDArray[np.bool_]) -> tuple[Blocks, Integers, Integers]:
    codes, keys = next(columns.words("key"))
    numbers = np.array([number_of(key.strip()) for key in keys], dtype=np.int64)
    counts = columns.wholes("count") if columns.has("count") else np.ones(len(columns), dtype=np.int64)
    held(bool(((counts > 0) & (counts <= MOST_KEYS)).all()))
    sizes = columns.wholes("length") if columns.has("length") else np.ones(len(columns), dtype=np.int64)
    if columns.has("extra"):
        sizes = sizes + columns.wholes("extra")
    return np.repeat(numbers[codes[wanted]], counts[wanted]), counts[wanted], sizes
