"""Hits of objects that have sizes and times to live, in caches of so many bytes or objects: requests and bytes."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from sim.curve.admission import Admission, AdmitAll
from sim.error import UserError
from sim.eviction.policy import EvictionPolicy, make


@dataclass
class SizedHits:
    """Of the references that count so many hit, and so many bytes of theirs."""

    hits: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class SizedString:
    """References to *keys* with their *sizes* in bytes; where there are *late* ones, these find nothing valid."""

    keys: Sequence[int]
    sizes: Sequence[int]
    late: Sequence[bool] | None = None


def replay_sized(
    kind: Callable[..., EvictionPolicy], string: SizedString, capacities: Iterable[int], early: int = 0,
    admission: Callable[[], Admission] = AdmitAll, in_bytes: bool = True,
) -> dict[int, SizedHits]:  # fmt: skip
    """The hits at each of *capacities*, *in_bytes* or else in objects; the first *early* references warm the cache up.

    An object has the size with which it came until it goes. One that is larger than the cache, or that *admission*
    refuses, is a miss and does not come; one that is out of date goes, and comes anew. UserError for a policy that
    needs a fixed number of entries, where these have sizes.
    """
    return {capacity: _replayed(kind, string, capacity, early, admission(), in_bytes) for capacity in capacities}


def _replayed(
    kind: Callable[..., EvictionPolicy], string: SizedString, capacity: int, early: int, admission: Admission,
    in_bytes: bool,
) -> SizedHits:  # fmt: skip
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} bytes or objects cannot be replayed: it must have at least one")
    cache = _SizedCache(make(kind, None if in_bytes else capacity), capacity, admission)
    total = SizedHits()
    late = string.late if string.late is not None else [False] * len(string.keys)
    for place, (key, size, too_late) in enumerate(zip(string.keys, string.sizes, late, strict=True)):
        if too_late:
            cache.drop(key)
        if cache.refer(key, size, size if in_bytes else 1) and place >= early:
            total.hits += 1
            total.bytes += size
    return total


class _SizedCache:
    """Objects that take *room* of the *capacity* each, under a policy."""

    def __init__(self, policy: EvictionPolicy, capacity: int, admission: Admission) -> None:
        self._policy = policy
        self._capacity = capacity
        self._admission = admission
        self._resident: dict[Hashable, int] = {}
        self._used = 0

    def drop(self, key: Hashable) -> None:
        if key in self._resident:
            self._policy.remove(key, False)
            self._used -= self._resident.pop(key)

    def refer(self, key: int, size: int, room: int) -> bool:
        """Whether it is a hit."""
        if key in self._resident:
            self._policy.touch(key)
            return True
        if room <= self._capacity and self._admission.admits(key, size):
            while self._used + room > self._capacity:
                victim = self._policy.choose(key)
                assert victim is not None
                self._policy.remove(victim, True)
                self._used -= self._resident.pop(victim)
            self._policy.insert(key, room)
            self._resident[key] = room
            self._used += room
        return False
