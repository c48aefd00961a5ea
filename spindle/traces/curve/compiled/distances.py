"""Computes LRU stack distances (also with deleted blocks), next uses and Belady's hits by compiled loops.

A stack distance is the number of other blocks used since a block's last use: each block has a mark at its last use, and
the marks after it are counted. Rows of 64 marks are summed in a Fenwick tree.
"""

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from spindle.sim.jit import compile_loop
from spindle.traces.curve.compiled.links import Numbers

# Belady's policy, compiled: blocks in the cache are identified by their next use, and the farthest is evicted.

@compile_loop
def belady(after: Numbers, capacity: int, early: int, bypass: bool) -> int:
    """Count the hits of references whose next uses are *after*; as in curve/replay.py, with a heap in arrays.

    Hits of the first *early* references do not count. With *bypass* a block used later than all cached is not entered.
    """
    count = len(after)
    resident = np.zeros(count + 1, dtype=np.bool_)
    heap = np.empty(count + 1, dtype=np.int32)
    size = entries = hits = 0
    for now in range(count):
        then = after[now]
        if resident[now]:
            hits += now >= early
        elif entries < capacity:
            entries += 1
        elif bypass and then >= heap[0]:
            continue
        else:
            resident[heap[0]] = False
            resident[then] = True
            _sink(heap, size, then)
            continue
        resident[then] = True
        place = size
        size += 1
        while place and heap[(place - 1) // 2] < then:
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = then
    return hits


@compile_loop
def _sink(heap: NDArray[np.int32], size: int, value: int) -> None:
    """Put *value* into the place of the largest."""
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


TABLE_FACTOR = 4
"""A table by block number may have this many entries for each reference; with more, blocks are sorted instead."""
SOUGHT = 1 << 18
"""References that are sought among the sorted blocks at a time."""


def number_blocks(blocks: NDArray[np.int64]) -> tuple[Numbers, int]:
    """Number the block of each reference, with four bytes; return the numbers and the count of blocks."""
    if not len(blocks):
        return np.empty(0, dtype=np.int32), 0
    least, span = int(blocks.min()), int(blocks.max()) - int(blocks.min()) + 1
    if span <= TABLE_FACTOR * len(blocks):
        return _first_come(blocks, least, np.full(span, -1, dtype=np.int32))
    unique = np.unique(blocks)
    numbers = np.empty(len(blocks), dtype=np.int32)
    for begin in range(0, len(blocks), SOUGHT):
        numbers[begin : begin + SOUGHT] = np.searchsorted(unique, blocks[begin : begin + SOUGHT])
    return numbers, len(unique)


@compile_loop
def next_uses(numbers: Numbers, unique: int) -> Numbers:
    """Return for each reference the index of the next to the same block, or the number of all references."""
    after = np.empty(len(numbers), dtype=np.int32)
    following = np.full(unique, len(numbers), dtype=np.int32)
    for now in range(len(numbers) - 1, -1, -1):
        after[now] = following[numbers[now]]
        following[numbers[now]] = now
    return after


@compile_loop
def _first_come(blocks: NDArray[np.int64], least: int, table: Numbers) -> tuple[Numbers, int]:
    """Number blocks in the order of first uses; *table* has a -1 for each block number from *least* on."""
    numbers = np.empty(len(blocks), dtype=np.int32)
    count = 0
    for place in range(len(blocks)):
        number = table[blocks[place] - least]
        if number < 0:
            number = table[blocks[place] - least] = count
            count += 1
        numbers[place] = number
    return numbers, count


ROW = 64
"""Marks that are counted one by one, next to each other in memory."""


def stack_distances(blocks: NDArray[np.int64]) -> Numbers:
    """Return as curve/lru.py, for each reference, the other blocks used since the block's last use; -1 at its first."""
    numbers, unique = number_blocks(blocks)
    return _distances(numbers, unique)


@compile_loop
def _distances(numbers: Numbers, unique: int) -> Numbers:
    """Count the marks behind the last use of each block.

    Bennett and Kruskal, "LRU stack processing", IBM Journal of Research and Development 19(4), 1975; the tree is that
    of Fenwick, "A new data structure for cumulative frequency tables", Software Practice and Experience 24(3), 1994.
    The row in which marks are made now is in the tree only when it is full.
    """
    rows = len(numbers) // ROW + 1
    marks = np.zeros(rows * ROW, dtype=np.uint8)
    tree = np.zeros(rows + 1, dtype=np.int32)
    last = np.full(unique, -1, dtype=np.int32)
    distances = np.empty(len(numbers), dtype=np.int32)
    marked = in_row = 0
    for now in range(len(numbers)):
        row = now // ROW
        if now % ROW == 0 and row:
            node = row
            while node <= rows:
                tree[node] += in_row
                node += node & -node
            in_row = 0
        block = numbers[now]
        then = last[block]
        if then < 0:
            distances[now] = -1
            marked += 1
        else:
            old_row = then // ROW
            up_to = 0
            for place in range(old_row * ROW, then + 1):
                up_to += int(marks[place])
            node = old_row
            while node > 0:
                up_to += tree[node]
                node -= node & -node
            distances[now] = marked - up_to
            marks[then] = 0
            if old_row == row:
                in_row -= 1
            else:
                node = old_row + 1
                while node <= rows:
                    tree[node] -= 1
                    node += node & -node
        marks[now] = 1
        in_row += 1
        last[block] = now
    return distances


# LRU stack distances with deletions: each deleted block leaves a hole, which those above fill.
#
# A reference from below a hole moves what is above the hole down by one, and the hole to its own old place; so a cache
# that lost an entry evicts none for the next that comes. Without holes it is the stack of Mattson and others (1970).

def distances_with_holes(
    blocks: NDArray[np.int64], places: NDArray[np.int64], dropped: NDArray[np.int64]
) -> Numbers:
    """Return the depth in the stack of each of *blocks*, -1 at a first use; *dropped* are deleted before *places*."""
    numbers, unique = number_blocks(np.concatenate([blocks, dropped]))
    return _distances_with_holes(numbers[: len(blocks)], unique, places, numbers[len(blocks) :])


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
def _distances_with_holes(
    numbers: Numbers, unique: int, places: NDArray[np.int64], dropped: Numbers
) -> Numbers:
    """Compute distances with a mark at the last use of each block, and at each of *holes*, a heap of negated places."""
    tree = np.zeros(len(numbers) + 1, dtype=np.int32)
    last = np.full(unique, -1, dtype=np.int64)
    distances = np.full(len(numbers), -1, dtype=np.int32)
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
