"""Computes the exact hit ratio of LRU at every cache size, from one pass over the references.

LRU keeps the most recently used blocks, so a reference hits in every cache larger than the number of
other blocks used since the block's last use, its stack distance (Mattson, Gecsei, Slutz and Traiger, 1970).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spindle.sim.error import UserError
from spindle.workloads.traces.block_uses import previous_uses

_Integers = NDArray[np.int64]
Distances = NDArray[np.int32]
"""Stack distances: four bytes each, as there are fewer references than 2^31."""
REFERENCES_AT_ONCE = 1 << 18
"""Number of distances, or sizes, that are counted or compared at a time, so that a curve needs no copy of all."""


# Counts of the larger elements before each element of a permutation, by their digits.

_Small = NDArray[np.int32]
_Bytes = NDArray[np.uint8]

DIGIT = 8  # bits of a digit
LAST_DIGIT = 6  # bits of the last digit
ROW = 128  # elements that are compared each with each
STRIPE = 16384  # rows compared at once, which stay in the processor's cache


def larger_before(permutation: NDArray[np.int64]) -> _Small:
    """Count for each element of a permutation of 0 ... n-1 the larger ones before it.

    Two elements differ first at some digit; until there they are in one group. So the answer is, summed over the
    digits, the number of elements of its group before an element with a larger digit there. As the values are 0 ...
    n-1, a group that shares the bits from *top* on has 2**top elements, except for the last one.
    """
    values = permutation.astype(np.int32)
    larger = np.zeros_like(values)
    bits = top = (len(values) - 1).bit_length()
    while top:
        low = max(LAST_DIGIT, top - DIGIT) if top > LAST_DIGIT else 0
        by_group = _stable_order(values >> top, bits - top)
        digits = ((values[by_group] >> low) & ((1 << top - low) - 1)).astype(np.uint8)
        larger[by_group] += _larger_in_groups(digits, top, low)
        top = low
    return larger


def _stable_order(keys: _Small, bits: int) -> NDArray[np.int64]:
    # Keys of one or two bytes are sorted by their digits, which is several times as fast.
    kind = np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.int32
    order: NDArray[np.int64] = np.argsort(keys.astype(kind), kind="stable")
    return order


def _larger_in_groups(digits: _Bytes, top: int, low: int) -> _Small:
    """Count for each digit the larger ones before it in its group of 2**top *digits*: in its row, and above."""
    count = len(digits)
    row = min(ROW, 1 << top)
    padded = np.concatenate([digits, np.zeros(-count % row, dtype=np.uint8)])
    larger = _larger_in_rows(padded, row).astype(np.int32)
    if row < 1 << top:
        larger += _larger_in_rows_before(padded, row, 1 << top, 1 << top - low)
    return larger[:count]


def _larger_in_rows(digits: _Bytes, row: int) -> _Bytes:
    """For each of *digits* how many of the same *row* are before it and larger."""
    columns = digits.reshape(-1, row).T
    larger = np.empty(columns.shape, dtype=np.uint8)
    for begin in range(0, columns.shape[1], STRIPE):
        stripe = np.ascontiguousarray(columns[:, begin : begin + STRIPE])
        counts, greater = np.zeros_like(stripe), np.empty(stripe.shape[1], dtype=np.bool_)
        ones = greater.view(np.uint8)
        for count, digit, later in zip(counts, stripe, range(row), strict=True):
            for earlier in stripe[:later]:
                np.greater(earlier, digit, out=greater)
                np.add(count, ones, out=count)
        larger[:, begin : begin + STRIPE] = counts
    return larger.T.reshape(-1)


def _larger_in_rows_before(digits: _Bytes, row: int, group: int, base: int) -> _Small:
    """For each of *digits*, below *base*, how many in its *group* are larger and in an earlier *row*."""
    rows = len(digits) // row
    number = np.repeat(np.arange(rows, dtype=np.int32), row)
    places = digits * np.int32(rows) + number
    counts = np.bincount(places, minlength=base * rows).astype(np.int32).reshape(base, rows)
    before = np.cumsum(counts, axis=1, dtype=np.int32) - counts
    larger = np.zeros_like(before)
    for digit in reversed(range(base - 1)):
        np.add(larger[digit + 1], before[digit + 1], out=larger[digit])
    flat = larger.reshape(-1)
    group_begins = number // (group // row) * (group // row)
    answer: _Small = flat[places] - flat[places - number + group_begins]
    return answer




@dataclass(frozen=True)
class LruCurve:
    """*hits[n]* of the *references* hit in a cache of n blocks, empty at first; the last n holds all blocks.

    What misses at the last is compulsory: a block that was never used before.
    """

    references: int
    hits: _Integers

    def hits_at(self, blocks: int) -> int:
        """The hits in a cache of *blocks* blocks."""
        if blocks < 0:
            raise UserError(f"a cache of {blocks!r} blocks cannot be: it must have none or more")
        return int(self.hits[min(blocks, len(self.hits) - 1)])

    def ratio_at(self, blocks: int) -> float:
        """The hit ratio of a cache of *blocks* blocks; 0 where there are no references."""
        return self.hits_at(blocks) / self.references if self.references else 0.0

    @property
    def compulsory(self) -> int:
        return self.references - int(self.hits[-1])

    def size_for(self, share: float) -> int:
        """Return the blocks of the smallest cache that has *share* of the hits of the largest."""
        return int(np.searchsorted(self.hits, share * self.hits[-1]))

    @property
    def knee(self) -> int:
        """Return the knee: beyond it one more block brings fewer hits than the average up to the largest cache.

        That is where the curve is highest above its chord; Satopaa et al., "Finding a Kneedle in a haystack", ICDCS
        workshops 2011, section III, without their smoothing, which an exact curve does not need.
        """
        last, total = max(1, len(self.hits) - 1), int(self.hits[-1])
        best = found = 0
        for begin in range(0, len(self.hits), REFERENCES_AT_ONCE):
            hits = self.hits[begin : begin + REFERENCES_AT_ONCE]
            above = hits * last - np.arange(begin, begin + len(hits)) * total
            highest = int(np.argmax(above))
            if above[highest] > best:
                best, found = int(above[highest]), begin + highest
        return found


def lru_curve(references: ArrayLike, early: int = 0) -> LruCurve:
    """The curve of a string of integer block *references*, of which the first *early* warm the cache up."""
    return curve_of(stack_distances(np.asarray(references, dtype=np.int64)), early)


def curve_of(distances: Distances, early: int = 0) -> LruCurve:
    """The curve of references by their stack *distances*, without the first *early*."""
    if not 0 <= early <= len(distances):
        raise UserError(f"of {len(distances)} references {early} cannot be early")
    unique = int(np.count_nonzero(distances < 0))
    hits = np.zeros(unique + 1, dtype=np.int64)
    for begin in range(early, len(distances), REFERENCES_AT_ONCE):
        # Stack distance d hits from d + 1 blocks on; the longest possible is unique - 1. At 0 are those at a first use.
        np.add.at(hits, distances[begin : begin + REFERENCES_AT_ONCE] + 1, 1)
    hits[0] = 0
    return LruCurve(len(distances) - early, np.cumsum(hits, out=hits))


def stack_distances(blocks: _Integers) -> Distances:
    """For each reference how many other blocks were used since its block's last use; -1 at a block's first.

    Of the references between the two uses, those count that are the first to their block since the
    earlier use. The others have an earlier use in between as well: they are the re-references before
    this one whose own earlier use came later than this one's.
    """
    before = previous_uses(blocks)
    again = np.flatnonzero(before >= 0)
    earlier = before[again]
    distances = np.full(len(blocks), -1, dtype=np.int32)
    distances[again] = again - earlier - 1 - larger_before(_ranks(earlier, len(blocks)))
    return distances


def _ranks(distinct: _Integers, limit: int) -> _Integers:
    """The rank of each of *distinct* integers below *limit*."""
    present = np.zeros(limit, dtype=np.int64)
    present[distinct] = 1
    return (np.cumsum(present) - 1)[distinct]
