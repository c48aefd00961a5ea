"""The requests of a simple trace, a batch at a time, held to what careful reading holds them to."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from spindle.workloads.traces import source
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Format
from spindle.workloads.traces.formats.jsonl import JsonLines
from spindle.workloads.traces.formats.lcs import LcsRecords
from spindle.workloads.traces.formats.oracle_general import OracleRecords
from spindle.workloads.traces.quick.batch import Integers, NotSimpleError, QuickBatch, QuickReader, Words, held
from spindle.workloads.traces.quick.key_lines import QuickKeyLines
from spindle.workloads.traces.quick.lines import QuickLines
from spindle.workloads.traces.quick.plan import quick_plan
from spindle.workloads.traces.quick.records import ORACLE, QuickRecords, lcs_records
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.text import MARK, TextFormat


class QuickRequests:
    """Goes through *trace* by columns; *owners* are the devices so far, by number, and *passed* is told of its bytes.

    NotSimpleError, perhaps behind some batches, where that cannot be done, or where a careful reader would refuse it.
    """

    def __init__(self, trace: Trace, passed: Callable[[int], object] = lambda _: None) -> None:
        self.owners: dict[str, int] = {}
        self.keyed = False
        self._trace = trace
        self._passed = passed
        self._newest = -np.inf

    def __iter__(self) -> Generator[tuple[QuickBatch, Integers], None, None]:
        """Each batch, and the numbers of its owners."""
        import pandas  # noqa: F401  # Arrow would, in the middle of its first column, and swallow Ctrl-C meanwhile

        trace, limits = self._trace, self._trace.limits
        reader = quick_reader(trace.format, source.head(trace.path, limits), limits)
        self.keyed = reader.keyed
        with closing(source.pieces(trace.path, limits)) as pieces:
            for batch in reader.batches(self._counted(pieces)):
                self._check(batch, limits)
                yield batch, self._whose(batch.owners, limits)

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._passed(len(piece))
            yield piece

    def _check(self, batch: QuickBatch, limits: TraceLimits) -> None:
        lengths = batch.lengths
        held(bool((lengths > 0).all() and (lengths <= (limits.end if self.keyed else limits.length)).all()))
        held(batch.firsts is None or bool((batch.firsts + lengths <= limits.end).all()))
        self._in_order(batch.times, limits)

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
