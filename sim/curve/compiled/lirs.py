"""LIRS, compiled: a stack by last use, and a queue of those that may go."""

import numpy as np

from sim.curve.compiled.links import Links, enter, leave, rings
from sim.jit import compiled

LIR, STACK, QUEUE = 0, 1, 2


@compiled
def lirs(numbers: Links, unique: int, capacity: int, early: int) -> int:
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
        elif after[unique] != unique:
            victim = after[unique]
            leave(after, before, victim)
            member[victim, QUEUE] = False
        else:
            lir -= 1
            victim = above[unique]
            leave(above, below, victim)
            member[victim, LIR] = member[victim, STACK] = False
            _prune(above, below, unique, member)
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


@compiled
def _prune(above: Links, below: Links, end: int, member: np.ndarray) -> None:
    """Who is not LIR leaves the bottom of the stack."""
    bottom = above[end]
    while bottom != end and not member[bottom, LIR]:
        leave(above, below, bottom)
        member[bottom, STACK] = False
        bottom = above[end]
