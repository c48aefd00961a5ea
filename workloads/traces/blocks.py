"""The blocks that the requests of a trace touch, one after another: what caches are judged by, in arrays."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.curve.replay import block_references
from sim.error import UserError
from workloads.traces.record import LEAST_BLOCK, Record, TraceLimits, number_of

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
