"""The previous and the next use of each reference's block; and the mean working set of a window of references."""

import numpy as np
from numpy.typing import NDArray

_Integers = NDArray[np.int64]


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


def working_set(blocks: _Integers, window: int) -> float:
    """Return the mean number of distinct *blocks* among the last *window* references, over all moments; exact.

    A reference is the latest to its block from then on until the next, or until it leaves the window (Denning and
    Schwartz, "Properties of the working-set model", CACM 15(3), 1972). At the beginning windows are shorter.
    """
    if not len(blocks):
        return 0.0
    since = next_uses(blocks) - np.arange(len(blocks))
    return float(np.minimum(since, window).sum() / len(blocks))


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
