"""Blocks by dense numbers, from 0 on, so that what is known of each may stand in arrays."""

import numpy as np
from numpy.typing import NDArray

from sim.curve.compiled.jit import compiled

SPARE = 16
"""Entries of a table by number for each reference, beyond which blocks are sorted instead."""


def numbered(blocks: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
    """The number of the block of each reference, and how many blocks there are."""
    if not len(blocks):
        return np.empty(0, dtype=np.int32), 0
    least, span = int(blocks.min()), int(blocks.max()) - int(blocks.min()) + 1
    if span <= SPARE * len(blocks):
        return _first_come(blocks, least, np.full(span, -1, dtype=np.int32))
    unique, numbers = np.unique(blocks, return_inverse=True)
    return numbers.astype(np.int32), len(unique)


@compiled
def _first_come(blocks: NDArray[np.int64], least: int, table: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """By the order of first uses; *table* has a place for each number from *least* on, with -1 in it."""
    numbers = np.empty(len(blocks), dtype=np.int32)
    count = 0
    for place in range(len(blocks)):
        number = table[blocks[place] - least]
        if number < 0:
            number = table[blocks[place] - least] = count
            count += 1
        numbers[place] = number
    return numbers, count
