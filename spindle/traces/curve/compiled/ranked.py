"""Counts hits of policies that evict the entry of the lowest rank, by compiled loops.

LRU-2 and GDSF have a heap by rank; Hyperbolic compares the ranks of 64 entries.

Each loop counts the hits of a policy from reference *early* on, in a cache of *capacity* blocks. *numbers* has the
number of the block of each reference, and *unique* is how many blocks there are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.jit import compile_loop
from spindle.traces.curve.compiled.links import Numbers, enter, leave, rings

# A heap of numbered entries by rank, and by last use where ranks are equal; a rank can only rise.

class Heap(NamedTuple):
    """A heap of *size*[0] entries: *ranks*, last *uses* and *entries* by place, the lowest first; *places* by entry."""

    ranks: NDArray[np.float64]
    uses: NDArray[np.int32]
    entries: NDArray[np.int32]
    places: NDArray[np.int32]
    size: NDArray[np.int32]


@compile_loop
def heap_of(unique: int, capacity: int) -> Heap:
    """Make an empty heap for at most *capacity* of *unique* entries."""
    most = min(unique, capacity)
    return Heap(np.empty(most, np.float64), np.empty(most, np.int32), np.empty(most, np.int32),
                np.empty(unique, np.int32), np.zeros(1, np.int32))  # fmt: skip


@compile_loop
def _put(heap: Heap, place: int, rank: float, use: int, entry: int) -> None:
    heap.ranks[place] = rank
    heap.uses[place] = use
    heap.entries[place] = entry
    heap.places[entry] = place


@compile_loop
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


@compile_loop
def rise(heap: Heap, place: int, rank: float, use: int, entry: int) -> None:
    """Move the hole at *place* down to where *entry*, with a *rank* not below the former one, belongs."""
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


@compile_loop
def pop(heap: Heap) -> int:
    """Remove and return the entry of the lowest rank."""
    lowest = heap.entries[0]
    last = heap.size[0] - 1
    heap.size[0] = last
    if last:
        rise(heap, 0, heap.ranks[last], heap.uses[last], heap.entries[last])
    return int(lowest)


NOT_USED_AGAIN = -1


@compile_loop
def lru_2(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of LRU-2: blocks with one use are in a queue by it, others in a heap by their last use but one."""
    heap = heap_of(unique, capacity)
    after, before = rings(unique, 2)  # blocks with one use; evicted blocks that are remembered
    once, gone = unique, unique + 1
    last = np.full(unique, NOT_USED_AGAIN, dtype=np.int32)
    older = np.full(unique, NOT_USED_AGAIN, dtype=np.int32)
    resident = np.zeros(unique, dtype=np.bool_)
    hits = entries = ghosts = 0
    for now in range(len(numbers)):
        block = numbers[now]
        was, twice = resident[block], older[block] != NOT_USED_AGAIN
        if was:
            hits += now >= early
        else:
            if entries == capacity:
                victim = after[once]
                if victim == once:
                    victim = pop(heap)
                else:
                    leave(after, before, victim)
                resident[victim] = False
                enter(after, before, gone, victim)
                ghosts += 1
                if ghosts > capacity:
                    ghosts -= 1
                    oldest = after[gone]
                    leave(after, before, oldest)
                    last[oldest] = older[oldest] = NOT_USED_AGAIN
            else:
                entries += 1
            if last[block] != NOT_USED_AGAIN:
                leave(after, before, block)
                ghosts -= 1
            resident[block] = True
        older[block] = last[block]
        last[block] = now
        if older[block] == NOT_USED_AGAIN:
            enter(after, before, once, block)
        elif was and twice:
            rise(heap, heap.places[block], float(older[block]), now, block)
        else:
            if was:
                leave(after, before, block)
            push(heap, float(older[block]), now, block)
    return hits


@compile_loop
def gdsf(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of GDSF for blocks of one size: the rank is the uses plus the largest rank evicted so far."""
    heap = heap_of(unique, capacity)
    uses = np.zeros(unique, dtype=np.int32)
    hits = 0
    gone = 0.0
    for now in range(len(numbers)):
        block = numbers[now]
        uses[block] += 1
        if uses[block] > 1:
            hits += now >= early
            rise(heap, heap.places[block], gone + uses[block], now, block)
            continue
        if heap.size[0] == capacity:
            gone = max(gone, heap.ranks[0])
            uses[pop(heap)] = 0
        push(heap, gone + 1.0, now, block)
    return hits


@compile_loop
def hyperbolic(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of Hyperbolic: of 64 entries, taken in turn, the one with the fewest uses for its time goes."""
    most = min(unique, capacity)
    keys = np.empty(most, dtype=np.int32)
    uses = np.zeros(most, dtype=np.int32)  # by place, as the next array
    came = np.zeros(most, dtype=np.int32)
    places = np.full(unique, NOT_USED_AGAIN, dtype=np.int32)
    hits = entries = hand = 0
    for now in range(len(numbers)):
        block = numbers[now]
        place = places[block]
        if place != NOT_USED_AGAIN:
            hits += now >= early
            uses[place] += 1
            continue
        if entries == capacity:
            best, fewest, first, place = 0, 2.0, 0, hand
            for _ in range(min(64, entries)):
                priority = uses[place] / (now + 1 - came[place])
                if priority < fewest or (priority == fewest and came[place] < first):
                    best, fewest, first = place, priority, came[place]
                place = place + 1 if place + 1 < entries else 0
            places[keys[best]] = NOT_USED_AGAIN
            entries -= 1
            keys[best], uses[best], came[best] = keys[entries], uses[entries], came[entries]
            places[keys[best]] = best if best < entries else NOT_USED_AGAIN
            hand = (hand + 64) % capacity
        keys[entries], uses[entries], came[entries] = block, 1, now + 1
        places[block] = entries
        entries += 1
    return hits
