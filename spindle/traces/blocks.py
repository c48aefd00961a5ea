"""Turns the requests of a trace into arrays of references to blocks, with deletions, for hit curves of caches."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.traces.curve.replay import block_references
from spindle.workloads.traces import record
from spindle.workloads.traces.batch import Batch, Integers, Owners, batch_of
from spindle.workloads.traces.reader import Passed, Trace

DEVICE_BLOCKS = record.TraceLimits.end // record.MIN_BLOCK
"""Block numbers reserved for each device: as many as the largest device has blocks."""
DEVICES_APART = 1 << 12
"""Devices that have all of these numbers to themselves, as all are below 2^63."""
BLOCKS_APART = DEVICE_BLOCKS >> 8
"""Block numbers from the first of a device to the first of that DEVICES_APART later, which follows it."""
PIECE = 1 << 18
"""The number of blocks, or requests, that are processed at a time."""

Blocks = NDArray[np.int64]
Kind = TypeVar("Kind", bound=np.generic)
Number = TypeVar("Number", int, Integers)


def check_block(size: int) -> None:
    """Raise UserError if a block of *size* bytes is too small."""
    if size < record.MIN_BLOCK:
        raise UserError(f"a block of {size!r} bytes is too small for a trace: {record.MIN_BLOCK} is the least")


def first_number(device: Number) -> Number:
    """Return the number of the first block of each *device*, by its number."""
    return device % DEVICES_APART * DEVICE_BLOCKS + device // DEVICES_APART * BLOCKS_APART


def check_apart(devices: int, end: int) -> None:
    """Raise UserError where some of *devices* may share a number, as one has a block just before *end*."""
    if devices > DEVICES_APART and end > BLOCKS_APART:
        raise UserError(f"a trace of more than {DEVICES_APART:,} devices has at most {BLOCKS_APART:,} blocks on each, "
                        f"and this has one with {end:,}: give a larger --block")


class BlockString:
    """Collects requests, and numbers the blocks of *size* bytes that they touch; each device has numbers of its own.

    An object requested by its key is one block, of any size and owner.
    """

    def __init__(self, size: int) -> None:
        check_block(size)
        self._size = size
        self._begins: dict[str, int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._waiting = self._end = 0

    def add(self, device: str, first: int, length: int) -> int:
        """Add a request and return the number of blocks that it touches."""
        begin = self._begins.setdefault(device, first_number(len(self._begins)))
        block = first // self._size
        count = (first + length - 1) // self._size - block + 1
        self._end = max(self._end, block + count)
        check_apart(len(self._begins), self._end)
        self._pairs.append((begin + block, count))
        self._waiting += count
        return count

    @property
    def full(self) -> bool:
        """True if there are enough blocks for a piece."""
        return self._waiting >= PIECE

    def take(self) -> Blocks:
        """Return the blocks of the requests since the last call: each once for a request, ascending."""
        blocks = block_references(self._pairs, 1)
        self._pairs, self._waiting = [], 0
        return blocks


Requests = Trace | Iterable[record.Record]
"""Requests of a trace file, which is read by columns, or any records."""


def batches_of(requests: Requests, passed: Passed = lambda _: None) -> Iterator[Batch]:
    """Yield *requests* in arrays, none of them empty."""
    if isinstance(requests, Trace):
        yield from requests.batches(passed)
        return
    records = iter(requests)
    while some := list(islice(records, PIECE)):
        yield batch_of(some)


def first_of(batches: Iterator[Batch], most: int | None) -> Iterator[Batch]:
    left = most
    with closing(batches):  # type: ignore[type-var]
        for batch in batches:
            some = batch if left is None or batch.requests <= left else batch.slice(0, left)
            yield some
            left = None if left is None else left - some.requests
            if left == 0:
                return


class TouchedBlocks:
    """Collects requests in arrays, and gives the blocks of *size* bytes that they touch; devices are kept apart.

    An object requested by its key is one block, of any size and owner. *owners* are the devices so far.
    """

    def __init__(self, size: int) -> None:
        check_block(size)
        self.owners = Owners()
        self.references = 0
        self._requests = self._end = 0
        self._size = size

    def touched_by(self, batch: Batch) -> tuple[Blocks, Integers, Integers]:
        """Return the blocks of all, the number that each request touches, and the number of its owner."""
        whose = self.owners.number_all(batch.owners)
        if batch.keys is not None and batch.counts is not None:
            names = batch.keys.names
            numbers = np.fromiter(map(record.number_of, names), dtype=np.int64, count=len(names))
            blocks, counts = numbers[batch.keys.codes], batch.counts
        else:
            blocks, counts = self._bytes(batch, whose)
        self.references += len(blocks)
        self._requests += batch.requests
        return blocks, counts, whose

    def _bytes(self, batch: Batch, whose: Integers) -> tuple[Blocks, Integers]:
        begins = batch.firsts // self._size
        counts = (batch.firsts + batch.lengths - 1) // self._size - begins + 1
        self._end = max(self._end, int((begins + counts).max(initial=0)))
        check_apart(len(self.owners), self._end)
        begins += first_number(whose)
        if not len(counts) or counts.max() == 1:
            return begins, counts
        self._check(counts)
        return block_references(np.stack([begins, counts], axis=1), 1), counts

    def _check(self, counts: Integers) -> None:
        """UserError where requests so far have far more references than there are requests."""
        references = self.references + np.cumsum(counts)
        requests = self._requests + np.arange(1, len(counts) + 1)
        many = np.flatnonzero(references > np.maximum(record.ALLOWED_REFERENCES, record.MAX_MEAN_BLOCKS * requests))
        if len(many):
            first = int(many[0])
            record.small_enough(int(references[first]), int(requests[first]), self._size)


def references(requests: Requests, size: int, passed: Passed = lambda _: None) -> Iterator[Blocks]:
    """The blocks of *size* bytes that *requests* touch, in pieces."""
    for blocks in references_and_deletes(requests, size, passed):
        yield blocks[blocks >= 0]


def references_and_deletes(requests: Requests, size: int, passed: Passed = lambda _: None) -> Iterator[Blocks]:
    """The blocks of *size* bytes that *requests* touch, in pieces; ``~block``, which is below 0, is deleted."""
    touched = TouchedBlocks(size)
    for batch in batches_of(requests, passed):
        blocks, counts, _ = touched.touched_by(batch)
        yield blocks if batch.deletes is None else blocks ^ -np.repeat(batch.deletes, counts).astype(np.int64)


@dataclass(frozen=True)
class Drops:
    """Deleted *blocks*, each taken out of every cache before the reference whose number is in *places*, ascending."""

    places: Integers
    blocks: Blocks

    def __bool__(self) -> bool:
        return len(self.places) > 0

    def by_reference(self) -> dict[int, list[int]]:
        """Return the blocks by the reference before which they are dropped."""
        found: dict[int, list[int]] = {}
        for place, block in zip(self.places.tolist(), self.blocks.tolist(), strict=True):
            found.setdefault(place, []).append(block)
        return found


NO_DROPS = Drops(np.zeros(0, np.int64), np.zeros(0, np.int64))


def split_deletes(blocks: Blocks, deletes: NDArray[np.bool_]) -> tuple[Blocks, Drops]:
    """Split *blocks* by *deletes* into references and deletions; after its deletion a block gets another number."""
    order = np.argsort(blocks, kind="stable")
    before: Integers = np.cumsum(deletes[order]) - deletes[order]
    first = np.flatnonzero(np.diff(blocks[order], prepend=blocks[order[:1]] - 1) != 0)
    lives = np.empty(len(blocks), dtype=np.int64)
    lives[order] = before - np.repeat(before[first], np.diff(first, append=len(blocks)))
    numbers = (blocks.astype(np.uint64) + lives.astype(np.uint64) * LIFE) & np.uint64((1 << 62) - 1)
    named = np.where(lives > 0, numbers.astype(np.int64), blocks)
    places: Integers = np.cumsum(~deletes, dtype=np.int64)[deletes]
    return named[~deletes], Drops(places, named[deletes])


LIFE = np.uint64(0x9E3779B97F4A7C15)
"""Difference of a block's numbers before and after a deletion: 2^64 divided by the golden ratio."""


