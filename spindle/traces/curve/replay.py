"""Counts hits of block references in a cache under any eviction policy, and Belady's bound of hits, without a clock."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappush, heapreplace
from itertools import islice
from math import inf
from time import process_time
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy, chose_nothing, make
from spindle.workloads.traces.block_uses import next_uses

CHUNK = 65536
"""References that are replayed at a time, in all caches."""


@runtime_checkable
class Replays(Protocol):
    """A policy that replays many references in one call, which is faster."""

    def replay(self, keys: Sequence[Hashable], capacity: int) -> int:
        """Use each of *keys*, in a cache of *capacity* entries without sizes or costs; return the hits."""


def replay(kind: Callable[..., EvictionPolicy], references: Iterable[int], capacity: int) -> int:
    """Count the hits of *references* in a cache of *capacity* blocks, empty at first, under a policy of class *kind*.

    Reads and writes count alike, every miss enters its block, nothing is prefetched or left out. There is no
    disc, so that policies that weigh accesses find all alike.
    """
    return replay_at(kind, references, (capacity,))[capacity]


def replay_at(
    kind: Callable[..., EvictionPolicy], references: Iterable[int], capacities: Iterable[int], early: int = 0
) -> dict[int, int]:
    """Count the hits at each of *capacities* after the first *early* references, which are read once, in chunks."""
    caches = {capacity: _Cache(kind, capacity) for capacity in capacities}
    rest = iter(references) if early else references
    for blocks in _chunks(islice(rest, early)) if early else ():
        for cache in caches.values():
            cache.refer(blocks)
    before = {capacity: cache.hits for capacity, cache in caches.items()}
    for blocks in _chunks(rest):
        for cache in caches.values():
            cache.refer(blocks)
    return {capacity: cache.hits - before[capacity] for capacity, cache in caches.items()}


MAX_TIMED = 100_000
"""References by which the processor time of a policy is measured."""


def time_policy(kind: Callable[..., EvictionPolicy], references: Sequence[int], capacity: int) -> float:
    """Return the processor's seconds of a reference under a policy of class *kind*: the least of three measurements.

    It is that of the class as it is written, called once for each reference, without any compiled loop.
    """
    blocks, least = references[:MAX_TIMED], inf
    for _ in range(3):
        cache = _Cache(kind, capacity)
        began = process_time()
        cache.use(blocks)
        least = min(least, process_time() - began)
    return least / len(blocks)


class _Cache:
    """*capacity* blocks under a policy of class *kind*, and their *hits* so far."""

    def __init__(self, kind: Callable[..., EvictionPolicy], capacity: int) -> None:
        if capacity < 1:
            raise UserError(f"a cache of {capacity!r} blocks cannot be replayed: it must have at least one")
        self.hits = 0
        self._capacity = capacity
        self._policy = make(kind, capacity)
        self._resident: set[Hashable] = set()

    def refer(self, blocks: Sequence[int]) -> None:
        if isinstance(self._policy, Replays):
            self.hits += self._policy.replay(blocks, self._capacity)
        else:
            self.hits += self.use(blocks)

    def use(self, blocks: Sequence[int]) -> int:
        """Use each of *blocks* by calls of the policy; return the hits."""
        # Looked up once, not for each block.
        resident, capacity, policy = self._resident, self._capacity, self._policy
        touch, choose, remove, insert = policy.touch, policy.choose, policy.remove, policy.insert
        hits = 0
        for block in blocks:
            if block in resident:
                touch(block)
                hits += 1
                continue
            if len(resident) == capacity:
                victim = choose(block)
                if victim is None:
                    raise chose_nothing(policy)
                remove(victim, True)
                resident.remove(victim)
            insert(block)
            resident.add(block)
        return hits


def _chunks(references: Iterable[int]) -> Iterator[Sequence[int]]:
    if isinstance(references, np.ndarray):
        # Python's own integers are hashed and compared several times as fast as numpy's.
        for begin in range(0, len(references), CHUNK):
            yield references[begin : begin + CHUNK].tolist()
        return
    rest = iter(references)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def block_references(requests: ArrayLike, block_bytes: int) -> NDArray[np.int64]:
    """Return the blocks that *requests*, pairs of first byte and length, touch: each once a request, ascending."""
    if block_bytes < 1:
        raise UserError(f"a block of {block_bytes!r} bytes is no block: it must have at least one")
    pairs = np.asarray(requests, dtype=np.int64).reshape(-1, 2)
    first, length = pairs[:, 0], pairs[:, 1]
    wrong = np.flatnonzero((first < 0) | (length < 1))
    if wrong.size:
        at = int(wrong[0])
        raise UserError(f"request {at} is {length[at]} bytes from byte {first[at]}: it needs a byte, and none below 0")
    first_block = first // block_bytes
    blocks = (first + length - 1) // block_bytes - first_block + 1
    # A step of one, but to the first block of a request from the last one before it.
    steps = np.ones(int(blocks.sum()), dtype=np.int64)
    begins = np.cumsum(blocks) - blocks
    steps[begins] = np.diff(first_block, prepend=0)
    steps[begins[1:]] -= blocks[:-1] - 1
    return np.cumsum(steps, out=steps)


# Belady's bound: the most hits that any policy could have, if it knew the future.

def belady_hits(
    references: ArrayLike, capacities: Iterable[int], early: int = 0, bypass: bool = True
) -> dict[int, int]:
    """Count the most hits of block *references* at each of *capacities*; the first *early* warm up.

    Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. With
    *bypass* a block that would be used last of all does not come in; else every miss enters its block, as Belady's
    paging must, which has fewer hits. O(n log n) for each capacity.
    """
    after = next_uses(np.asarray(references, dtype=np.int64)).tolist()
    return {capacity: _belady_hits(after, capacity, early, bypass) for capacity in capacities}


def _belady_hits(after: list[int], capacity: int, early: int, bypass: bool) -> int:
    """Count the hits of references whose next uses are *after*; blocks in the cache are named by their next use.

    The farthest next use comes from a heap of negatives. A block used since stays in the heap under a name in the past,
    which cannot come up, because the next uses of all blocks in the cache are later.
    """
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} blocks has no bound: it must have at least one")
    resident = bytearray(len(after) + 1)
    farthest: list[int] = []
    entries = hits = 0
    for now, then in enumerate(after):
        if resident[now]:
            hits += now >= early
            heappush(farthest, -then)
        elif entries < capacity:
            entries += 1
            heappush(farthest, -then)
        elif bypass and then >= -farthest[0]:
            continue
        else:
            resident[-heapreplace(farthest, -then)] = False
        resident[then] = True
    return hits
