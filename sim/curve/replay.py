"""Hit counts without a clock: a string of block references through any eviction policy."""

from collections.abc import Callable, Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.cache.eviction.policy import EvictionPolicy, make
from sim.mistake import Mistake


def replay(kind: Callable[..., EvictionPolicy], references: Iterable[int], capacity: int) -> int:
    """The hits of *references* in a cache of *capacity* blocks, empty at first, under a policy of class *kind*.

    Reads and writes count alike, every miss enters its block, nothing is prefetched or left out.
    """
    if capacity < 1:
        raise Mistake(f"a cache of {capacity!r} blocks cannot be replayed: it must have at least one")
    policy = make(kind, capacity)
    # Python's own integers are hashed and compared several times as fast as numpy's.
    blocks = references.tolist() if isinstance(references, np.ndarray) else references
    resident: set[Hashable] = set()
    hits = 0
    for block in blocks:
        if block in resident:
            policy.touch(block)
            hits += 1
            continue
        if len(resident) == capacity:
            victim = policy.choose(block)
            policy.remove(victim, True)
            resident.remove(victim)
        policy.insert(block)
        resident.add(block)
    return hits


def block_references(requests: ArrayLike, block_bytes: int) -> NDArray[np.int64]:
    """The blocks that *requests*, pairs of first byte and length, touch: each block once a request, ascending."""
    if block_bytes < 1:
        raise Mistake(f"a block of {block_bytes!r} bytes is no block: it must have at least one")
    pairs = np.asarray(requests, dtype=np.int64).reshape(-1, 2)
    first, length = pairs[:, 0], pairs[:, 1]
    wrong = np.flatnonzero((first < 0) | (length < 1))
    if wrong.size:
        at = int(wrong[0])
        raise Mistake(f"request {at} is {length[at]} bytes from byte {first[at]}: it needs a byte, and none below 0")
    first_block = first // block_bytes
    blocks = (first + length - 1) // block_bytes - first_block + 1
    # Counting on from each request's first block: the position in the whole string less that of its own beginning.
    begins = np.cumsum(blocks) - blocks
    places = np.arange(int(blocks.sum()), dtype=np.int64)
    expanded: NDArray[np.int64] = places + np.repeat(first_block - begins, blocks)
    return expanded
