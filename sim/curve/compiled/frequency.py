"""LFU and W-TinyLFU, compiled: who goes hangs on how often entries were used."""

import numpy as np

from sim.curve.compiled.links import Links, enter, leave, move, rings
from sim.jit import compiled

MOST_USES = 15
SAMPLE = 10
NOWHERE, WINDOW, OLD, SAFE = 0, 1, 2, 3


@compiled
def lfu(numbers: Links, unique: int, capacity: int, early: int) -> int:
    """A queue for each number of uses, in the order in which entries came to have it."""
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


@compiled
def w_tiny_lfu(numbers: Links, unique: int, capacity: int, early: int) -> int:
    after, before = rings(unique, 4)
    state = np.zeros(unique, dtype=np.uint8)
    uses = np.zeros(unique, dtype=np.uint8)
    used = np.empty(unique, dtype=np.int32)  # those that have uses
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
                state[victim] = NOWHERE
            else:
                entries += 1
            enter(after, before, unique + WINDOW, block)
            state[block] = WINDOW
            window += 1
        if not uses[block]:
            used[known] = block
            known += 1
        uses[block] = min(MOST_USES, uses[block] + 1)
        counted += 1
        if counted >= SAMPLE * capacity:
            counted //= 2
            known = _halved(uses, used, known)
        if window > most_window:
            oldest = after[unique + WINDOW]
            move(after, before, unique + OLD, oldest)
            state[oldest] = OLD
            window -= 1
    return hits


@compiled
def _victim(after: Links, unique: int, uses: np.ndarray, window_has_room: bool) -> int:
    """The first of the window, or who is next to go of the rest, whichever was used less; the former of equals."""
    newcomer, settled = after[unique + WINDOW], after[unique + OLD]
    if settled == unique + OLD:
        settled = after[unique + SAFE]
    if settled == unique + SAFE:
        return int(newcomer)
    if newcomer == unique + WINDOW or window_has_room:
        return int(settled)
    return int(settled) if uses[newcomer] > uses[settled] else int(newcomer)


@compiled
def _halved(uses: np.ndarray, used: np.ndarray, known: int) -> int:
    """How many still have uses."""
    left = 0
    for place in range(known):
        block = used[place]
        uses[block] //= 2
        if uses[block]:
            used[left] = block
            left += 1
    return left
