"""EvictionPolicy, the protocol of policies, with options (clock, capacity, costs); Oldest and Ranking find victims."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from enum import Enum
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Protocol, runtime_checkable

from spindle.sim.error import UserError

MayGo = Callable[[Hashable], bool]
"""A function that refuses entries which must stay for now: pinned, dirty, being copied.

A refusal by one function object is final: after an entry is unpinned, a choice is made with a new object.
While choices are made with one object, no entry is touched, and only chosen ones go.
"""


class EvictionPolicy(Protocol):
    """Ranks the resident entries for eviction.

    A hit is ``touch``. A miss is ``choose`` and ``remove`` (only as often as room is needed), then
    ``insert``. A key is hashable and not None. *size* and *cost* (the seconds that the entry's last
    disc access took, 0 if unknown) are for the policies that weigh them; the others ignore them.

    >>> policy: EvictionPolicy = Lru()
    >>> policy.insert("a"); len(policy)
    1
    """

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        """Enter *key*; ValueError where it is here already."""

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        """Note a hit; KeyError where *key* is not here."""

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """The key to evict for *incoming*; None where none may go.

        Removes nothing, and gives the same answer if called again at once. A policy may note that its hand has
        moved on (CLOCK), or that *incoming* has a ghost (ARC).
        """

    def remove(self, key: Hashable, evicted: bool) -> None:
        """Forget *key*; where it was *evicted*, not invalidated, a ghost may stay. KeyError where it is not here."""

    def __len__(self) -> int: ...


@runtime_checkable
class TellsNext(Protocol):
    """A policy that can list the next victims, for a daemon that cleans them ahead."""

    def coming(self, most: int) -> Iterator[Hashable]:
        """List up to *most* entries that would go before others; entries used since the last choice may go later."""


@runtime_checkable
class NeedsClock(Protocol):
    """A policy that may be given a clock; a memory gives it one."""

    def set_clock(self, now: Callable[[], float]) -> None: ...


@runtime_checkable
class NeedsCapacity(Protocol):
    """A policy that works only where the number of entries is fixed; its constructor takes that number."""

    def fixed_capacity(self) -> int: ...


class Traffic(Enum):
    """Direction of an access to the disc."""

    FETCH = "fetch"
    WRITE_BACK = "write-back"


@runtime_checkable
class WeighsAccesses(Protocol):
    """A policy that weighs entries by the seconds of disc accesses.

    Where the cost of a fetch is known when its only entry comes, ``insert`` with that cost is enough. Where
    entries come before their bytes do, or one access is for several, insert them without a cost and call ``weigh``.
    An access that took no time, because a cache below had the bytes, carries no information, as a cost of 0.
    """

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        """Note that one access, for all of *keys*, took *seconds*; keys that are no longer here are passed over."""


def fixed_capacity(policy: EvictionPolicy) -> int | None:
    """The number of entries that *policy* was built for; None where any number will do."""
    return policy.fixed_capacity() if isinstance(policy, NeedsCapacity) else None


def make(kind: Callable[..., EvictionPolicy], capacity: int | None) -> EvictionPolicy:
    """A new policy, from its class or a factory, for a cache of *capacity* entries (None: the number is not fixed)."""
    takes_capacity = isinstance(kind, type) and issubclass(kind, NeedsCapacity)
    if takes_capacity and capacity is None:
        raise _unbounded_memory(kind.__name__)
    policy = kind(capacity) if takes_capacity else kind()
    check_capacity(policy, capacity)
    return policy


def check_capacity(policy: EvictionPolicy, capacity: int | None) -> None:
    """Refuse a *policy* that cannot serve a cache of *capacity* entries (None: the number is not fixed)."""
    needed = fixed_capacity(policy)
    if needed is None or needed == capacity:
        return
    name = type(policy).__name__
    if capacity is None:
        raise _unbounded_memory(name)
    raise UserError(f"policy {name} was built for {needed} entries, but the cache has {capacity}")


def _unbounded_memory(name: str) -> UserError:
    return UserError(f"policy {name} needs a fixed number of entries, which this memory does not have")


def chose_nothing(policy: object) -> UserError:
    """Make the error for a *policy* that chooses no victim though an entry may go."""
    return UserError(f"policy {type(policy).__name__} chooses nothing to evict, though an entry may go")


def refuse_twice(key: Hashable) -> ValueError:
    """Make the error for a key that is inserted twice."""
    return ValueError(f"{key!r} is in the policy already")


class Bounded(Sized):
    """A policy for a cache of *capacity* entries, a number that is fixed."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise UserError(f"policy {type(self).__name__} needs a capacity of at least one entry, not {capacity!r}")
        self._capacity = capacity

    def fixed_capacity(self) -> int:
        return self._capacity

    def _admit(self, key: Hashable, is_here: bool) -> None:
        """Refuse a new *key* that *is_here* already, or for which there is no room."""
        if is_here:
            raise refuse_twice(key)
        if len(self) >= self._capacity:
            raise ValueError(f"{key!r} does not fit: all {self._capacity} entries are taken")