# All references of a trace at once, in arrays: the blocks, and the owner, time and size of each request.

MAX_REFERENCES = 1 << 28
"""References that are held, 2 GiB of them."""


@dataclass(frozen=True)
class TraceReferences:
    """References of a trace: *blocks* in turn, *counts* for each request; a request's time, nan if unknown, and owner
    (*whose*).

    *sizes* are the bytes of the objects requested if these are *keyed*, *ttls* their seconds of validity from then on,
    nan for ever, *writes* marks those that renew the object, *drops* are the deleted ones; *owners* are the devices or
    tenants that *whose* numbers; *unsized* requests are for objects without a size. A column of the *requests* that was
    not asked for is empty.
    """

    blocks: Blocks
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    times: NDArray[np.float64]
    whose: NDArray[np.int64]
    ttls: NDArray[np.float64]
    writes: NDArray[np.bool_]
    owners: Sequence[str]
    keyed: bool
    drops: "Drops"
    unsized: int = 0

    def repeat_for_references(self, values: NDArray[Kind]) -> NDArray[Kind]:
        """Repeat *values* of the requests for their references."""
        return np.repeat(values, self.counts)


REQUEST_COLUMNS = {"counts": np.int64, "sizes": np.int64, "times": np.float64, "whose": np.int64, "ttls": np.float64,
                   "writes": np.bool_}  # fmt: skip
