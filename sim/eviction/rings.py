"""Rings of PostgreSQL (buffer access strategies) limit a bulk reader to a few entries, which it reuses in turn."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy, MayGo, NeedsClock, TellsNext, Traffic, WeighsAccesses, make


class Ring:
    """A ring of *size* entries of one reader; the entry that was inserted first is evicted first."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise UserError(f"a ring has one entry at least, not {size!r}")
        self._keys: list[Hashable | None] = [None] * size
        self._next = 0

    @property
    def next(self) -> Hashable | None:
        """Entry that the next one replaces."""
        return self._keys[self._next]

    def enter(self, key: Hashable) -> None:
        self._keys[self._next] = key
        self._next = (self._next + 1) % len(self._keys)


class Rings:
    """A policy of the given *kind*, with rings as PostgreSQL's buffer access strategies have them (freelist.c).

    A key asked for through a ring replaces the ring's next entry, unless others use that one: then the policy chooses
    the victim, and the newcomer enters the ring in its stead. A hit through a ring does not count as a use.
    """

    def __init__(self, capacity: int, kind: Callable[..., EvictionPolicy]) -> None:
        self._capacity = capacity
        self._policy = policy = make(kind, capacity)
        self._weighing = policy if isinstance(policy, WeighsAccesses) else None
        self._asked: dict[Hashable, Ring] = {}
        self._only_ring: dict[Hashable, Ring] = {}
        """Entries that only their ring has used."""

    def fixed_capacity(self) -> int:
        return self._capacity

    def set_clock(self, now: Callable[[], float]) -> None:
        if isinstance(self._policy, NeedsClock):
            self._policy.set_clock(now)

    def ask(self, key: Hashable, ring: Ring) -> None:
        """Note that *key* is asked for through *ring*, until ``finish``."""
        self._asked[key] = ring

    def finish(self, key: Hashable) -> None:
        """Note that *key* has been fetched or found."""
        self._asked.pop(key, None)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._policy.insert(key, size, cost)
        ring = self._asked.get(key)
        if ring is not None:
            ring.enter(key)
            self._only_ring[key] = ring

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._asked:
            self._policy.touch(key, cost)
            self._only_ring.pop(key, None)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        ring = None if incoming is None else self._asked.get(incoming)
        if ring is not None:
            key = ring.next
            if key is not None and self._only_ring.get(key) is ring and (may_go is None or may_go(key)):
                return key
        return self._policy.choose(incoming, may_go)

    def coming(self, most: int) -> Iterator[Hashable]:
        return self._policy.coming(most) if isinstance(self._policy, TellsNext) else iter(())

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        if self._weighing is not None:
            self._weighing.weigh(keys, seconds, traffic)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._policy.remove(key, evicted)
        self._only_ring.pop(key, None)

    def __len__(self) -> int:
        return len(self._policy)
