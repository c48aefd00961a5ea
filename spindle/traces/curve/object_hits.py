"""Counts hits and bytes hit of objects with sizes, times to live and an admission filter, under any eviction policy.

Belady-Size, which knows all future references, gives a bound.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy, chose_nothing, make
from spindle.workloads.traces.block_uses import next_uses

# References that come too late: the object's time to live, counted from its last write or first reference, is over.

Seconds = NDArray[np.float64]


def mark_expired(
    keys: NDArray[np.int64], times: Seconds, ttls: Seconds, writes: NDArray[np.bool_],
    drops: Mapping[int, Sequence[int]] = {},
) -> NDArray[np.bool_]:  # fmt: skip
    """Tell for each reference if its object has expired, so that no cache can answer it.

    An object is valid for *ttls* seconds, nan for ever, from a write on, or, if not written, from the first reference
    on and from each that comes too late; a reference without a time to live changes nothing. So validity is of the
    object, and the same in every cache: when a cache fetched its copy does not matter. An object that is deleted, by
    *drops* before a reference, begins anew. UserError without times.
    """
    if not np.isnan(ttls).all() and np.isnan(times).any():
        raise UserError("times to live need a time of each request, and the trace has none of some")
    late = np.zeros(len(keys), dtype=np.bool_)
    until: dict[int, float] = {}
    spans: dict[int, float] = {}
    lines = zip(keys.tolist(), times.tolist(), ttls.tolist(), writes.tolist(), strict=True)
    for place, (key, now, ttl, write) in enumerate(lines):
        for dropped in drops.get(place, ()):
            until.pop(dropped, None)
            spans.pop(dropped, None)
        end = until.get(key)
        if end is not None and now >= end:
            late[place] = True
        elif end is not None and not write:
            continue
        if not isnan(ttl):
            spans[key] = ttl
        elif write:
            spans.pop(key, None)
        if key in spans:
            until[key] = now + spans[key]
        else:
            until.pop(key, None)
    return late


def lives(keys: NDArray[np.int64], late: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number *keys*, with a new number from each reference that comes too *late*, as if it were another object.

    So the best policy treats it, which has no use for an object that will not be valid.
    """
    life: dict[int, int] = {}
    numbers: dict[tuple[int, int], int] = {}
    answer = np.empty(len(keys), dtype=np.int64)
    for place, (key, too_late) in enumerate(zip(keys.tolist(), late.tolist(), strict=True)):
        life[key] = life.get(key, 0) + too_late
        answer[place] = numbers.setdefault((key, life[key]), len(numbers))
    return answer


# Admission: a filter that decides for each miss if the object enters the cache at all.

MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
WORD = (1 << 64) - 1
MAX_FILTER_BITS = 1 << 33
"""Bits of the largest Bloom filter, which is 1 GiB."""


class Admission(Protocol):
    def admits(self, key: int, size: int) -> bool:
        """Tell if an object that is missing is admitted; asked once for each miss."""


class AdmitAll:
    def admits(self, key: int, size: int) -> bool:
        return True


class AdmitSmall:
    """Admits objects of at most *most* bytes."""

    def __init__(self, most: int = 1 << 20) -> None:
        if most < 1:
            raise UserError(f"admission by size lets in objects of up to a byte at least, not {most!r}")
        self._most = most

    def admits(self, key: int, size: int) -> bool:
        return size <= self._most


