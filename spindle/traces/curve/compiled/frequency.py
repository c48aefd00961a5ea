"""Counts hits of LFU, W-TinyLFU and LeCaR by compiled loops; their victims depend on the numbers of uses.

Each loop counts the hits of a policy from reference *early* on, in a cache of *capacity* blocks. *numbers* are the
references by the number of their block, and *unique* is how many blocks there are.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from spindle.sim.jit import compile_loop
from spindle.sim.streams import stream
from spindle.traces.curve.compiled.links import Links, Numbers, enter, leave, move, rings

MAX_USES = 15
"""Most uses that W-TinyLFU counts of a block."""
USES_A_HALVING = 10
"""Uses, for each block of the capacity, after which W-TinyLFU halves all counts."""
NOT_CACHED, WINDOW, OLD, SAFE = 0, 1, 2, 3
"""States of a block in W-TinyLFU; OLD is probation, and SAFE is protected."""


@compile_loop
def lfu(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of LFU, with a queue for each number of uses, in order of reaching it."""
    after, before = rings(unique, int(np.bincount(numbers).max()) + 2 if len(numbers) else 2)
    uses = np.zeros(unique, dtype=np.int32)
    hits = entries = fewest = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if uses[block]:
            hits += now >= early
            leave(after, before, block)
            if uses[block] == fewest and after[unique + fewest] == unique + fewest:
                fewest += 1
        else:
            if entries == capacity:
                victim = after[unique + fewest]
                leave(after, before, victim)
                uses[victim] = 0
            else:
                entries += 1
            fewest = 1
        uses[block] += 1
        enter(after, before, unique + uses[block], block)
    return hits


