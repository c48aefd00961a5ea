"""Counts hits of LRU, SLRU, 2Q and ARC by compiled loops: queues by last use, in 2Q and ARC also of evicted blocks.

Evicted blocks that a policy remembers are called ghosts.

Each loop counts the hits of a policy from reference *early* on, in a cache of *capacity* blocks. *numbers* are the
references by the number of their block, and *unique* is how many blocks there are.
"""

import numpy as np

from spindle.sim.jit import compile_loop
from spindle.traces.curve.compiled.links import Numbers, enter, leave, move, rings

OLD, SAFE = 0, 1
NEW, MAIN, GHOST = 0, 1, 2
ONCE, OFTEN, ONCE_GHOST, OFTEN_GHOST, NOWHERE = 0, 1, 2, 3, 4
"""Queues of SLRU (OLD is probation, SAFE is protected), of 2Q, and of ARC; and the state of a block in each queue.
NOWHERE is the state of a block in none."""


@compile_loop
def lru(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    after, before = rings(unique, 1)
    resident = np.zeros(unique, dtype=np.bool_)
    hits = entries = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if resident[block]:
            hits += now >= early
            move(after, before, unique, block)
            continue
        if entries == capacity:
            resident[after[unique]] = False
            leave(after, before, after[unique])
        else:
            entries += 1
        enter(after, before, unique, block)
        resident[block] = True
    return hits


@compile_loop
def slru(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    after, before = rings(unique, 2)
    state = np.full(unique, NOWHERE, dtype=np.uint8)
    most_safe = int(0.8 * capacity)
    hits = safe = entries = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block] != NOWHERE:
            hits += now >= early
            move(after, before, unique + SAFE, block)
            if state[block] == OLD:
                state[block] = SAFE
                safe += 1
                if safe > most_safe:
                    oldest = after[unique + SAFE]
                    move(after, before, unique + OLD, oldest)
                    state[oldest] = OLD
                    safe -= 1
            continue
        if entries == capacity:
            victim = after[unique + OLD]
            if victim == unique + OLD:
                victim = after[unique + SAFE]
                safe -= 1
            leave(after, before, victim)
            state[victim] = NOWHERE
        else:
            entries += 1
        enter(after, before, unique + OLD, block)
        state[block] = OLD
    return hits


@compile_loop
def two_q(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    after, before = rings(unique, 3)
    state = np.full(unique, NOWHERE, dtype=np.uint8)
    k_in, k_out = max(1, capacity // 4), max(1, capacity // 2)
    hits = new = main = ghosts = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block] <= MAIN:
            hits += now >= early
            if state[block] == MAIN:
                move(after, before, unique + MAIN, block)
            continue
        if new + main == capacity:
            if (new > k_in or not main) and new:
                victim = after[unique + NEW]
                move(after, before, unique + GHOST, victim)
                state[victim] = GHOST
                new -= 1
                ghosts += 1
            else:
                victim = after[unique + MAIN]
                leave(after, before, victim)
                state[victim] = NOWHERE
                main -= 1
        ghost = state[block] == GHOST
        while ghosts > k_out:
            oldest = after[unique + GHOST]
            leave(after, before, oldest)
            state[oldest] = NOWHERE
            ghosts -= 1
        if state[block] == GHOST:
            leave(after, before, block)
            ghosts -= 1
        queue = MAIN if ghost else NEW
        enter(after, before, unique + queue, block)
        state[block] = queue
        main += ghost
        new += not ghost
    return hits


@compile_loop
def arc(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of ARC; in one function, because to pass arrays to another takes longer than the rest."""
    after, before = rings(unique, 4)
    state = np.full(unique, NOWHERE, dtype=np.uint8)
    lengths = np.zeros(4, dtype=np.int64)
    hits, target = 0, 0.0
    for now in range(len(numbers)):
        block = numbers[now]
        was = state[block]
        if was <= OFTEN:
            hits += now >= early
            lengths[was] -= 1
            lengths[OFTEN] += 1
            move(after, before, unique + OFTEN, block)
            state[block] = OFTEN
            continue
        if was == ONCE_GHOST:
            target = min(target + max(1.0, lengths[OFTEN_GHOST] / lengths[ONCE_GHOST]), float(capacity))
        elif was == OFTEN_GHOST:
            target = max(target - max(1.0, lengths[ONCE_GHOST] / lengths[OFTEN_GHOST]), 0.0)
        if lengths[ONCE] + lengths[OFTEN] == capacity:
            gives = lengths[ONCE] > target or (lengths[ONCE] == target and was == OFTEN_GHOST)
            queue = ONCE if (gives and lengths[ONCE]) or not lengths[OFTEN] else OFTEN
            victim = after[unique + queue]
            move(after, before, unique + queue + ONCE_GHOST, victim)
            state[victim] = queue + ONCE_GHOST
            lengths[queue] -= 1
            lengths[queue + ONCE_GHOST] += 1
        if was != NOWHERE:
            leave(after, before, block)
            lengths[was] -= 1
            queue = OFTEN
        else:
            queue, ghosts = ONCE, NOWHERE
            if lengths[ONCE] + lengths[ONCE_GHOST] >= capacity:
                ghosts = ONCE_GHOST
            elif lengths[ONCE] + lengths[OFTEN] + lengths[ONCE_GHOST] + lengths[OFTEN_GHOST] >= 2 * capacity:
                ghosts = OFTEN_GHOST
            if ghosts != NOWHERE:
                oldest = after[unique + ghosts]
                leave(after, before, oldest)
                state[oldest] = NOWHERE
                lengths[ghosts] -= 1
        enter(after, before, unique + queue, block)
        state[block] = queue
        lengths[queue] += 1
    return hits
