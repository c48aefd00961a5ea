"""The blocks that the requests of a trace touch, one after another: what caches are judged by, in arrays."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.sim.request import WRITE
from spindle.traces.curve.replay import block_references
from spindle.workloads.traces.record import LEAST_BLOCK, Record, TraceLimits, number_of, small_enough

APART = TraceLimits.end // LEAST_BLOCK
"""Blocks from the first of one device to the first of the next, which is as many as one can have."""
TOGETHER = 1 << 18
"""Blocks that are made at a time."""

Blocks = NDArray[np.int64]


class BlockString:
    """Takes requests, and gives the blocks of *size* bytes that they touch; those of each device lie apart.

    An object requested by its key is one block, whatever its size and its owner.
    """

    def __init__(self, size: int) -> None:
        if size < LEAST_BLOCK:
            raise UserError(f"a block of {size!r} bytes is too small for a trace: {LEAST_BLOCK} is the least")
        self._size = size
        self._begins: dict[str, int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._waiting = 0

    def add(self, device: str, first: int, length: int) -> int:
        """How many blocks it touches."""
        begin = self._begins.setdefault(device, len(self._begins) * APART)
        block = first // self._size
        count = (first + length - 1) // self._size - block + 1
        self._pairs.append((begin + block, count))
        self._waiting += count
        return count

    def add_keys(self, keys: Sequence[str]) -> int:
        self._pairs.extend((number_of(key), 1) for key in keys)
        self._waiting += len(keys)
        return len(keys)

    @property
    def full(self) -> bool:
        """There are enough to be taken."""
        return self._waiting >= TOGETHER

    def take(self) -> Blocks:
        """The blocks of the requests since the last time: each once a request, ascending."""
        blocks = block_references(self._pairs, 1)
        self._pairs, self._waiting = [], 0
        return blocks


def references(records: Iterable[Record], size: int) -> Iterator[Blocks]:
    """The blocks of *size* bytes that *records* touch, in pieces of bounded length."""
    string = BlockString(size)
    for record in records:
        if record.keys:
            string.add_keys(record.keys)
        else:
            string.add(record.device, record.first, record.length)
        if string.full:
            yield string.take()
    yield string.take()


# All references of a trace at once, in arrays: the blocks, and whose request each is of, when, and how large.

MOST = 1 << 28
"""References that are held, 2 GiB of them."""


@dataclass(frozen=True)
class TraceReferences:
    """*blocks* in turn, of which each request has *counts*; of each request its time, nan if unknown, and whose it is.

    *sizes* are the bytes of the objects that requests ask for where these are *keyed*, *ttls* for how many seconds they
    are valid from then on, nan if for ever, *writes* who brings them anew; *owners* are the devices or tenants that
    *whose* counts.
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

    def of_each(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """*values* of the requests as those of their references."""
        return np.repeat(values, self.counts)


def gathered(records: Iterable[Record], block: int) -> TraceReferences:
    """The references of *records* to blocks of *block* bytes, or to objects; UserError where they are more than fit."""
    string = BlockString(block)
    pieces, held, keyed = [], 0, False
    counts, sizes, times, whose = array("q"), array("q"), array("d"), array("q")
    ttls, writes = array("d"), array("b")
    owners: dict[str, int] = {}
    for record in records:
        if record.keys:
            keyed = True
            counts.append(string.add_keys(record.keys))
        else:
            counts.append(string.add(record.device, record.first, record.length))
            small_enough(held + counts[-1], len(counts), block)
        sizes.append(record.length)
        times.append(nan if record.time is None else record.time)
        ttls.append(nan if record.ttl is None else record.ttl)
        writes.append(record.op is WRITE)
        whose.append(owners.setdefault(record.device, len(owners)))
        held += counts[-1]
        few_enough(held)
        if string.full:
            pieces.append(string.take())
    pieces.append(string.take())
    return TraceReferences(np.concatenate(pieces), np.array(counts), np.array(sizes), np.array(times), np.array(whose),
                           np.array(ttls), np.array(writes, dtype=np.bool_), list(owners), keyed)


def few_enough(references: int) -> None:
    """UserError where there are more *references* than are held."""
    if references > MOST:
        raise UserError(f"the trace has more than {MOST:,} references, which are not held; --sample takes a share")
