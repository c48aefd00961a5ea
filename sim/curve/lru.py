"""The exact hit ratio of LRU at every cache size, from one pass over the references.

LRU keeps the most recently used blocks, so a reference hits in every cache larger than the number of
other blocks used since the block's last use, its stack distance (Mattson, Gecsei, Slutz and Traiger, 1970).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.curve.inversions import larger_before
from sim.curve.uses import previous_uses
from sim.error import UserError

_Integers = NDArray[np.int64]


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

    def enough(self, share: float) -> int:
        """The blocks of the smallest cache that has *share* of the hits of the largest."""
        return int(np.searchsorted(self.hits, share * self.hits[-1]))

    @property
    def knee(self) -> int:
        """Beyond so many blocks one block more brings fewer hits than it does on average up to the largest cache.

        That is where the curve is highest above its chord; Satopaa et al., "Finding a Kneedle in a haystack", ICDCS
        workshops 2011, section III, without their smoothing, which an exact curve does not need.
        """
        sizes = np.arange(len(self.hits))
        return int(np.argmax(self.hits * max(1, len(sizes) - 1) - sizes * int(self.hits[-1])))


def lru_curve(references: ArrayLike, early: int = 0) -> LruCurve:
    """The curve of a string of integer block *references*, of which the first *early* warm the cache up."""
    return curve_of(stack_distances(np.asarray(references, dtype=np.int64)), early)


def curve_of(distances: _Integers, early: int = 0) -> LruCurve:
    """The curve of references by their stack *distances*, without the first *early*."""
    if not 0 <= early <= len(distances):
        raise UserError(f"of {len(distances)} references {early} cannot be early")
    unique = int(np.count_nonzero(distances < 0))
    counted = distances[early:]
    again = counted[counted >= 0]
    hits = np.zeros(unique + 1, dtype=np.int64)
    # Stack distance d hits from d + 1 blocks on; the longest possible is unique - 1.
    hits[1:] = np.cumsum(np.bincount(again, minlength=unique))
    return LruCurve(len(counted), hits)


def stack_distances(blocks: _Integers) -> _Integers:
    """For each reference how many other blocks were used since its block's last use; -1 at a block's first.

    Of the references between the two uses, those count that are the first to their block since the
    earlier use. The others have an earlier use in between as well: they are the re-references before
    this one whose own earlier use came later than this one's.
    """
    before = previous_uses(blocks)
    again = np.flatnonzero(before >= 0)
    earlier = before[again]
    distances = np.full(len(blocks), -1, dtype=np.int64)
    distances[again] = again - earlier - 1 - larger_before(_ranks(earlier, len(blocks)))
    return distances


def _ranks(distinct: _Integers, limit: int) -> _Integers:
    """The rank of each of *distinct* integers below *limit*."""
    present = np.zeros(limit, dtype=np.int64)
    present[distinct] = 1
    return (np.cumsum(present) - 1)[distinct]
