"""Belady's bound: the most hits that any policy could have, if it knew the future."""

from collections.abc import Iterable
from heapq import heappush, heapreplace

import numpy as np
from numpy.typing import ArrayLike

from spindle.sim.error import UserError
from spindle.workloads.traces.block_uses import next_uses


def belady_hits(
    references: ArrayLike, capacities: Iterable[int], early: int = 0, bypass: bool = True
) -> dict[int, int]:
    """The most hits of block *references* at each of *capacities*; the first *early* warm up.

    Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. With
    *bypass* a block that would be used last of all does not come in; else every miss enters its block, as Belady's
    paging must, which has fewer hits. O(n log n) for each capacity.
    """
    after = next_uses(np.asarray(references, dtype=np.int64)).tolist()
    return {capacity: _hits(after, capacity, early, bypass) for capacity in capacities}


def _hits(after: list[int], capacity: int, early: int, bypass: bool) -> int:
    """Blocks in the cache are named by their next use.

    The farthest comes from a heap of negatives. A block used since stays in it under a name that lies in the past:
    it cannot come up, because the next uses of all blocks in the cache are later.
    """
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} blocks has no bound: it must have at least one")
    resident = bytearray(len(after) + 1)
    farthest: list[int] = []
    entries = hits = 0
    for now, then in enumerate(after):
        if resident[now]:
            hits += now >= early
            heappush(farthest, -then)
        elif entries < capacity:
            entries += 1
            heappush(farthest, -then)
        elif bypass and then >= -farthest[0]:
            continue
        else:
            resident[-heapreplace(farthest, -then)] = False
        resident[then] = True
    return hits
