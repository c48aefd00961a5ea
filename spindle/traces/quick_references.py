"""The references of a simple trace, in arrays from the beginning: the same as those of its records."""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.traces.blocks import APART, Blocks, BlockString, TraceReferences, few_enough
from spindle.traces.curve.replay import block_references
from spindle.workloads.traces.quick.batch import Integers, NotSimpleError, QuickBatch, held
from spindle.workloads.traces.quick.requests import QuickRequests
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import FEW, PIECES, number_of


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
    """Goes through *trace* by columns, a batch at a time; NotSimpleError as QuickRequests has it."""

    def __init__(self, trace: Trace, block: int) -> None:
        BlockString(block)  # refuses a block that is too small
        self.requests = QuickRequests(trace)
        self._block = block

    def __iter__(self) -> Generator[Requests, None, None]:
        with closing(iter(self.requests)) as batches:
            for batch, whose in batches:
                blocks, counts = self._touched(batch, whose)
                yield Requests(blocks, counts, batch.lengths, batch.times, whose, batch.ttls, batch.writes)

    def _touched(self, batch: QuickBatch, whose: Integers) -> tuple[Blocks, Integers]:
        """The blocks of all, and how many each request touches."""
        if batch.firsts is not None:
            return self._bytes(batch.firsts, batch.lengths, whose)
        assert batch.keys is not None
        assert batch.counts is not None
        numbers = np.fromiter(map(number_of, batch.keys.names), dtype=np.int64, count=len(batch.keys.names))
        return numbers[batch.keys.codes], batch.counts

    def _bytes(self, firsts: Integers, lengths: Integers, whose: Integers) -> tuple[Blocks, Integers]:
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
    owners = list(quick.requests.owners)[: int(whole.whose.max()) + 1]
    return TraceReferences(*whole, owners, quick.requests.keyed)


def quick_blocks(trace: Trace, block: int) -> Iterator[Blocks]:
    """The blocks alone, a batch at a time; NotSimpleError, perhaps behind some, where they must be read with care."""
    return (part.blocks for part in QuickReferences(trace, block))


def _first(part: Requests, most: int) -> Requests:
    kept = part.counts[:most]
    return Requests._make([part.blocks[: int(kept.sum())], *(each[:most] for each in part[1:])])
