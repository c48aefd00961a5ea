"""Keeps the requests of a trace in batches of arrays, and converts these to and from records."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.record import Record

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
SLICE = 1 << 12
"""Records that are made of a batch at a time."""


class NotSimpleError(Exception):
    """Raised for lines or records that must be read one by one, which finds what is wrong with them, if anything is."""


def require(simple: bool) -> None:
    """Raise NotSimpleError unless *simple*."""
    if not simple:
        raise NotSimpleError


class Words(NamedTuple):
    """A column of words, such as devices: each is the number of one of *names*."""

    codes: Integers
    names: Sequence[str]

    def select(self, rows: slice | NDArray[np.bool_]) -> "Words":
        """Return the words of some *rows*: a slice, or a mask."""
        return Words(self.codes[rows], self.names)


class Batch(NamedTuple):
    """Requests in their order: for bytes of a device from *firsts* on, or *counts* references to each object of *keys*.

    Seconds are nan where they are unknown. Measured seconds and *numbers* are None where no request has any, *deletes*
    where no request is a delete, *unsized* where every object has its size.
    """

    times: Floats
    writes: NDArray[np.bool_]
    owners: Words
    firsts: Integers
    lengths: Integers
    ttls: Floats
    keys: Words | None = None
    counts: Integers | None = None
    responses: Floats | None = None
    gaps: Floats | None = None
    services: Floats | None = None
    numbers: Floats | None = None
    deletes: NDArray[np.bool_] | None = None
    unsized: NDArray[np.bool_] | None = None

    @property
    def requests(self) -> int:
        return len(self.writes)

    def slice(self, begin: int, end: int) -> "Batch":
        """Return the requests from number *begin* up to *end*."""
        rows = slice(begin, end)
        some = Batch._make(column if column is None
                           else column.select(rows) if isinstance(column, Words) else column[rows]
                           for column in self)  # fmt: skip
        if self.keys is None or self.counts is None:
            return some
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        last = min(end, self.requests)
        return some._replace(keys=Words(self.keys.codes[ends[min(begin, last)] : ends[last]], self.keys.names))

    def records(self) -> Iterator[Record]:
        for begin in range(0, self.requests, SLICE):
            yield from _records(self.slice(begin, begin + SLICE))


Stretch = Batch | Sequence[Record]
"""Some requests of a trace: in arrays, or one by one."""


def _records(batch: Batch) -> Iterator[Record]:
    count = batch.requests
    ops = [WRITE if write else READ for write in batch.writes.tolist()]
    names = batch.owners.names
    owners = [names[code] for code in batch.owners.codes.tolist()]
    measured = (_or_none(column, count) for column in (batch.responses, batch.gaps, batch.services))
    numbers = [None if number is None else int(number) for number in _or_none(batch.numbers, count)]
    return map(Record, _list_of(batch.times), owners, ops, batch.firsts.tolist(), batch.lengths.tolist(),
               *measured, numbers, _keys(batch), _list_of(batch.ttls),
               *([False] * count if flags is None else flags.tolist() for flags in (batch.deletes, batch.unsized)))


def _or_none(column: Floats | None, count: int) -> Sequence[float | None]:
    return [None] * count if column is None else _list_of(column)


def _list_of(column: Floats) -> Sequence[float | None]:
    """Return *column* as a list, with None for missing numbers."""
    unknown = np.isnan(column)
    if not unknown.any():
        found: list[float | None] = column.tolist()
        return found
    return [None if number != number else number for number in column.tolist()]


def _keys(batch: Batch) -> Iterable[tuple[str, ...]]:
    if batch.keys is None or batch.counts is None:
        return [()] * batch.requests
    names = batch.keys.names
    each = iter([names[code] for code in batch.keys.codes.tolist()])
    return (tuple(islice(each, count)) for count in batch.counts.tolist())


def batch_of(records: Sequence[Record]) -> Batch:
    """Return *records* in arrays."""
    keyed = bool(records and records[0].keys)
    return Batch(
        _column(record.time for record in records),
        np.array([record.op is WRITE for record in records], dtype=np.bool_),
        _words(record.device for record in records), np.array([record.first for record in records], dtype=np.int64),
        np.array([record.length for record in records], dtype=np.int64), _column(record.ttl for record in records),
        _words(key for record in records for key in record.keys) if keyed else None,
        np.array([len(record.keys) for record in records], dtype=np.int64) if keyed else None,
        _column_or_none([record.response for record in records]), _column_or_none([record.gap for record in records]),
        _column_or_none([record.service for record in records]), _column_or_none([record.number for record in records]),
        _flags([record.delete for record in records]), _flags([record.unsized for record in records]),
    )  # fmt: skip


def _column(values: Iterable[float | None]) -> Floats:
    return np.array(list(values), dtype=np.float64)  # nan for None


def _column_or_none(values: Sequence[float | None]) -> Floats | None:
    return None if all(value is None for value in values) else _column(values)


def _flags(values: Sequence[bool]) -> NDArray[np.bool_] | None:
    return np.array(values) if any(values) else None


def _words(words: Iterable[str]) -> Words:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(word, len(numbers)) for word in words]
    return Words(np.array(codes, dtype=np.int64), list(numbers))


def empty() -> Batch:
    """Return a batch without requests."""
    none = np.zeros(0, dtype=np.int64)
    return Batch(no_time(0), np.zeros(0, dtype=np.bool_), no_owners(0), none, none, no_time(0))


def no_owners(count: int) -> Words:
    """Return the owner of *count* requests that name none."""
    return Words(np.zeros(count, dtype=np.int64), [""])


def no_time(count: int) -> Floats:
    """Return *count* missing times."""
    return np.full(count, np.nan)


class Owners(dict[str, int]):
    """The devices or tenants of a trace by number, in the order in which they come."""

    def number_all(self, words: Words) -> Integers:
        """Return the number of the owner of each of *words*."""
        codes, names = words
        first = np.full(len(names), -1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several in one place the last stays there
        there = np.flatnonzero(first >= 0)
        numbers = np.zeros(len(names), dtype=np.int64)
        for each in there[np.argsort(first[there])]:
            numbers[each] = self.setdefault(names[each], len(self))
        return numbers[codes]
