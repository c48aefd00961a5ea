"""SharedMemory, main memory in which several owners keep regions of any size under one eviction policy.

Regions may be pinned; a dirty victim is written by its owner first; claims wait for room. CacheStack checks that
memories of caches above one another do not wait for room in a circle.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

import simpy

from spindle.sim.clock import Account, Gate, Phase, TimeWeighted, Wait, happen
from spindle.sim.error import UserError
from spindle.sim.eviction.policy import (
    EvictionPolicy,
    NeedsClock,
    Traffic,
    WeighsAccesses,
    chose_nothing,
    fixed_capacity,
)
from spindle.sim.parts import credit

# Room in a memory: claims that wait for a change in it, and caches above one another.

class CacheStack:
    """The memories below one memory, where caches are above one another; refuses those that would wait in a circle."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lower: list[CacheStack] = []

    def admit(self, name: str) -> None:
        """Note an owner whose keys begin with *name*; UserError where another has that name."""
        if name in self._names:
            raise UserError(f"memory: two caches in it are called {name}; each needs a name of its own")
        self._names.add(name)

    def stand_above(self, lower: "CacheStack", name: str) -> None:
        """Note that this memory is above *lower*, so that room here may wait for room there; *name* is its owner.

        UserError if room there may wait for room here, for then both might wait for ever.
        """
        if lower.waits_for(self):
            raise UserError(f"memory of {name}: room in it would wait for room in itself, by way of the caches below; "
                            "caches above one another need memories of their own")  # fmt: skip
        self._lower.append(lower)

    def waits_for(self, other: "CacheStack") -> bool:
        """Tell if room here may have to wait for room in *other*."""
        return other is self or any(lower.waits_for(other) for lower in self._lower)


class RoomClaim(Gate):
    """An event that happens when a claim for *need* bytes may be tried again."""

    def __init__(self, env: simpy.Environment, need: int) -> None:
        super().__init__(env, "room in memory")
        self.need = need


class Change(simpy.Event):
    """An event that happens when more regions may be evicted than before; it has the claims that wait for it."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._claims: deque[RoomClaim] = deque()
        self._needs: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._claims)

    @property
    def first(self) -> RoomClaim:
        return self._claims[0]

    @property
    def smallest_need(self) -> int:
        """Return the smallest need of a claim. Thousands of claims have few different needs."""
        return min(self._needs)

    def add(self, claim: RoomClaim) -> None:
        self._claims.append(claim)
        self._needs[claim.need] += 1

    def pop(self) -> RoomClaim:
        claim = self._claims.popleft()
        self._needs[claim.need] -= 1
        if not self._needs[claim.need]:
            del self._needs[claim.need]
        return claim

    def take_over(self, other: "Change") -> None:
        """Make the claims of *other* wait for this change too, after its own; the shorter queue is moved."""
        if len(self) < len(other):
            other._claims.extendleft(reversed(self._claims))
            self._claims = other._claims
        else:
            self._claims.extend(other._claims)
        self._needs.update(other._needs)


class Owner(Protocol):
    """The part of a machine that keeps regions in memory."""

    def write_back_victim(self, key: Hashable) -> Wait | None:
        """Write region *key* if it is dirty, so that it can be evicted; None if there is nothing to wait for."""

    def forget(self, key: Hashable) -> None:
        """Drop region *key*, which has been evicted."""


class _Leaving:
    """A dirty region that its owner is writing before it is evicted; *used* if it was touched or pinned meanwhile."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        self.used = False


