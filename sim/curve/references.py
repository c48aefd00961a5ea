"""The references of a run to its cache, and how many of them LRU hits: in their own order, and in any order.

In any order they are what the independent reference model draws: a block is as likely at one place of the string as at
another, however lately it was used. Che, Tung & Wang (IEEE JSAC 2002) then take a block to be in a cache as long as it
was used within the *characteristic time*, in which as many blocks as the cache holds come by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.curve.lru import stack_distances
from sim.error import UserError

HALVINGS = 60
"""Of the interval from 0 to 1, in which the characteristic time is sought: what is left is an ulp."""


@dataclass(frozen=True)
class CacheReferences:
    """Each of *blocks* is referred to in turn. Where it is in the cache, *asked* is what that is worth: 1 for a hit.

    0 is for one that the cache notes and may not answer, as a write. The first *early* of them warm the cache up, which
    is empty at first, and count for nothing.
    """

    blocks: NDArray[np.int64]
    asked: NDArray[np.float64]
    early: int = 0

    @classmethod
    def of(cls, blocks: ArrayLike, asked: ArrayLike | None = None, early: int = 0) -> "CacheReferences":
        """The same of any sequences, with every reference asked by default."""
        taken = np.asarray(blocks, dtype=np.int64)
        worth = np.ones(len(taken)) if asked is None else np.asarray(asked, dtype=np.float64)
        if len(worth) != len(taken):
            raise UserError(f"{len(taken)} references need as many numbers that say what they ask, not {len(worth)}")
        if not 0 <= early <= len(taken):
            raise UserError(f"of {len(taken)} references {early} cannot be early")
        return cls(taken, worth, early)

    def lru_hits(self, capacity: float) -> float:
        """What LRU of *capacity* blocks hits of them in their own order; exact."""
        distances = self._distances[self.early :]
        return float(self.asked[self.early :][(distances >= 0) & (distances < capacity)].sum())

    def che_hits(self, capacity: float) -> float:
        """The mean over all orders of them, by Che's approximation.

        With t the characteristic time and w the early part, both as shares of the string, a reference at x to a block
        that has c of them misses where none of the other c - 1 lies within t before it, or back to the beginning. That
        has the chance (1 - min(x, t))^(c-1), and the mean over x from w to 1 is taken. It is the same for all blocks
        that have as many, so that a further capacity costs next to nothing.
        """
        if not self.asked[self.early :].any():
            return 0.0
        counts, many, asked = self._kinds
        time, warm = _time(counts, many, capacity), self.early / len(self.blocks)
        full = max(time, warm)
        filling = ((1.0 - warm) ** counts - (1.0 - full) ** counts) / counts
        miss = (filling + (1.0 - full) * (1.0 - time) ** (counts - 1.0)) / (1.0 - warm)
        return float(asked @ (1.0 - miss))

    @cached_property
    def _distances(self) -> NDArray[np.int64]:
        return stack_distances(self.blocks)

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """How many references blocks have, how many blocks have as many, and what those ask after the early ones."""
        _, place, counts = np.unique(self.blocks, return_inverse=True, return_counts=True)
        kinds, kind, many = np.unique(counts, return_inverse=True, return_counts=True)
        asked = np.bincount(kind[place[self.early :]], self.asked[self.early :], len(kinds)).astype(np.float64)
        return kinds, many, asked


def characteristic_time(counts: Sequence[int] | NDArray[np.int64], capacity: float) -> float:
    """In what share of a string that has *counts* of each block as many distinct ones as *capacity* come by."""
    return _time(*np.unique(counts, return_counts=True), capacity)


def _time(kinds: NDArray[np.int64], many: NDArray[np.int64], capacity: float) -> float:
    """The same where there are so *many* of each of the *kinds* of counts."""
    if not capacity >= 0.0:
        raise UserError(f"a cache of {capacity!r} blocks cannot be: it must have none or more")
    if capacity >= many.sum():
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        come = many @ (1.0 - (1.0 - middle) ** kinds)
        low, high = (middle, high) if come < capacity else (low, middle)
    return low
