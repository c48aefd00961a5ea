"""Hits of objects that have sizes, in caches that hold so many bytes: requests and bytes, side by side."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from sim.error import UserError
from sim.eviction.policy import EvictionPolicy, make


@dataclass
class SizedHits:
    """Of the references that count so many hit, and so many bytes of theirs."""

    hits: int = 0
    bytes: int = 0


def replay_sized(
    kind: Callable[..., EvictionPolicy], references: Sequence[int], sizes: Sequence[int], capacities: Iterable[int],
    early: int = 0,
) -> dict[int, SizedHits]:  # fmt: skip
    """The hits at each of *capacities*, in bytes; the first *early* references warm the cache up.

    An object has the size with which it came until it goes. One that is larger than the cache is a miss and does not
    come. UserError for a policy that needs a fixed number of entries.
    """
    return {capacity: _replayed(kind, references, sizes, capacity, early) for capacity in capacities}


def _replayed(
    kind: Callable[..., EvictionPolicy], references: Sequence[int], sizes: Sequence[int], capacity: int, early: int
) -> SizedHits:
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} bytes cannot be replayed: it must have at least one")
    policy = make(kind, None)
    resident: dict[Hashable, int] = {}
    used, found = 0, SizedHits()
    for place, (key, size) in enumerate(zip(references, sizes, strict=True)):
        if key in resident:
            policy.touch(key)
            if place >= early:
                found.hits += 1
                found.bytes += size
        elif size <= capacity:
            while used + size > capacity:
                victim = policy.choose(key)
                assert victim is not None
                policy.remove(victim, True)
                used -= resident.pop(victim)
            policy.insert(key, size)
            resident[key] = size
            used += size
    return found