"""Columns of TraceReferences with a value for each request, and their types."""


def collect_references(
    requests: Requests, block: int, most: int | None = None, passed: Passed = lambda _: None,
    columns: Collection[str] = REQUEST_COLUMNS.keys(),
) -> TraceReferences:  # fmt: skip
    """Collect the references of the first *most* requests to blocks of *block* bytes, or to objects; UserError if too
    many.

    Only *columns* of the requests are kept: a long trace need not fit into memory with all of them.
    """
    touched, keyed, unsized = TouchedBlocks(block), False, 0
    found, deleted = _Column(np.int64), _Column(np.bool_)
    kept = {name: _Column(REQUEST_COLUMNS[name]) for name in columns}
    for batch in first_of(batches_of(requests, passed), most):
        blocks, counts, whose = touched.touched_by(batch)
        check_count(touched.references)
        keyed = keyed or batch.keys is not None
        gone = np.zeros(batch.requests, dtype=np.bool_) if batch.deletes is None else batch.deletes
        unsized += 0 if batch.unsized is None else int((batch.unsized & ~gone).sum())
        found.add(blocks)
        deleted.add(np.repeat(gone, counts))
        values = {"counts": counts, "sizes": batch.lengths, "times": batch.times, "whose": whose, "ttls": batch.ttls,
                  "writes": batch.writes}  # fmt: skip
        for name, column in kept.items():
            column.add(values[name] if batch.deletes is None else values[name][~gone])
    blocks, drops = found.values(), NO_DROPS
    if (gone := deleted.values()).any():
        blocks, drops = split_deletes(blocks, gone)
    made = {name: kept[name].values() if name in kept else np.zeros(0, kind) for name, kind in REQUEST_COLUMNS.items()}
    return TraceReferences(blocks, **made, owners=list(touched.owners), keyed=keyed, drops=drops, unsized=unsized)


class _Column:
    """Values of *kind* that are added in pieces, in one array, which grows where it lies and is never there twice."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.zeros(0, kind)
        self._count = 0

    def add(self, piece: NDArray[Any]) -> None:
        end = self._count + len(piece)
        if end > len(self._values):
            self._values.resize(max(end, len(self._values) * 9 // 8), refcheck=False)
        self._values[self._count : end] = piece
        self._count = end

    def values(self) -> NDArray[Any]:
        """Return all values; none can be added any more."""
        self._values.resize(self._count, refcheck=False)
        return self._values


def count_different(blocks: Blocks) -> int:
    """Return how many different *blocks* there are."""
    ordered = np.sort(blocks)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(1, len(blocks))


def check_count(references: int) -> None:
    """UserError where there are more *references* than are held."""
    if references > MAX_REFERENCES:
        raise UserError(
            f"the trace has more than {MAX_REFERENCES:,} references, which are not held; --sample takes a share"
        )


def mix_bits(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash each number to 64 bits: the finish of splitmix64 (Steele et al., 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
