"""The references of a simple trace, in arrays from the beginning: the same as those of its records."""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.curve.replay import block_references
from workloads.traces import source
from workloads.traces.binary import BinaryFormat
from workloads.traces.blocks import APART, Blocks, BlockString
from workloads.traces.faults import Format
from workloads.traces.formats.jsonl import JsonLines
from workloads.traces.formats.lcs import LcsRecords
from workloads.traces.formats.oracle_general import OracleRecords
from workloads.traces.gathering import TraceReferences, few_enough
from workloads.traces.quick.batch import Integers, NotSimpleError, QuickBatch, QuickReader, Words, held
from workloads.traces.quick.key_lines import QuickKeyLines
from workloads.traces.quick.lines import QuickLines
from workloads.traces.quick.plan import quick_plan
from workloads.traces.quick.records import ORACLE, QuickRecords, lcs_records
from workloads.traces.reader import Trace
from workloads.traces.record import FEW, PIECES, TraceLimits, number_of
from workloads.traces.text import MARK, TextFormat


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
        self._newest = -np.inf

    def __iter__(self) -> Generator[Requests, None, None]:
        trace, limits = self._trace, self._trace.limits
        reader = quick_reader(trace.format, source.head(trace.path, limits), limits)
        self.keyed = reader.keyed
        with closing(source.pieces(trace.path, limits)) as pieces:
            for batch in reader.batches(pieces):
                yield self._requests(batch, limits)

    def _requests(self, batch: QuickBatch, limits: TraceLimits) -> Requests:
        lengths, whose = batch.lengths, self._whose(batch.owners, limits)
        held(bool((lengths > 0).all() and (lengths <= (limits.end if self.keyed else limits.length)).all()))
        self._in_order(batch.times, limits)
        if batch.firsts is not None:
            blocks, counts = self._bytes(batch.firsts, lengths, whose, limits)
        else:
            assert batch.keys is not None
            assert batch.counts is not None
            numbers = np.fromiter(map(number_of, batch.keys.names), dtype=np.int64, count=len(batch.keys.names))
            blocks, counts = numbers[batch.keys.codes], batch.counts
        return Requests(blocks, counts, lengths, batch.times, whose, batch.ttls, batch.writes)

    def _in_order(self, times: NDArray[np.float64], limits: TraceLimits) -> None:
        known = times[~np.isnan(times)]
        if len(known):
            newest = np.maximum.accumulate(np.maximum(known, self._newest))
            before = np.concatenate([[self._newest], newest[:-1]])
            held(bool((known >= before - limits.slack).all() and newest[-1] <= limits.latest))
            self._newest = float(newest[-1])

    def _whose(self, owners: Words, limits: TraceLimits) -> Integers:
        """The number of the owner of each, by the order in which they come."""
        codes, names = owners
        first = np.full(len(names), -1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several in one place the last stays there
        there = np.flatnonzero(first >= 0)
        numbers = np.zeros(len(names), dtype=np.int64)
        for each in there[np.argsort(first[there])]:
            numbers[each] = self.owners.setdefault(names[each], len(self.owners))
        held(len(self.owners) <= limits.devices)
        return numbers[codes]

    def _bytes(
        self, firsts: Integers, lengths: Integers, whose: Integers, limits: TraceLimits
    ) -> tuple[Blocks, Integers]:
        held(bool((firsts + lengths <= limits.end).all()))
        begins = firsts // self._block
        counts = (firsts + lengths - 1) // self._block - begins + 1
        begins += whose * APART
        if not len(counts) or counts.max() == 1:
            return begins, counts
        held(_small_enough(counts))
        return block_references(np.stack([begins, counts], axis=1), 1), counts


def _small_enough(counts: Integers) -> bool:
    """Whether no requests so far have far more references than there are requests; a careful reader says which."""
    so_far = np.cumsum(counts)
    return bool(so_far[-1] <= FEW or (so_far <= np.maximum(FEW, PIECES * np.arange(1, len(counts) + 1))).all())


def quick_references(trace: Trace, block: int, most: int | None = None) -> TraceReferences | None:
    """The references of the first *most* requests of *trace*, as gathered has them; None where it must be."""
    quick = QuickReferences(trace, block)
    parts: list[Requests] = []
    left = most
    try:
        with closing(iter(quick)) as batches:
            for part in batches:
                parts.append(part if left is None else _first(part, left))
                few_enough(sum(len(each.blocks) for each in parts))
                left = None if left is None else left - len(parts[-1].counts)
                if left == 0:
                    break
    except NotSimpleError:
        return None
    if not any(len(part.counts) for part in parts):
        return None
    whole = Requests._make(np.concatenate(column) for column in zip(*parts, strict=True))
    owners = list(quick.owners)[: int(whole.whose.max()) + 1]
    return TraceReferences(*whole, owners, quick.keyed)


def quick_blocks(trace: Trace, block: int) -> Iterator[Blocks]:
    """The blocks alone, a batch at a time; NotSimpleError, perhaps behind some, where they must be read with care."""
    return (part.blocks for part in QuickReferences(trace, block))


def _first(part: Requests, most: int) -> Requests:
    kept = part.counts[:most]
    return Requests._make([part.blocks[: int(kept.sum())], *(each[:most] for each in part[1:])])


def quick_reader(format: Format, head: bytes, limits: TraceLimits) -> QuickReader:
    """A reader of a file of *format* that begins with *head*; NotSimpleError where there is none."""
    if isinstance(format, BinaryFormat):
        decoder = format.decoder()
        if isinstance(decoder, OracleRecords):
            return QuickRecords(ORACLE, 0, decoder.objects, limits)
        if isinstance(decoder, LcsRecords):
            return lcs_records(head, limits)
        raise NotSimpleError
    lines = [line.strip("\r") for line in head.decode("utf-8", "replace").removeprefix(MARK).split("\n")]
    parser = format.parser() if isinstance(format, TextFormat) else None
    if isinstance(parser, JsonLines):
        return QuickKeyLines(parser.field, lines[0], limits)
    plan = quick_plan(format, lines)
    if plan is None or plan.skip >= len(lines):
        raise NotSimpleError
    return QuickLines(plan, lines[plan.skip].split(plan.mark), limits)
