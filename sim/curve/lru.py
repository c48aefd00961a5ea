"""The exact hit ratio of LRU at every cache size, from one pass over the references.

LRU keeps the most recently used blocks, so a reference hits in every cache larger than the number of
other blocks used since the block's last use, its stack distance (Mattson, Gecsei, Slutz and Traiger, 1970).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.mistake import Mistake

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class LruCurve:
    """*hits[n]* of the *references* hit in a cache of n blocks, empty at first; the last n holds all blocks."""

    references: int
    hits: _Integers

    def hits_at(self, blocks: int) -> int:
        """The hits in a cache of *blocks* blocks."""
        if blocks < 0:
            raise Mistake(f"a cache of {blocks!r} blocks cannot be: it must have none or more")
        return int(self.hits[min(blocks, len(self.hits) - 1)])

    def ratio_at(self, blocks: int) -> float:
        """The hit ratio of a cache of *blocks* blocks; 0 where there are no references."""
        return self.hits_at(blocks) / self.references if self.references else 0.0


def lru_curve(references: ArrayLike) -> LruCurve:
    """The curve of a string of integer block *references*."""
    blocks = np.asarray(references, dtype=np.int64)
    distances = stack_distances(blocks)
    again = distances[distances >= 0]
    unique = len(blocks) - len(again)
    hits = np.zeros(unique + 1, dtype=np.int64)
    # Stack distance d hits from d + 1 blocks on; the longest possible is unique - 1.
    hits[1:] = np.cumsum(np.bincount(again, minlength=unique))
    return LruCurve(len(blocks), hits)


def stack_distances(blocks: _Integers) -> _Integers:
    """For each reference how many other blocks were used since its block's last use; -1 at a block's first.

    Of the references between the two uses, those count that are the first to their block since the
    earlier use. The others have an earlier use in between as well: they are the re-references before
    this one whose own earlier use came later than this one's.
    """
    before = _previous_uses(blocks)
    again = np.flatnonzero(before >= 0)
    earlier = before[again]
    distances = np.full(len(blocks), -1, dtype=np.int64)
    distances[again] = again - earlier - 1 - _larger_before(_ranks(earlier, len(blocks)))
    return distances


def _previous_uses(blocks: _Integers) -> _Integers:
    """For each reference the index of the one before it to the same block, or -1."""
    by_block = np.argsort(blocks, kind="stable")
    same = blocks[by_block[1:]] == blocks[by_block[:-1]]
    before = np.full(len(blocks), -1, dtype=np.int64)
    before[by_block[1:][same]] = by_block[:-1][same]
    return before


def _ranks(distinct: _Integers, limit: int) -> _Integers:
    """The rank of each of *distinct* integers below *limit*."""
    present = np.zeros(limit, dtype=np.int64)
    present[distinct] = 1
    return (np.cumsum(present) - 1)[distinct]


def _larger_before(permutation: _Integers) -> _Integers:
    """For each element of a permutation of 0 ... n-1 how many larger ones stand before it.

    Sorts from the highest bit down, stably. Two elements part at the highest bit in which they
    differ; until then they are in the same group, in their first order. So an element that has a 0 there is
    preceded by as many larger ones as its group has 1s before it, and the sum over the bits is the answer.
    Groups need no bookkeeping: as the values are 0 ... n-1, those that share the bits above lie
    where the sorted values will lie, and every group before them holds as many 1s as 0s.
    """
    count = len(permutation)
    places = np.arange(count, dtype=np.int64)
    larger = np.zeros(count, dtype=np.int64)  # by value, as the elements move
    values = permutation
    for bit in reversed(range((count - 1).bit_length() if count else 0)):
        ones = (values >> bit) & 1
        group = places >> (bit + 1) << (bit + 1)
        ones_before = np.cumsum(ones) - ones - (group >> 1)
        larger[values] += np.where(ones, 0, ones_before)
        target = np.where(ones, group + (1 << bit) + ones_before, places - ones_before)
        values_sorted = np.empty_like(values)
        values_sorted[target] = values
        values = values_sorted
    return larger[permutation]