def first_that_may_go(keys: Iterable[Hashable], may_go: MayGo | None) -> Hashable | None:
    """The first of *keys* that *may_go* does not refuse, or None."""
    return next(iter(keys) if may_go is None else filter(may_go, keys), None)


# The first key of an order that may go; keys that were refused before are passed over at once.

class Oldest:
    """A search for the first of *keys* that may be evicted; with one MayGo object it does not ask a key twice.

    A claim of many blocks would otherwise ask about each pinned one again for each of its victims.
    """

    __slots__ = ("_asked", "_keys", "_refused")

    def __init__(self, keys: Iterable[Hashable]) -> None:
        self._keys = keys
        self._asked: MayGo | None = None
        self._refused = 0

    def find(self, may_go: MayGo | None) -> Hashable | None:
        """The first key that *may_go* does not refuse, or None."""
        if may_go is None:
            return next(iter(self._keys), None)
        if may_go is not self._asked:
            self._asked, self._refused = may_go, 0
        for key in islice(self._keys, self._refused, None):
            if may_go(key):
                return key
            self._refused += 1
        return None


# A ranking, which finds the key of the lowest rank; of equals, the one that was ranked first.

_Entry = tuple[tuple[float, ...], int, Hashable]


class Ranking:
    """A heap of keys by rank, in which outdated ranks stay until they are the lowest, or until they are the majority.

    Each operation costs O(log n), amortised. Keys that may not go are put aside, and tried again when ``lowest`` is
    called with another MayGo.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._heap: list[_Entry] = []
        self._aside: list[_Entry] = []
        self._asked: MayGo | None = None
        self._puts = 0

    def put(self, key: Hashable, *rank: float) -> None:
        """Rank *key*, anew where it has a rank. Numbers after the first decide between equals."""
        self._puts += 1
        entry = self._entries[key] = (rank, self._puts, key)
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + 64:
            self._heap, self._aside = list(self._entries.values()), []
            heapify(self._heap)

    def rank(self, key: Hashable) -> float:
        return self._entries[key][0][0]

    def remove(self, key: Hashable) -> None:
        del self._entries[key]

    def lowest(self, may_go: MayGo | None) -> Hashable | None:
        """The key of the lowest rank that may go, or None."""
        if may_go is not self._asked:
            self._asked = may_go
            self._try_again(may_go)
        entries, heap = self._entries, self._heap
        while heap:
            entry = heap[0]
            key = entry[2]
            if entries.get(key) is entry:
                if may_go is None or may_go(key):
                    return key
                self._aside.append(entry)
            heappop(heap)
        return None

    def _try_again(self, may_go: MayGo | None) -> None:
        """Put back the keys that may go now; drop outdated ranks."""
        aside, self._aside = self._aside, []
        for entry in aside:
            key = entry[2]
            if self._entries.get(key) is entry:
                if may_go is None or may_go(key):
                    heappush(self._heap, entry)
                else:
                    self._aside.append(entry)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