class AdmitAgain:
    """Admits objects that have missed before, by a Bloom filter of *bits* bits with *marks* marks for each object.

    Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970; at Akamai three quarters of
    the objects are asked for once (Maggs and Sitaraman, "Algorithmic nuggets in content delivery", CCR 45(3), 2015).
    It takes some unknown objects for known, and never forgets.
    """

    def __init__(self, bits: int = 1 << 24, marks: int = 4) -> None:
        if not 8 <= bits <= MAX_FILTER_BITS or not 1 <= marks <= 16:
            raise UserError(f"a Bloom filter has 8 to {MAX_FILTER_BITS} bits and 1 to 16 marks, not {bits!r} and "
                            f"{marks!r}")  # fmt: skip
        self._bits, self._marks = bits, marks
        self._filter = bytearray(bits // 8 + 1)

    def admits(self, key: int, size: int) -> bool:
        known = True
        one, other = _mix(key), _mix(key + MIX[0])
        for mark in range(self._marks):
            byte, bit = divmod((one + mark * other) % self._bits, 8)
            known = known and bool(self._filter[byte] >> bit & 1)
            self._filter[byte] |= 1 << bit
        return known


def _mix(key: int) -> int:
    """Return the finish of splitmix64 (Steele et al., 2014)."""
    bits = key & WORD
    for shift, factor in zip((30, 27), MIX, strict=True):
        bits = (bits ^ (bits >> shift)) * factor & WORD
    return bits ^ (bits >> 31)


ADMISSIONS: dict[str, Callable[..., Admission]] = {"all": AdmitAll, "size": AdmitSmall, "bloom": AdmitAgain}


@dataclass
class SizedHits:
    """Hits among the references that count, and their bytes."""

    hits: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class SizedString:
    """References to *keys* with their *sizes* in bytes; *late* ones find nothing valid.

    *drops* are objects that are taken out of the cache, by the number of the reference that comes next.
    """

    keys: Sequence[int]
    sizes: Sequence[int]
    late: Sequence[bool] | None = None
    drops: Mapping[int, Sequence[int]] = field(default_factory=dict)


def replay_sized(
    kind: Callable[..., EvictionPolicy], string: SizedString, capacities: Iterable[int], early: int = 0,
    admission: Callable[[], Admission] = AdmitAll, in_bytes: bool = True,
) -> dict[int, SizedHits]:  # fmt: skip
    """Count the hits at each of *capacities*, *in_bytes* or in objects; the first *early* references warm the cache up.

    An object has the size of its last reference, for which others may be evicted. An object larger than the cache is
    dropped, and is a miss, as is one that *admission* refuses; an expired one is dropped, and enters anew. UserError
    for a policy that needs a fixed number of entries, where these have sizes.
    """
    return {capacity: _replay(kind, string, capacity, early, admission(), in_bytes) for capacity in capacities}


def _replay(
    kind: Callable[..., EvictionPolicy], string: SizedString, capacity: int, early: int, admission: Admission,
    in_bytes: bool,
) -> SizedHits:  # fmt: skip
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} bytes or objects cannot be replayed: it must have at least one")
    cache = _SizedCache(make(kind, None if in_bytes else capacity), capacity, admission)
    total = SizedHits()
    late = string.late if string.late is not None else [False] * len(string.keys)
    for place, (key, size, too_late) in enumerate(zip(string.keys, string.sizes, late, strict=True)):
        for dropped in string.drops.get(place, ()):
            cache.drop(dropped)
        if too_late:
            cache.drop(key)
        if cache.refer(key, size, max(1, size) if in_bytes else 1) and place >= early:
            total.hits += 1
            total.bytes += size
    return total


class _SizedCache:
    """A cache of objects, each of which takes room of the *capacity*, under a policy."""

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
        """Refer to *key*, and tell if it is a hit."""
        if room > self._capacity:
            self.drop(key)
            return False
        if key in self._resident:
            self._policy.touch(key)
            if room != self._resident[key]:
                self._used += room - self._resident[key]
                self._resident[key] = room
                self._make_room(0, None)
            return True
        if self._admission.admits(key, size):
            self._make_room(room, key)
            self._policy.insert(key, room)
            self._resident[key] = room
            self._used += room
        return False


    def _make_room(self, room: int, key: Hashable | None) -> None:
        """Evict until there is *room* for *key*, or for an object that has grown."""
        while self._used + room > self._capacity:
            victim = self._policy.choose(key)
            if victim is None:
                raise chose_nothing(self._policy)
            self._policy.remove(victim, True)
            self._used -= self._resident.pop(victim)


# Hits of a cache of bytes that knows the future: of a sample, the object of the largest size and time to its next use
# is evicted.

SAMPLE = 128


def belady_size_hits(
    keys: Sequence[int], sizes: Sequence[int], capacities: Iterable[int], early: int = 0, sample: int = SAMPLE
) -> dict[int, SizedHits]:
    """Count the hits at each of *capacities* in bytes; a yardstick, and no bound: the best choice is NP-hard.

    Of *sample* objects, taken in turn, and the new one, that one is evicted whose size times the references until its
    next use is most (Belady-Size of libCacheSim, which draws its sample at random). An object that is not used again
    does not enter. Sizes follow the references.
    """
    after = next_uses(np.asarray(keys, dtype=np.int64)).tolist()
    return {capacity: _hits(keys, sizes, after, capacity, early, sample) for capacity in capacities}


def _hits(
    keys: Sequence[int], sizes: Sequence[int], after: Sequence[int], capacity: int, early: int, sample: int
) -> SizedHits:
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} bytes has no hits: it must have at least one")
    there: dict[int, tuple[int, int]] = {}  # its size and its next use
    order: list[int] = []
    places: dict[int, int] = {}
    used, hand, total = 0, 0, SizedHits()

    def leave(key: int) -> int:
        place, last = places.pop(key), order.pop()
        if last != key:
            order[place], places[last] = last, place
        return there.pop(key)[0]

    for now, (key, size, then) in enumerate(zip(keys, sizes, after, strict=True)):
        if key in there:
            used -= leave(key)
            if size <= capacity:
                total.hits += now >= early
                total.bytes += size if now >= early else 0
        if size > capacity or then == len(after):
            continue
        while used + size > capacity:
            looked = [order[(hand + step) % len(order)] for step in range(min(sample, len(order)))]
            hand += len(looked)
            victim = max(looked, key=lambda key: there[key][0] * (there[key][1] - now))
            if there[victim][0] * (there[victim][1] - now) <= size * (then - now):
                break
            used -= leave(victim)
        else:
            there[key] = size, then
            places[key] = len(order)
            order.append(key)
            used += size
    return total
