"""Finds the previous and the next use of each reference's block, and the mean working set of a window of references."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Integers = NDArray[np.int64]
SUMMED = 1 << 18
"""References that are summed at a time, so that no copy of all is needed."""


def previous_uses(blocks: _Integers) -> _Integers:
    """Return for each reference the index of the one before it to the same block, or -1."""
    by_block = _by_block(blocks)
    same = blocks[by_block[1:]] == blocks[by_block[:-1]]
    before = np.full(len(blocks), -1, dtype=np.int64)
    before[by_block[1:][same]] = by_block[:-1][same]
    return before


def next_uses(blocks: _Integers) -> _Integers:
    """Return for each reference the index of the next to the same block, or the number of all references."""
    return len(blocks) - 1 - previous_uses(blocks[::-1])[::-1]


def working_set(after: NDArray[np.integer[Any]], window: int) -> float:
    """Return the mean number of distinct blocks among the last *window* references, over all moments; exact.

    *after* is the next use of each reference's block. A reference is the latest to its block from then on until the
    next, or until it leaves the window (Denning and Schwartz, "Properties of the working-set model", CACM 15(3), 1972).
    At the beginning windows are shorter.
    """
    total = 0
    for begin in range(0, len(after), SUMMED):
        some = after[begin : begin + SUMMED]
        total += int(np.minimum(some - np.arange(begin, begin + len(some)), window).sum())
    return total / len(after) if len(after) else 0.0


def _by_block(blocks: _Integers) -> _Integers:
    """Return the indices of *blocks* in the order of block and time."""
    bits = len(blocks).bit_length()
    least = int(blocks.min(initial=0))
    if (int(blocks.max(initial=0)) - least).bit_length() + bits < 64:
        # Numbers are sorted several times as fast as indices: block and index in one.
        packed = (blocks - least) << bits | np.arange(len(blocks))
        packed.sort()
        return packed & ((1 << bits) - 1)
    return np.argsort(blocks, kind="stable")
