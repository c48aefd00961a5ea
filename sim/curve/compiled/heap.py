"""A heap of numbered entries by rank, and of equals by last use; ranks that change only rise."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.jit import compiled


class Heap(NamedTuple):
    """*ranks*, *uses* and *entries* by place, the lowest first; *places* by entry; *size*[0] entries."""

    ranks: NDArray[np.float64]
    uses: NDArray[np.int32]
    entries: NDArray[np.int32]
    places: NDArray[np.int32]
    size: NDArray[np.int32]


@compiled
def heap_of(unique: int, capacity: int) -> Heap:
    """Empty, for as many as *capacity* of *unique* entries."""
    most = min(unique, capacity)
    return Heap(np.empty(most, np.float64), np.empty(most, np.int32), np.empty(most, np.int32),
                np.empty(unique, np.int32), np.zeros(1, np.int32))  # fmt: skip


@compiled
def _put(heap: Heap, place: int, rank: float, use: int, entry: int) -> None:
    heap.ranks[place] = rank
    heap.uses[place] = use
    heap.entries[place] = entry
    heap.places[entry] = place


@compiled
def push(heap: Heap, rank: float, use: int, entry: int) -> None:
    place = heap.size[0]
    heap.size[0] += 1
    while place:
        above = (place - 1) // 2
        if heap.ranks[above] < rank or (heap.ranks[above] == rank and heap.uses[above] < use):
            break
        _put(heap, place, heap.ranks[above], heap.uses[above], heap.entries[above])
        place = above
    _put(heap, place, rank, use, entry)


@compiled
def rise(heap: Heap, place: int, rank: float, use: int, entry: int) -> None:
    """What is at *place* or goes there is *entry*, with a *rank* not below that of who stood there."""
    size = heap.size[0]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        other = below + 1
        if other < size and (heap.ranks[other] < heap.ranks[below] or (
            heap.ranks[other] == heap.ranks[below] and heap.uses[other] < heap.uses[below])):  # fmt: skip
            below = other
        if rank < heap.ranks[below] or (rank == heap.ranks[below] and use < heap.uses[below]):
            break
        _put(heap, place, heap.ranks[below], heap.uses[below], heap.entries[below])
        place = below
    _put(heap, place, rank, use, entry)


@compiled
def pop(heap: Heap) -> int:
    """Who is lowest, and goes."""
    lowest = heap.entries[0]
    last = heap.size[0] - 1
    heap.size[0] = last
    if last:
        rise(heap, 0, heap.ranks[last], heap.uses[last], heap.entries[last])
    return int(lowest)
