"""Computes stack distances, hits of any policy, Belady's hits, and misses by cause the fastest way that is installed.

Compiled loops, which need numba, count the same as lru.py and replay.py. These are used for few references, because
numba takes half a second to start.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.jit import AVAILABLE
from spindle.traces.curve import lru, replay
from spindle.traces.curve.lru import Distances, LruCurve
from spindle.workloads.traces import block_uses

COMPILED_FROM, COMPILED_BELOW = 1 << 18, 1 << 31
"""References times capacities from which compiled loops are used, and references which these no longer number."""
Progress = Callable[[int], object]
"""A progress callback, called with the number of references processed since the last call."""


def stack_distances(blocks: NDArray[np.int64]) -> Distances:
    """Return for each reference the number of other blocks used since its block's last use; -1 at a block's first."""
    if not _worth_it(len(blocks)):
        return lru.stack_distances(blocks)
    from spindle.traces.curve.compiled import distances

    return distances.stack_distances(blocks)


def next_uses(blocks: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
    """Return for each reference the index of the next to the same block, or the number of all references."""
    if not _worth_it(len(blocks)):
        return block_uses.next_uses(blocks)
    from spindle.traces.curve.compiled import distances

    return distances.next_uses(*distances.number_blocks(blocks))


def belady_hits(
    references: ArrayLike, capacities: Iterable[int], early: int = 0, bypass: bool = True
) -> dict[int, int]:
    """Count the most hits of any policy at each of *capacities*; without *bypass* every missed block must enter."""
    blocks, sizes = np.asarray(references, dtype=np.int64), list(capacities)
    if not _worth_it(len(blocks), len(sizes)):
        return replay.belady_hits(blocks, sizes, early, bypass)
    from spindle.traces.curve.compiled.distances import belady as loop

    after = np.asarray(next_uses(blocks), dtype=np.int32)
    return _hits_at_each(sizes, lambda size: loop(after, size, early, bypass))


def replay_at(
    kind: Callable[..., EvictionPolicy], references: NDArray[np.int64], capacities: Iterable[int], early: int = 0,
    progress: Progress = lambda _: None,
) -> dict[int, int]:  # fmt: skip
    """Count the hits under a policy of class *kind* at each of *capacities*."""
    sizes = list(capacities)
    if _worth_it(len(references), len(sizes)):
        from spindle.traces.curve.compiled import LOOPS
        from spindle.traces.curve.compiled.distances import number_blocks

        if kind in LOOPS:
            numbers, unique = number_blocks(references)
            hits = _hits_at_each(sizes, lambda size: LOOPS[kind](numbers, unique, size, early))
            progress(len(references))
            return hits
    return replay.replay_at(kind, _report_progress(references, progress), sizes, early)


def _worth_it(references: int, sizes: int = 1) -> bool:
    return AVAILABLE and references * sizes >= COMPILED_FROM and references < COMPILED_BELOW


def _hits_at_each(capacities: Sequence[int], hits: Callable[[int], int]) -> dict[int, int]:
    """Call *hits* for each of *capacities*, in as many threads as there are cores: compiled loops run in parallel."""
    for capacity in capacities:
        if capacity < 1:
            raise UserError(f"a cache of {capacity!r} blocks cannot be replayed: it must have at least one")
    with ThreadPoolExecutor(cpu_count()) as threads:
        return dict(zip(capacities, threads.map(hits, capacities), strict=True))


def _report_progress(references: NDArray[np.int64], progress: Progress) -> Iterable[int]:
    for begin in range(0, len(references), replay.CHUNK):
        chunk = references[begin : begin + replay.CHUNK].tolist()
        yield from chunk
        progress(len(chunk))


# The causes of misses: compulsory misses, misses of capacity, and misses of the policy.
#
# Hill's compulsory and capacity misses (Hill and Smith, "Evaluating associativity in CPU caches", IEEE ToC 38(12),
# 1989), with the optimal cache in place of their LRU: what LRU misses beyond it another policy could hit.

@dataclass(frozen=True)
class MissSplit:
    """Hits of LRU among the *references*, and its misses by what would have avoided them.

    *compulsory* are first uses. *capacity* is what the best policy misses beyond them, which may leave blocks out, and
    *policy* what LRU misses beyond that. If some references only warmed the cache up, *policy* may be slightly below 0:
    the best policy for the whole string need not be the best for the rest of it.
    """

    references: int
    hits: int
    compulsory: int
    capacity: int
    policy: int


def miss_splits(
    references: ArrayLike, curve: LruCurve, capacities: Iterable[int], early: int = 0
) -> dict[int, MissSplit]:
    """Split the misses of LRU, given its *curve*, at each of *capacities* of at least one block."""
    best = belady_hits(references, capacities, early)
    return {
        capacity: MissSplit(curve.references, hits := curve.hits_at(capacity), curve.compulsory,
                            curve.references - most - curve.compulsory, most - hits)
        for capacity, most in best.items()
    }  # fmt: skip
