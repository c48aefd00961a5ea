"""Divides main memory between the disc cache's domains (cached bytes of a disc) and the segments of programs.

Three rules: one eviction policy for both; a fixed division of memory, which counts only when memory is full; and a
partition, in which neither side may use what the other leaves.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

import simpy

from spindle.models.hp3000.caching.domains import Domain
from spindle.questions.words import size
from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy, MayGo, Traffic, WeighsAccesses
from spindle.sim.memory import SharedMemory
from spindle.sim.units import KIB

MakePolicy = Callable[[], EvictionPolicy]
Memories = tuple[SharedMemory, SharedMemory]
"""The memory of segments, and that of domains."""
PARTITION = "partition-"
"""Prefix of a size that names a MemoryPartition."""
LEAST_PARTITION = 64 * KIB
"""Bytes of the smallest partition; a fetch takes a fraction of them."""


class Competition(Protocol):
    """A rule by which cache domains and the segments of programs share main memory."""

    @property
    def reserved_bytes(self) -> int:
        """Bytes that segments cannot have."""

    def memories(self, env: simpy.Environment, whole: int, make: MakePolicy) -> Memories:
        """Build the memories of segments and domains, *whole* bytes in all, or one for both; *make* makes a policy."""


@dataclass(frozen=True)
class OneClock:
    """Domains and segments compete as equals, under one policy: MPE's memory manager as McBride & Boles describe it."""

    reserved_bytes: int = 0

    def memories(self, env: simpy.Environment, whole: int, make: MakePolicy) -> Memories:
        memory = SharedMemory(env, whole, make())
        return memory, memory


ONE_CLOCK = OneClock()


@dataclass(frozen=True)
class FixedDivision:
    """Domains have *size* bytes, segments the rest: when memory is full, the side above its part loses memory."""

    size: int

    @property
    def reserved_bytes(self) -> int:
        return self.size

    def memories(self, env: simpy.Environment, whole: int, make: MakePolicy) -> Memories:
        memory = SharedMemory(env, whole, DividedPolicy(make(), make(), self.size))
        return memory, memory


class MemoryPartition(FixedDivision):
    """Domains have *size* bytes and segments the rest; neither may use bytes that the other leaves free."""

    def memories(self, env: simpy.Environment, whole: int, make: MakePolicy) -> Memories:
        if self.size < LEAST_PARTITION:
            raise UserError(f"a partition of cache-memory must be at least {LEAST_PARTITION} bytes, not {self.size}")
        return SharedMemory(env, whole - self.size, make()), SharedMemory(env, self.size, make())


class TwoMemories:
    """Adds the counters of two *memories*, so that they read as one."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    @property
    def capacity(self) -> int:
        return sum(memory.capacity for memory in self._memories)

    def levels(self) -> dict[str, float]:
        return _sum_counters([memory.levels() for memory in self._memories])

    def reading(self) -> dict[str, float]:
        return _sum_counters([memory.reading() for memory in self._memories])


def _sum_counters(counters: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: fsum(each[name] for each in counters) for name in counters[0]}


class DividedPolicy:
    """A policy of two: *domains* are evicted while they have more than *limit* bytes, else *segments*.

    If nothing on that side may be evicted, the other side is.
    """

    def __init__(self, domains: EvictionPolicy, segments: EvictionPolicy, limit: int) -> None:
        self._domains = domains
        self._segments = segments
        self._limit = limit
        self._bytes = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._side(key).insert(key, size, cost)
        self._bytes += _bytes(key)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._side(key).touch(key, cost)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        sides = [self._segments, self._domains]
        if self._bytes + _bytes(incoming) > self._limit:
            sides.reverse()
        victims = (side.choose(incoming, may_go) for side in sides)
        return next((victim for victim in victims if victim is not None), None)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self._side(key).remove(key, evicted)
        self._bytes -= _bytes(key)

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        """Pass accesses on to the domains' policy if it weighs them; segments are not weighed."""
        if isinstance(self._domains, WeighsAccesses):
            self._domains.weigh(keys, seconds, traffic)

    def __len__(self) -> int:
        return len(self._domains) + len(self._segments)

    def _side(self, key: Hashable) -> EvictionPolicy:
        return self._domains if isinstance(key, Domain) else self._segments


def _bytes(key: Hashable | None) -> int:
    """The size of a domain; segments do not count."""
    return key.end - key.first if isinstance(key, Domain) else 0


class Competitions(Mapping[str, Competition]):
    """The rules by name. A number of bytes names a FixedDivision, and with *partition-* before it a MemoryPartition.

    UserError for a number that is not a size.
    """

    def __init__(self, rules: Mapping[str, Competition]) -> None:
        self._rules = rules

    def __getitem__(self, name: str) -> Competition:
        if name in self._rules:
            return self._rules[name]
        if name.startswith(PARTITION):
            return MemoryPartition(size("cache-memory", name.removeprefix(PARTITION)))
        if name[:1].isdigit():
            return FixedDivision(size("cache-memory", name, least=0))
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


COMPETITIONS = Competitions({"one-clock": ONE_CLOCK, "domains-first": FixedDivision(0)})