class SharedMemory:
    """A memory of *capacity* bytes, for which the regions of all owners compete under one *policy*.

    A policy that needs a fixed number of entries (ARC) is taken only where every region has *uniform*
    bytes. A dirty victim stays usable while its owner writes it; if it was touched or pinned meanwhile,
    it stays, and another is evicted. Where no region may go, a claim waits until something changes.

    A waiting claim must not pin resident regions, or two claims could wait for each other for ever; so what is
    needed together is claimed together.

    >>> SharedMemory(simpy.Environment(), 4 * MIB, Lru()).capacity
    4194304
    """

    def __init__(
        self, env: simpy.Environment, capacity: int, policy: EvictionPolicy, uniform: int | None = None
    ) -> None:
        if capacity <= 0:
            raise UserError(f"memory: capacity must be positive, not {capacity!r} bytes")
        entries = fixed_capacity(policy)
        if entries is not None and (uniform is None or entries != capacity // uniform):
            name = type(policy).__name__
            raise UserError(f"memory: {name} keeps exactly {entries} entries, all of one size, and needs room for them")
        self._env = env
        self.capacity = capacity
        self._policy = policy
        credit(env, type(policy))
        self.touch: Callable[[Hashable], None] = policy.touch  # _write and _end_leaving set it
        if isinstance(policy, NeedsClock):
            policy.set_clock(lambda: env.now)
        self._weighing = policy if isinstance(policy, WeighsAccesses) else None
        self.weighs = self._weighing is not None
        self._uniform = uniform
        self._regions: dict[Hashable, tuple[Owner, int]] = {}
        self._pins: dict[Hashable, int] = {}
        self._leaving: dict[Hashable, _Leaving] = {}
        self._changed: Change | None = None
        self.stack = CacheStack()
        self._bytes = TimeWeighted(env)
        self.claims = self.evictions = 0
        self.rescues = 0  # regions that were used again while their owner wrote them, and stay

    @property
    def used_bytes(self) -> int:
        """Bytes of all regions."""
        return self._bytes.now

    def __contains__(self, key: Hashable) -> bool:
        return key in self._regions

    def claim(self, owner: Owner, key: Hashable, size: int, account: Account) -> Wait:
        """Make room for region *key* and enter it, pinned once. The wait for room is charged to *account*."""
        return self.claim_all(owner, (key,), size, account)

    def claim_all(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait:
        """Make room for all *keys*, of *size* bytes each, and enter them together, each pinned once."""
        yield from self.take(owner, keys, size, account) or ()

    def take(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait | None:
        """Enter *keys* at once and return None if there is room; else return the wait, which enters them."""
        if not 0 < size * len(keys) <= self.capacity:
            raise ValueError(f"{len(keys)} regions of {size!r} bytes do not fit a memory of {self.capacity} bytes")
        if self._uniform is not None and size != self._uniform:
            raise ValueError(f"a region of {size!r} bytes in a memory of regions of {self._uniform} bytes")
        for key in keys:
            if key in self._regions:
                raise ValueError(f"region {key!r} is in memory already")
        self.claims += len(keys)
        waiting = self._enter(owner, keys, size, account)
        return None if waiting is None else self._enter_after(waiting, owner, keys, size, account)

    def _enter_after(
        self, waiting: Wait | None, owner: Owner, keys: Sequence[Hashable], size: int, account: Account
    ) -> Wait:
        while waiting is not None:
            yield from waiting
            waiting = self._enter(owner, keys, size, account)

    def _enter(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait | None:
        """Evict until *keys* fit and enter them; or return the wait for a victim or its write-back, to try again."""
        need = size * len(keys)
        may_go = self._may_go  # one object, for nothing is unpinned before this ends
        while self._bytes.now + need > self.capacity:
            if self._changed is not None:  # an earlier claim found no victim, and nothing has changed since
                return self._wait_for_change(need, account)
            first_without_room = keys[(self.capacity - self._bytes.now) // size]
            victim = self._policy.choose(first_without_room, may_go)
            if victim is None:
                if len(self._pins) + len(self._leaving) < len(self._regions):
                    raise chose_nothing(self._policy)
                return self._wait_for_change(need, account)
            writing = self._regions[victim][0].write_back_victim(victim)
            if writing is not None:
                return self._write(victim, writing, account)
            self._evict(victim)
        for key in keys:
            if key in self._regions:
                raise ValueError(f"region {key!r} was claimed twice")
            self._regions[key] = (owner, size)
            self._pins[key] = 1
            self._bytes.change(size)
            self._policy.insert(key, size)
        return None

    def _may_go(self, key: Hashable) -> bool:
        return key not in self._pins and key not in self._leaving

    def _write(self, key: Hashable, writing: Wait, account: Account) -> Wait:
        """Let the owner write dirty region *key*, then evict it; unless it was used meanwhile, and stays."""
        leaving = self._leaving[key] = _Leaving()
        self.touch = self._touch_leaving
        begin = self._env.now
        yield from writing
        account.charge(Phase.MEMORY, begin, self._env.now)
        if self._leaving.get(key) is not leaving:
            return  # its owner released it while it was written, whatever has that key by now
        self._end_leaving(key)
        if leaving.used:
            self.rescues += 1
            self._change()
        else:
            self._evict(key)

    def _evict(self, key: Hashable) -> None:
        owner, _ = self._regions[key]
        self.evictions += 1
        self._remove(key, evicted=True)
        owner.forget(key)
        self._change()

    def _wait_for_change(self, need: int, account: Account) -> Wait:
        if self._changed is None:
            self._changed = Change(self._env)
            self._changed.callbacks.append(self._try_again)
        claim = RoomClaim(self._env, need)
        self._changed.add(claim)
        begin = self._env.now
        yield claim
        account.charge(Phase.MEMORY, begin, self._env.now)

    def _try_again(self, change: Change) -> None:
        """Try the claims again that waited for *change*: all until one fails, then those for which there is room.

        The others wait on for the next change without being resumed, so that thousands of them cost nothing.
        """
        while len(change):
            if self._changed is not None:
                free = self.capacity - self._bytes.now
                if change.smallest_need > free:
                    self._changed.take_over(change)
                    return
                if change.first.need > free:
                    self._changed.add(change.pop())
                    continue
            happen(change.pop())

    def _change(self) -> None:
        if self._changed is not None:
            self._changed.succeed()
            self._changed = None

    def _remove(self, key: Hashable, evicted: bool) -> None:
        _, size = self._regions.pop(key)
        self._pins.pop(key, None)
        self._policy.remove(key, evicted)
        self._bytes.change(-size)

    def _touch_leaving(self, key: Hashable) -> None:
        self._policy.touch(key)
        if key in self._leaving:
            self._leaving[key].used = True

    def _end_leaving(self, key: Hashable) -> None:
        """Note that region *key* is no longer being written to leave: it has gone, or stays."""
        self._leaving.pop(key, None)
        self.touch = self._touch_leaving if self._leaving else self._policy.touch

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic) -> None:
        """Pass the *seconds* of one disc access for all of *keys* to a policy that weighs them."""
        if self._weighing is not None:
            self._weighing.weigh(keys, seconds, traffic)

    def pin(self, key: Hashable) -> None:
        """Keep region *key* until it is unpinned as often as it was pinned."""
        self._pins[key] = self._pins.get(key, 0) + 1
        if self._leaving and key in self._leaving:
            self._leaving[key].used = True

    def is_pinned(self, key: Hashable) -> bool:
        return key in self._pins

    def unpin(self, key: Hashable) -> None:
        pins = self._pins[key]
        if pins > 1:
            self._pins[key] = pins - 1
        else:
            del self._pins[key]
            if self._changed is not None:
                self._change()

    def release(self, key: Hashable) -> None:
        """Take region *key* out at once, pinned or not; its owner no longer wants it."""
        self._end_leaving(key)
        self._remove(key, evicted=False)
        self._change()

    def levels(self) -> dict[str, float]:
        return {"used_bytes": float(self.used_bytes)}

    def reading(self) -> dict[str, float]:
        return {
            "used_seconds": self._bytes.seconds(),
            "claims": float(self.claims),
            "evictions": float(self.evictions),
            "rescues": float(self.rescues),
        }
