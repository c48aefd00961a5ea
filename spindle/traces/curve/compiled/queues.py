"""Counts hits of FIFO, CLOCK, clock sweep, SIEVE and S3-FIFO (queues) and of LIRS (a stack) by compiled loops.

Each loop counts the hits of a policy from reference *early* on, in a cache of *capacity* blocks. *numbers* are the
references by the number of their block, and *unique* is how many blocks there are.
"""

import numpy as np

from spindle.sim.jit import compile_loop
from spindle.traces.curve.compiled.links import Links, Numbers, enter, leave, move, rings

MAX_USES = 3
"""Most uses that S3-FIFO counts of an entry."""
SMALL, MAIN, GHOST = 1, 2, 3
"""The queues of S3-FIFO, and the state of a block in each; a block in none has state 0."""


@compile_loop
def fifo(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of FIFO."""
    frames = np.full(capacity, -1, dtype=np.int32)
    resident = np.zeros(unique, dtype=np.bool_)
    hits = hand = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if resident[block]:
            hits += now >= early
            continue
        if frames[hand] >= 0:
            resident[frames[hand]] = False
        frames[hand] = block
        resident[block] = True
        hand = hand + 1 if hand + 1 < capacity else 0
    return hits


@compile_loop
def clock(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of CLOCK: one bit of use."""
    return _sweep(numbers, unique, capacity, early, 1, 2)


@compile_loop
def clock_sweep(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of clock sweep: up to five uses, as PostgreSQL counts them."""
    return _sweep(numbers, unique, capacity, early, 2, 6)


@compile_loop
def _sweep(numbers: Numbers, unique: int, capacity: int, early: int, first: int, most: int) -> int:
    """Count the hits of a clock. The state of a block is 1 plus its uses: *first* when it comes, *most* at most."""
    frames = np.full(capacity, -1, dtype=np.int32)
    state = np.zeros(unique, dtype=np.uint8)
    hits = hand = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block]:
            if state[block] < most:
                state[block] += 1
            hits += now >= early
            continue
        while frames[hand] >= 0 and state[frames[hand]] > 1:
            state[frames[hand]] -= 1
            hand = hand + 1 if hand + 1 < capacity else 0
        if frames[hand] >= 0:
            state[frames[hand]] = 0
        frames[hand] = block
        state[block] = first
        hand = hand + 1 if hand + 1 < capacity else 0
    return hits


@compile_loop
def sieve(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of SIEVE. Its queue is an array; gaps of evicted entries are closed when the array is full."""
    queue = np.empty(2 * min(unique, capacity), dtype=np.int32)
    state = np.zeros(unique, dtype=np.uint8)  # 1 resident, 2 and visited
    hits = entries = hand = end = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block]:
            state[block] = 2
            hits += now >= early
            continue
        if entries == capacity:
            while queue[hand] < 0 or state[queue[hand]] == 2:
                if queue[hand] >= 0:
                    state[queue[hand]] = 1
                hand = hand + 1 if hand + 1 < end else 0
            state[queue[hand]] = 0
            queue[hand] = -1
            while hand < end and queue[hand] < 0:
                hand += 1
            hand = hand if hand < end else 0
        else:
            entries += 1
        if end == len(queue):
            hand, end = _close_gaps(queue, hand)
        queue[end] = block
        state[block] = 1
        end += 1
    return hits


@compile_loop
def _close_gaps(queue: Links, hand: int) -> tuple[int, int]:
    """Close the gaps of a *queue*; return the new places of the *hand* and the end."""
    end, there = 0, 0
    for place in range(len(queue)):
        if place == hand:
            there = end
        if queue[place] >= 0:
            queue[end] = queue[place]
            end += 1
    return there, end


@compile_loop
def s3_fifo(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of S3-FIFO; in one function, because to pass arrays to another takes longer than the rest."""
    after, before = rings(unique, 4)
    state = np.zeros(unique, dtype=np.uint8)
    uses = np.zeros(unique, dtype=np.uint8)
    most_small, most_ghosts = max(1, int(0.1 * capacity)), int(0.9 * capacity)
    hits, small, main, ghosts, filling = 0, 0, 0, 0, True
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block] == SMALL or state[block] == MAIN:
            uses[block] = min(MAX_USES, uses[block] + 1)
            hits += now >= early
            continue
        full = small + main == capacity
        filling = filling and not full
        from_small = full and main <= capacity - most_small
        while from_small and small:
            first = after[unique + SMALL]
            queue = MAIN if uses[first] > 1 else GHOST
            move(after, before, unique + queue, first)
            state[first], uses[first] = queue, 0
            small -= 1
            main += queue == MAIN
            ghosts += queue == GHOST
            full = from_small = queue == MAIN
        while full:
            first = after[unique + MAIN]
            if uses[first]:
                uses[first] -= 1
                move(after, before, unique + MAIN, first)
            else:
                leave(after, before, first)
                state[first] = 0
                main -= 1
                full = False
        ghost = state[block] == GHOST
        if ghost:
            leave(after, before, block)
            ghosts -= 1
        while ghosts > most_ghosts:
            oldest = after[unique + GHOST]
            leave(after, before, oldest)
            state[oldest] = 0
            ghosts -= 1
        queue = MAIN if ghost or (filling and small >= most_small) else SMALL
        enter(after, before, unique + queue, block)
        state[block], uses[block] = queue, 0
        main += queue == MAIN
        small += queue == SMALL
    return hits


# LIRS: a stack of blocks by last use, and a queue of the resident ones that may be evicted.

LIR, STACK, QUEUE = 0, 1, 2
"""Memberships of a block: among the LIR entries (those of low inter-reference recency), in the stack, in the queue."""


@compile_loop
def lirs(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of LIRS."""
    above, below = rings(unique, 1)
    after, before = rings(unique, 1)
    member = np.zeros((unique, 3), dtype=np.bool_)  # of the LIR entries, of the stack, of the queue
    most = capacity - max(1, capacity // 100)
    hits = entries = lir = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if member[block, LIR] or member[block, QUEUE]:
            hits += now >= early
        elif entries < capacity:
            entries += 1
        else:  # there is one in the queue, as fewer are LIR than there is room for
            victim = after[unique]
            leave(after, before, victim)
            member[victim, QUEUE] = False
        if member[block, QUEUE]:
            leave(after, before, block)
            member[block, QUEUE] = False
        if not member[block, LIR] and (member[block, STACK] or lir < most):
            member[block, LIR] = True
            lir += 1
        elif not member[block, LIR]:
            enter(after, before, unique, block)
            member[block, QUEUE] = True
        if member[block, STACK]:
            leave(above, below, block)
        enter(above, below, unique, block)
        member[block, STACK] = True
        _prune(above, below, unique, member)
        if lir > most:
            bottom = above[unique]
            leave(above, below, bottom)
            member[bottom, LIR] = member[bottom, STACK] = False
            lir -= 1
            enter(after, before, unique, bottom)
            member[bottom, QUEUE] = True
            _prune(above, below, unique, member)
    return hits


@compile_loop
def _prune(above: Links, below: Links, end: int, member: np.ndarray) -> None:
    """Remove entries that are not LIR from the bottom of the stack."""
    bottom = above[end]
    while bottom != end and not member[bottom, LIR]:
        leave(above, below, bottom)
        member[bottom, STACK] = False
        bottom = above[end]
