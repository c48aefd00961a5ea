"""LRU-K and GDSF, compiled: the entry of the lowest rank goes."""

import numpy as np

from sim.curve.compiled.heap import heap_of, pop, push, rise
from sim.curve.compiled.links import Links, enter, leave, rings
from sim.jit import compiled

NEVER = -1


@compiled
def lru_2(numbers: Links, unique: int, capacity: int, early: int) -> int:
    """Those with one use are in a queue by that, those with two in a heap by the last but one."""
    heap = heap_of(unique, capacity)
    after, before = rings(unique, 2)  # with one use; gone, but remembered
    once, gone = unique, unique + 1
    last = np.full(unique, NEVER, dtype=np.int32)
    older = np.full(unique, NEVER, dtype=np.int32)
    resident = np.zeros(unique, dtype=np.bool_)
    hits = entries = ghosts = 0
    for now in range(len(numbers)):
        block = numbers[now]
        was, twice = resident[block], older[block] != NEVER
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
                    last[oldest] = older[oldest] = NEVER
            else:
                entries += 1
            if last[block] != NEVER:
                leave(after, before, block)
                ghosts -= 1
            resident[block] = True
        older[block] = last[block]
        last[block] = now
        if older[block] == NEVER:
            enter(after, before, once, block)
        elif was and twice:
            rise(heap, heap.places[block], older[block], now, block)
        else:
            if was:
                leave(after, before, block)
            push(heap, older[block], now, block)
    return hits


@compiled
def gdsf(numbers: Links, unique: int, capacity: int, early: int) -> int:
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


@compiled
def hyperbolic(numbers: Links, unique: int, capacity: int, early: int) -> int:
    """Of a sample of 64, in turn, who has the fewest uses for its time."""
    most = min(unique, capacity)
    keys = np.empty(most, dtype=np.int32)
    uses = np.zeros(most, dtype=np.int32)  # by place, as the next
    came = np.zeros(most, dtype=np.int32)
    places = np.full(unique, NEVER, dtype=np.int32)
    hits = entries = hand = 0
    for now in range(len(numbers)):
        block = numbers[now]
        place = places[block]
        if place != NEVER:
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
            places[keys[best]] = NEVER
            entries -= 1
            keys[best], uses[best], came[best] = keys[entries], uses[entries], came[entries]
            places[keys[best]] = best if best < entries else NEVER
            hand = (hand + 64) % capacity
        keys[entries], uses[entries], came[entries] = block, 1, now + 1
        places[block] = entries
        entries += 1
    return hits
