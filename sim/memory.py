"""Main memory: regions of any owner, of any size, under one replacement policy."""

from collections.abc import Hashable
from typing import Protocol

import simpy

from sim.account import Account, Part
from sim.cache.eviction.policy import EvictionPolicy, fixed_capacity
from sim.clock import Gate, Wait
from sim.mistake import Mistake


class Owner(Protocol):
    """Whoever keeps regions in memory."""

    def surrender(self, key: Hashable) -> Wait | None:
        """Make region *key* safe to lose: write it where it is dirty. None where nothing need be waited for."""
        ...

    def forget(self, key: Hashable) -> None:
        """Region *key* is gone."""
        ...


class Memory(Protocol):
    """A cache whose entries are regions of any owner. Keys are unique among all owners."""

    capacity: int

    def claim(self, owner: Owner, key: Hashable, size: int, account: Account) -> Wait: ...

    def touch(self, key: Hashable) -> None: ...

    def pin(self, key: Hashable) -> None: ...

    def unpin(self, key: Hashable) -> None: ...

    def release(self, key: Hashable) -> None: ...


class SharedMemory:
    """*capacity* bytes for the regions of all owners, who compete for them under one *policy*.

    A policy that needs a fixed number of entries (ARC) is taken only where every region has *uniform*
    bytes. A dirty victim stays usable while its owner writes it; if it was touched or pinned meanwhile,
    it stays, and another is chosen. Where nobody may go, a claim waits until something changes.
    """

    def __init__(
        self, env: simpy.Environment, capacity: int, policy: EvictionPolicy, uniform: int | None = None
    ) -> None:
        if capacity <= 0:
            raise Mistake(f"memory: capacity must be positive, not {capacity!r} bytes")
        entries = fixed_capacity(policy)
        if entries is not None and (uniform is None or entries != capacity // uniform):
            raise Mistake(
                f"memory: {type(policy).__name__} keeps exactly {entries} entries; it needs regions of one size "
                f"and a capacity of {entries} of them"
            )
        self._env = env
        self.capacity = capacity
        self._policy = policy
        self._regions: dict[Hashable, tuple[Owner, int]] = {}
        self._pins: dict[Hashable, int] = {}
        self._leaving: dict[Hashable, bool] = {}
        self._changed: Gate | None = None
        self.used = 0
        self._used_seconds = 0.0
        self._since: float = env.now
        self.claims = 0
        self.evictions = 0
        self.rescues = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._regions

    def claim(self, owner: Owner, key: Hashable, size: int, account: Account) -> Wait:
        """Make room for region *key* and enter it, pinned once. The wait for room is charged to *account*."""
        if not 0 < size <= self.capacity:
            raise ValueError(f"a region of {size!r} bytes does not fit a memory of {self.capacity} bytes")
        if key in self._regions:
            raise ValueError(f"region {key!r} is in memory already")
        self.claims += 1
        while self.used + size > self.capacity:
            victim = self._policy.choose(key, self._may_go)
            if victim is None:
                yield from self._wait_for_change(account)
            else:
                yield from self._evict(victim, account)
        if key in self._regions:
            raise ValueError(f"region {key!r} was claimed twice")
        self._regions[key] = (owner, size)
        self._pins[key] = 1
        self._use(size)
        self._policy.insert(key, size)

    def _may_go(self, key: Hashable) -> bool:
        return key not in self._pins and key not in self._leaving

    def _evict(self, key: Hashable, account: Account) -> Wait:
        owner, _ = self._regions[key]
        writing = owner.surrender(key)
        if writing is not None:
            self._leaving[key] = False
            begin = self._env.now
            yield from writing
            account.charge(Part.MEMORY, begin, self._env.now)
            used_meanwhile = self._leaving.pop(key, None)
            if used_meanwhile is None:
                return  # its owner released it while it was written
            if used_meanwhile:
                self.rescues += 1
                self._change()
                return
        self.evictions += 1
        self._remove(key, evicted=True)
        owner.forget(key)
        self._change()

    def _wait_for_change(self, account: Account) -> Wait:
        if self._changed is None:
            self._changed = Gate(self._env, "room in memory")
        begin = self._env.now
        yield self._changed
        account.charge(Part.MEMORY, begin, self._env.now)

    def _change(self) -> None:
        if self._changed is not None:
            self._changed.succeed()
            self._changed = None

    def _remove(self, key: Hashable, evicted: bool) -> None:
        _, size = self._regions.pop(key)
        self._pins.pop(key, None)
        self._policy.remove(key, evicted)
        self._use(-size)

    def _use(self, size: int) -> None:
        now = self._env.now
        self._used_seconds += self.used * (now - self._since)
        self._since = now
        self.used += size

    def touch(self, key: Hashable) -> None:
        """Region *key* was used."""
        self._policy.touch(key)
        if self._leaving and key in self._leaving:
            self._leaving[key] = True

    def pin(self, key: Hashable) -> None:
        """Region *key* must stay until it is unpinned as often."""
        self._pins[key] = self._pins.get(key, 0) + 1
        if self._leaving and key in self._leaving:
            self._leaving[key] = True

    def unpin(self, key: Hashable) -> None:
        pins = self._pins[key]
        if pins > 1:
            self._pins[key] = pins - 1
        else:
            del self._pins[key]
            self._change()

    def release(self, key: Hashable) -> None:
        """Take region *key* out at once, pinned or not; its owner no longer wants it."""
        self._leaving.pop(key, None)
        self._remove(key, evicted=False)
        self._change()

    def reading(self) -> dict[str, float]:
        return {
            "used_seconds": self._used_seconds + self.used * (self._env.now - self._since),
            "claims": float(self.claims),
            "evictions": float(self.evictions),
            "rescues": float(self.rescues),
        }