@compile_loop
def w_tiny_lfu(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of W-TinyLFU: a window by last use, and a segmented queue behind an admission by uses."""
    after, before = rings(unique, 4)
    state = np.zeros(unique, dtype=np.uint8)
    uses = np.zeros(unique, dtype=np.uint8)
    used = np.empty(unique, dtype=np.int32)  # blocks that have uses
    most_window = max(1, round(0.01 * capacity))
    most_safe = int(0.8 * max(1, capacity - most_window))
    hits = entries = window = safe = counted = known = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if state[block]:
            hits += now >= early
            queue = WINDOW if state[block] == WINDOW else SAFE
            move(after, before, unique + queue, block)
            if state[block] == OLD:
                state[block] = SAFE
                safe += 1
                if safe > most_safe:
                    oldest = after[unique + SAFE]
                    move(after, before, unique + OLD, oldest)
                    state[oldest] = OLD
                    safe -= 1
        else:
            if entries == capacity:
                victim = _victim(after, unique, uses, window < most_window)
                leave(after, before, victim)
                window -= state[victim] == WINDOW
                safe -= state[victim] == SAFE
                state[victim] = NOT_CACHED
            else:
                entries += 1
            enter(after, before, unique + WINDOW, block)
            state[block] = WINDOW
            window += 1
        if not uses[block]:
            used[known] = block
            known += 1
        uses[block] = min(MAX_USES, uses[block] + 1)
        counted += 1
        if counted >= USES_A_HALVING * capacity:
            counted //= 2
            known = _halve(uses, used, known)
        if window > most_window:
            oldest = after[unique + WINDOW]
            move(after, before, unique + OLD, oldest)
            state[oldest] = OLD
            window -= 1
    return hits


@compile_loop
def _victim(after: Links, unique: int, uses: np.ndarray, window_has_room: bool) -> int:
    """Return the first of the window or the first of the rest, whichever was used less; of equals the window's."""
    newcomer, settled = after[unique + WINDOW], after[unique + OLD]
    if settled == unique + OLD:
        settled = after[unique + SAFE]
    if settled == unique + SAFE:
        return int(newcomer)
    if newcomer == unique + WINDOW or window_has_room:
        return int(settled)
    return int(settled) if uses[newcomer] > uses[settled] else int(newcomer)


@compile_loop
def _halve(uses: np.ndarray, used: np.ndarray, known: int) -> int:
    """Halve the uses, and return the number of blocks that still have some."""
    left = 0
    for place in range(known):
        block = used[place]
        uses[block] //= 2
        if uses[block]:
            used[left] = block
            left += 1
    return left


# LeCaR: an entry is in a queue by last use and in one by number of uses; its ghost is in one of two queues.

LEARNING_RATE, LECAR_DISCOUNT = 0.45, 0.005
RECENCY, FREQUENCY, NO_GHOST = 0, 1, 2
"""Queues of LeCaR, and of their ghosts."""


def lecar(numbers: Numbers, unique: int, capacity: int, early: int) -> int:
    """Count the hits of LeCaR, with the random numbers that the policy draws."""
    most = int(np.bincount(numbers).max()) if len(numbers) else 0
    draws, discount = _random_numbers(len(numbers)), LECAR_DISCOUNT ** (1.0 / capacity)
    return _lecar(numbers, unique, most, capacity, early, draws, discount)


def _random_numbers(count: int) -> NDArray[np.float64]:
    """Draw *count* numbers by numpy; they are those of Python's generator, whose state it gets."""
    *key, place = stream(0, "lecar").getstate()[1]
    random = np.random.RandomState()
    random.set_state({"bit_generator": "MT19937", "state": {"key": key, "pos": place}})
    return random.random_sample(count)


@compile_loop
def _lecar(
    numbers: Numbers, unique: int, most: int, capacity: int, early: int, draws: NDArray[np.float64], discount: float
) -> int:
    after, before = rings(unique, 1)
    upper, lower = rings(unique, most + 2)  # by uses
    later, earlier = rings(unique, 2)  # ghosts
    uses = np.zeros(unique, dtype=np.int32)
    ghost = np.full(unique, NO_GHOST, dtype=np.uint8)
    went = np.zeros(unique, dtype=np.int32)
    lengths = np.zeros(2, dtype=np.int64)
    weights = np.full(2, 0.5)
    hits = entries = fewest = evicted = 0
    for now in range(len(numbers)):
        block = numbers[now]
        if uses[block]:
            hits += now >= early
            leave(upper, lower, block)
            if uses[block] == fewest and upper[unique + fewest] == unique + fewest:
                fewest += 1
            move(after, before, unique, block)
        else:
            if entries == capacity:
                chosen = RECENCY if draws[evicted] < weights[RECENCY] else FREQUENCY
                evicted += 1
                oldest, rarest = after[unique], upper[unique + fewest]
                victim = oldest if chosen == RECENCY else rarest
                leave(after, before, victim)
                leave(upper, lower, victim)
                uses[victim] = 0
                if oldest != rarest:
                    _remember(later, earlier, unique + chosen, lengths, ghost, victim, capacity)
                    went[victim] = now
            else:
                entries += 1
            fewest = 1
            enter(after, before, unique, block)
            if ghost[block] != NO_GHOST:
                leave(later, earlier, block)
                lengths[ghost[block]] -= 1
                weights[1 - ghost[block]] *= exp(LEARNING_RATE * discount ** float(now - went[block]))
                total = weights[0] + weights[1]
                weights[0], weights[1] = weights[0] / total, weights[1] / total
                ghost[block] = NO_GHOST
        uses[block] += 1
        enter(upper, lower, unique + uses[block], block)
    return hits


@compile_loop
def _remember(
    later: Links, earlier: Links, end: int, lengths: np.ndarray, ghost: np.ndarray, victim: int, most: int
) -> None:
    """Add *victim* as the last ghost of the queue with that *end*, which keeps *most* ghosts."""
    chosen = end - len(ghost)
    enter(later, earlier, end, victim)
    ghost[victim] = chosen
    lengths[chosen] += 1
    if lengths[chosen] > most:
        oldest = later[end]
        leave(later, earlier, oldest)
        ghost[oldest] = NO_GHOST
        lengths[chosen] -= 1
