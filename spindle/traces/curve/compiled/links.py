"""Keeps queues of numbered entries as circular doubly linked lists in two arrays, for compiled loops.

An entry is in one queue at most. Each queue has a sentinel node, its end, whose number is beyond those of all entries.
"""

import numpy as np
from numpy.typing import NDArray

from spindle.sim.jit import compile_loop

Links = NDArray[np.int32]
"""The next, or the previous, node of each node."""
Numbers = NDArray[np.int32]
"""The number of the block of each reference."""


@compile_loop
def rings(entries: int, ends: int) -> tuple[Links, Links]:
    """Make arrays (next, previous) of *ends* empty circular lists: *entries* nodes, followed by the sentinels."""
    after = np.arange(entries + ends).astype(np.int32)
    return after, after.copy()


@compile_loop
def leave(after: Links, before: Links, entry: int) -> None:
    after[before[entry]] = after[entry]
    before[after[entry]] = before[entry]


@compile_loop
def enter(after: Links, before: Links, end: int, entry: int) -> None:
    """Put *entry* into the last place of the queue with that *end*."""
    last = before[end]
    after[last] = entry
    before[entry] = last
    after[entry] = end
    before[end] = entry


@compile_loop
def move(after: Links, before: Links, end: int, entry: int) -> None:
    """Take *entry* out of its queue, and put it into the last place of the queue with that *end*."""
    leave(after, before, entry)
    enter(after, before, end, entry)
