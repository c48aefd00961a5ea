"""FIFO, CLOCK, SIEVE and S3-FIFO, compiled: queues whose order a hit leaves as it is."""

import numpy as np

from sim.curve.compiled.jit import compiled
from sim.curve.compiled.links import Links, enter, leave, move, rings

MOST_USES = 3
SMALL, MAIN, GHOST = 1, 2, 3


@compiled
def fifo(numbers: Links, unique: int, capacity: int, early: int) -> int:
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


@compiled
def clock(numbers: Links, unique: int, capacity: int, early: int) -> int:
    frames = np.full(capacity, -1, dtype=np.int32)
    state = np.zeros(unique, dtype=np.uint8)  # 1 in a frame, 2 and used since the hand came by
    hits = hand = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block]:
            state[block] = 2
            hits += now >= early
            continue
        while frames[hand] >= 0 and state[frames[hand]] == 2:
            state[frames[hand]] = 1
            hand = hand + 1 if hand + 1 < capacity else 0
        if frames[hand] >= 0:
            state[frames[hand]] = 0
        frames[hand] = block
        state[block] = 1
        hand = hand + 1 if hand + 1 < capacity else 0
    return hits


@compiled
def sieve(numbers: Links, unique: int, capacity: int, early: int) -> int:
    """The queue is an array with gaps where entries went, closed when it is full: the hand goes along memory."""
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
            hand, end = _closed(queue, hand)
        queue[end] = block
        state[block] = 1
        end += 1
    return hits


@compiled
def _closed(queue: Links, hand: int) -> tuple[int, int]:
    """Where the *hand* and the end are when the gaps of a *queue* are closed."""
    end, there = 0, 0
    for place in range(len(queue)):
        if place == hand:
            there = end
        if queue[place] >= 0:
            queue[end] = queue[place]
            end += 1
    return there, end


@compiled
def s3_fifo(numbers: Links, unique: int, capacity: int, early: int) -> int:
    after, before = rings(unique, 4)
    state = np.zeros(unique, dtype=np.uint8)
    uses = np.zeros(unique, dtype=np.uint8)
    lengths = np.zeros(4, dtype=np.int64)
    most_small = max(1, int(0.1 * capacity))
    most_ghosts = int(0.9 * capacity)
    hits = 0
    filling = True
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block] == SMALL or state[block] == MAIN:
            uses[block] = min(MOST_USES, uses[block] + 1)
            hits += now >= early
            continue
        if lengths[SMALL] + lengths[MAIN] == capacity:
            _give_way(after, before, unique, state, uses, lengths, capacity - most_small)
            filling = False
        ghost = state[block] == GHOST
        if ghost:
            leave(after, before, block)
            lengths[GHOST] -= 1
        while lengths[GHOST] > most_ghosts:
            oldest = after[unique + GHOST]
            leave(after, before, oldest)
            state[oldest] = 0
            lengths[GHOST] -= 1
        queue = MAIN if ghost or (filling and lengths[SMALL] >= most_small) else SMALL
        enter(after, before, unique + queue, block)
        state[block] = queue
        uses[block] = 0
        lengths[queue] += 1
    return hits


@compiled
def _give_way(
    after: Links, before: Links, unique: int, state: np.ndarray, uses: np.ndarray, lengths: np.ndarray, most_main: int
) -> None:  # fmt: skip
    """The one that goes: of the small queue if the main one has no more than its share, else of the main one."""
    if lengths[MAIN] <= most_main:
        while lengths[SMALL]:
            first = after[unique + SMALL]
            lengths[SMALL] -= 1
            queue = MAIN if uses[first] > 1 else GHOST
            move(after, before, unique + queue, first)
            state[first] = queue
            lengths[queue] += 1
            if queue == GHOST:
                return
            uses[first] = 0
    while True:
        first = after[unique + MAIN]
        if not uses[first]:
            leave(after, before, first)
            state[first] = 0
            lengths[MAIN] -= 1
            return
        uses[first] -= 1
        move(after, before, unique + MAIN, first)
