"""LRU stack distances with deletions: each deleted block leaves a hole, which those above fill.

A reference from below a hole moves what is above the hole down by one, and the hole to its own old place; so a cache
that lost an entry evicts none for the next that comes. Without holes it is the stack of Mattson and others (1970).
"""

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from spindle.sim.jit import compile_loop
from spindle.traces.curve.compiled.distances import number_blocks


def distances_with_holes(
    blocks: NDArray[np.int64], places: NDArray[np.int64], dropped: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each of *blocks* its depth in the stack; -1 at its first use. Before those at *places* *dropped* go."""
    numbers, unique = number_blocks(np.concatenate([blocks, dropped]))
    return _distances(numbers[: len(blocks)], unique, places, numbers[len(blocks) :])


@compile_loop
def _add(tree: NDArray[np.int32], place: int, change: int) -> None:
    node = place + 1
    while node < len(tree):
        tree[node] += change
        node += node & -node


@compile_loop
def _up_to(tree: NDArray[np.int32], place: int) -> int:
    """The marks at *place* and before it."""
    node, total = place + 1, 0
    while node > 0:
        total += tree[node]
        node -= node & -node
    return total


@compile_loop
def _distances(
    numbers: NDArray[np.int32], unique: int, places: NDArray[np.int64], dropped: NDArray[np.int32]
) -> NDArray[np.int64]:
    """A mark stands at the last use of each block, and at each hole; *holes* are negative, the highest first."""
    tree = np.zeros(len(numbers) + 1, dtype=np.int32)
    last = np.full(unique, -1, dtype=np.int64)
    distances = np.full(len(numbers), -1, dtype=np.int64)
    holes = [1]
    holes.pop()
    marked = turn = 0
    for now in range(len(numbers)):
        while turn < len(places) and places[turn] <= now:
            gone = dropped[turn]
            if last[gone] >= 0:
                heappush(holes, -last[gone])
                last[gone] = -1
            turn += 1
        block = numbers[now]
        then = last[block]
        if then >= 0:
            distances[now] = marked - _up_to(tree, then)
        if len(holes) and -holes[0] > then:
            _add(tree, -heappop(holes), -1)
            marked -= 1
            if then >= 0:
                heappush(holes, -then)
        elif then >= 0:
            _add(tree, then, -1)
            marked -= 1
        _add(tree, now, 1)
        marked += 1
        last[block] = now
    return distances
