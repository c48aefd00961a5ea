"""Logs the references of a run to its cache, and compares its hit ratio with exact LRU and with Che's approximation."""

from dataclasses import dataclass
from functools import cached_property
from math import nan

import numpy as np
import simpy
from numpy.typing import ArrayLike, NDArray

from spindle.sim.error import UserError
from spindle.traces.curve.lru import REFERENCES_AT_ONCE, Distances, stack_distances

# Hits of LRU on the references: in their order, exactly; and in random order, by Che's approximation.
#
# In random order they are as the independent reference model draws them: a block is as likely at one place as
# at another, however lately it was used. Che, Tung & Wang (IEEE JSAC 2002) then take a block to be in a cache as long
# as it was used within the *characteristic time*, in which as many different blocks are used as the cache has room for.

HALVINGS = 60
"""Halvings of the interval from 0 to 1 in which the characteristic time is sought, to the last bit of a float."""


@dataclass(frozen=True)
class CacheReferences:
    """References to *blocks* in order, each with its worth if the block is cached: 1 for a hit.

    The worth is 0 where the cache notes a reference but cannot answer it, as for a write. The first *early* references
    warm up the cache, which begins empty, and are not counted.
    """

    blocks: NDArray[np.int64]
    worths: NDArray[np.float64]
    early: int = 0

    @classmethod
    def from_blocks(cls, blocks: ArrayLike, worths: ArrayLike | None = None, early: int = 0) -> "CacheReferences":
        """Build from any sequences; by default each reference is worth 1."""
        references = np.asarray(blocks, dtype=np.int64)
        worth = np.ones(len(references)) if worths is None else np.asarray(worths, dtype=np.float64)
        if len(worth) != len(references):
            raise UserError(f"{len(references)} references need as many worths, not {len(worth)}")
        if not 0 <= early <= len(references):
            raise UserError(f"of {len(references)} references {early} cannot be early")
        return cls(references, worth, early)

    def lru_hits(self, capacity: float) -> float:
        """Count the hits of LRU with *capacity* blocks on the references in their order; exact."""
        distances = self._distances[self.early :]
        return float(self.worths[self.early :][(distances >= 0) & (distances < capacity)].sum())

    def che_hits(self, capacity: float) -> float:
        """Return the mean hits over all orders of the references, by Che's approximation."""
        return self._alike.hits(capacity) if self.worths[self.early :].any() else 0.0

    @cached_property
    def _distances(self) -> Distances:
        return stack_distances(self.blocks)

    @cached_property
    def _alike(self) -> "AlikeBlocks":
        _, place, counts = np.unique(self.blocks, return_inverse=True, return_counts=True)
        kinds, kind, many = np.unique(counts, return_inverse=True, return_counts=True)
        worths = np.bincount(kind[place[self.early :]], self.worths[self.early :], len(kinds)).astype(np.float64)
        return AlikeBlocks(kinds, many, worths, self.early / len(self.blocks))


@dataclass(frozen=True)
class AlikeBlocks:
    """Blocks by their *counts* of references: how *many* have each, and their *worths* after the *early* ones."""

    counts: NDArray[np.int64]
    many: NDArray[np.int64]
    worths: NDArray[np.float64]
    early: float

    @classmethod
    def among(cls, blocks: NDArray[np.int64], early: int) -> "AlikeBlocks":
        """Sort *blocks* by their references, each worth 1, which takes little memory."""
        unique, of_each = np.unique(blocks, return_counts=True)
        counts, kind, many = np.unique(of_each, return_inverse=True, return_counts=True)
        worths = counts * many
        for begin in range(0, early, REFERENCES_AT_ONCE):
            early_ones = np.searchsorted(unique, blocks[begin : min(early, begin + REFERENCES_AT_ONCE)])
            worths -= np.bincount(kind[early_ones], minlength=len(counts))
        return cls(counts, many, worths.astype(np.float64), early / len(blocks))

    def hits(self, capacity: float) -> float:
        """Return the mean hits over all orders of the references, by Che's approximation.

        With t the characteristic time and w the early part, both as shares of the string, a reference at x to a block
        that has c of them misses where none of the other c - 1 lies within t before it, or back to the beginning. That
        has the chance (1 - min(x, t))^(c-1), and the mean over x from w to 1 is taken. It is the same for all blocks
        that have as many, so that a further capacity costs next to nothing.
        """
        counts, warm = self.counts, self.early
        time = _time(counts, self.many, capacity)
        full = max(time, warm)
        filling = ((1.0 - warm) ** counts - (1.0 - full) ** counts) / counts
        miss = (filling + (1.0 - full) * (1.0 - time) ** (counts - 1.0)) / (1.0 - warm)
        return float(self.worths @ (1.0 - miss))


def _time(kinds: NDArray[np.int64], many: NDArray[np.int64], capacity: float) -> float:
    """Return the share of a string in which *capacity* distinct blocks come by; *many* blocks have each of *kinds*."""
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


class ReferenceLog:
    """Log of a run's block references, with the worth of a hit on each; those of the warm-up are *early*."""

    def __init__(self) -> None:
        self.blocks: list[int] = []
        self.worths: list[float] = []
        self.early = 0
        self._env: simpy.Environment | None = None
        self._warm_up = 0.0

    def begin(self, env: simpy.Environment, warm_up: float) -> None:
        """Prepare for a run that is measured from *warm_up* on."""
        self._env, self._warm_up = env, warm_up

    def note(self, blocks: range, answerable: bool) -> None:
        """Note one request for *blocks*, with a worth only if it is *answerable* by the cache."""
        assert self._env is not None, "nothing is noted before the run begins"
        worth = answerable / len(blocks)
        for block in blocks:
            self.blocks.append(block)
            self.worths.append(worth)
        if self._env._now < self._warm_up:
            self.early = len(self.blocks)

    def compare(self, hit_ratio: float, capacity: float, requests: float) -> dict[str, float]:
        """Compare a measured *hit_ratio* of *requests* requests with LRU of *capacity* blocks on the same references.

        ``che`` is LRU's hit ratio for the references in random order. The rest is split into the effect of their actual
        order, ``beyond_order``, and of the cache's differences from plain LRU, ``beyond_rules``. NaN without requests.
        """
        references = CacheReferences.from_blocks(self.blocks, self.worths, self.early)
        both = references.che_hits, references.lru_hits
        che, exact = (hits(capacity) / requests if requests else nan for hits in both)
        return {
            "che": che, "beyond_che": hit_ratio - che, "beyond_order": exact - che, "beyond_rules": hit_ratio - exact,
        }  # fmt: skip
