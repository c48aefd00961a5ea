"""Belady's bound: the most hits that any policy could have, if it knew the future."""

from collections.abc import Iterable
from heapq import heappush, heapreplace

import numpy as np
from numpy.typing import ArrayLike

from sim.curve.uses import next_uses
from sim.error import UserError


def belady_hits(references: ArrayLike, capacities: Iterable[int], early: int = 0) -> dict[int, int]:
    """The hits of block *references* at each of *capacities*, if who is used next last goes; the first *early* warm up.

    Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. Every
    miss enters its block; leaving some out would give no more hits. O(n log n) for each capacity.
    """
    after = next_uses(np.asarray(references, dtype=np.int64)).tolist()
    return {capacity: _hits(after, capacity, early) for capacity in capacities}


def _hits(after: list[int], capacity: int, early: int) -> int:
    """Who is in the cache is named by its next use.

    The farthest is found in a heap of negatives. Who was used since is left in it, under a name that lies in the
    past: it cannot come up, because the next uses of all that are in the cache are later.
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
        else:
            resident[-heapreplace(farthest, -then)] = False
        resident[then] = True
    return hits
