"""Belady's policy, compiled: blocks in the cache are named by their next use, and the farthest goes."""

import numpy as np
from numpy.typing import NDArray

from sim.jit import compiled


@compiled
def belady(after: NDArray[np.int64], capacity: int, early: int) -> int:
    """The hits of references whose next uses are *after*; as in sim.curve.belady, with a heap of its own."""
    count = len(after)
    resident = np.zeros(count + 1, dtype=np.bool_)
    heap = np.empty(count + 1, dtype=np.int32)
    size = entries = hits = 0
    for now in range(count):
        then = after[now]
        if resident[now]:
            hits += now >= early
        elif entries < capacity:
            entries += 1
        else:
            resident[heap[0]] = False
            resident[then] = True
            _sink(heap, size, then)
            continue
        resident[then] = True
        place = size
        size += 1
        while place and heap[(place - 1) // 2] < then:
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = then
    return hits


@compiled
def _sink(heap: NDArray[np.int32], size: int, value: int) -> None:
    """Put *value* into the place of the largest."""
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value
