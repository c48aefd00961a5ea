"""Where the references of a trace go: how many blocks there are, how hot the hottest, how soon one is used again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.curve.fastest import stack_distances
from workloads.traces.blocks import Blocks
from workloads.traces.histogram import Histogram, NumberCounts

HOT = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Shares of the blocks, hottest first."""
KEPT = 1 << 22
"""References; when there are more, those to half of the blocks go."""
HALVINGS = 16
"""More would leave too few blocks; beyond them memory grows with the trace."""


@dataclass(frozen=True)
class TraceLocality:
    """Of *references* to blocks, each request one to each of its blocks; all but that is from a *sample* of the blocks.

    *hot* is the share of the references that goes to the hottest blocks, for each share of HOT. *distances* are stack
    distances: how many other blocks were used since a block was used last, for references that are not its first.
    """

    references: int
    blocks: int
    first_uses: float
    hot: tuple[float, ...]
    distances: Histogram
    sample: float


class SampledReferences:
    """Keeps references to those blocks that a hash picks (SHARDS, Waldspurger et al., FAST 2015): all, while few."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._kept = np.empty(0, dtype=np.int64)
        self._halvings = 0
        self._count = 0

    def add(self, blocks: Blocks) -> None:
        self._count += len(blocks)
        self._kept = np.concatenate([self._kept, self._picked(blocks)])
        while len(self._kept) > self._most and self._halvings < HALVINGS:
            self._halvings += 1
            self._kept = self._picked(self._kept)

    def _picked(self, blocks: Blocks) -> Blocks:
        return blocks if not self._halvings else blocks[_hashed(blocks) >> np.uint64(64 - self._halvings) == 0]

    def locality(self) -> TraceLocality:
        _, uses = np.unique(self._kept, return_counts=True)
        up_to = np.cumsum(np.sort(uses)[::-1])
        held = max(1, len(self._kept))
        places = [max(0, round(share * len(uses)) - 1) for share in HOT]
        distances = stack_distances(self._kept)
        counts = NumberCounts()
        values, times = np.unique(distances[distances >= 0] << self._halvings, return_counts=True)
        for value, count in zip(values.tolist(), times.tolist(), strict=True):
            counts.add(value, count)
        return TraceLocality(
            self._count, len(uses) << self._halvings, len(uses) / held,
            tuple(float(up_to[place]) / held if len(uses) else 0.0 for place in places),
            counts.histogram(), 0.5**self._halvings,
        )  # fmt: skip


def _hashed(blocks: Blocks) -> NDArray[np.uint64]:
    """64 bits for each block, all of which depend on all of its own: the finish of splitmix64 (Steele et al., 2014)."""
    bits = blocks.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    mixed: NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return mixed
