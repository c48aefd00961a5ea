"""Write policies of a cache: write-through, where the writer waits for the device, and write-back by a daemon."""

from collections.abc import Sequence
from math import inf
from typing import Protocol, runtime_checkable

import simpy

from spindle.sim.cache.blocks import BlockTable, Entry
from spindle.sim.clock import Account, Daemon, Wait, pause
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, BlockDevice, Span

# The interface of a cache to its write policy, and the room that it may have to wait for below.

@runtime_checkable
class Cached(Protocol):
    """A cache above a block device, which may be a cache itself."""

    env: simpy.Environment
    below: BlockDevice
    blocks: BlockTable

    def clean(self, blocks: list[int], account: Account) -> Wait: ...


def room_below(cache: Cached) -> SharedMemory | None:
    """The memory in which *cache* may have to wait for room when it reads or writes below; None above a drive."""
    return cache.below.blocks.memory if isinstance(cache.below, Cached) else None


class WritePolicy(Protocol):
    def attach(self, cache: Cached) -> None:
        """Called once, by the cache that the policy is given to."""

    def wrote(self, cache: Cached, entry: Entry) -> None:
        """Bytes were written into *entry*, which is resident and not yet pinned."""

    def propagate(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        """Pass on what *access* wrote into *entries*, pinned if still cached, to the device below; the writer waits."""

    def flush(self, cache: Cached, span: Span) -> Wait:
        """Wait until all that was written to *span* has been passed to the device below."""


class WriteThrough:
    """A write-through policy: the writer waits until the device below has written.

    >>> mine = Computer()
    >>> (cache,) = mine.cache(mine.drive(HP7933), size="1MiB", writing=WriteThrough)
    """

    def attach(self, cache: Cached) -> None:
        pass

    def wrote(self, cache: Cached, entry: Entry) -> None:
        pass

    def propagate(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        yield from cache.below.write(access)

    def flush(self, cache: Cached, span: Span) -> Wait:
        return
        yield


class CacheWriteBack:
    """A write-back policy: blocks stay dirty until *expiry* seconds old, or until over *background* bytes are dirty.

    A daemon checks every *period* seconds. A write beyond *limit* dirty bytes cleans the oldest and waits.

    >>> mine = Computer()
    >>> lazy = lambda: CacheWriteBack(period=5.0, expiry=30.0, background=MIB, limit=2 * MIB)
    >>> (cache,) = mine.cache(mine.drive(HP7933), size="4MiB", writing=lazy)
    """

    def __init__(self, period: float, expiry: float, background: int, limit: int) -> None:
        if not 0.0 < period < inf:
            raise ValueError(f"write-back: the daemon's period must be positive and finite, not {period!r} s")
        if not 0 <= background <= limit:
            raise ValueError(f"write-back: background {background!r} must lie between 0 and the limit {limit!r}")
        self._period = period
        self._expiry = expiry
        self._background = background
        self._limit = limit

    def attach(self, cache: Cached) -> None:
        self._account = Account("write-back")
        Daemon(cache.env, self._daemon(cache))

    def _daemon(self, cache: Cached) -> Wait:
        while True:
            yield pause(cache.env, self._period)
            old = cache.env.now - self._expiry
            dirty = cache.blocks.dirty
            excess = len(dirty) - self._background // cache.blocks.size
            due = [block for age, (block, since) in enumerate(dirty.items()) if since <= old or age < excess]
            yield from cache.clean(due, self._account)

    def wrote(self, cache: Cached, entry: Entry) -> None:
        cache.blocks.dirty.setdefault(entry.block, cache.env.now)

    def propagate(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        while len(cache.blocks.dirty) * cache.blocks.size > self._limit:
            yield from cache.clean([next(iter(cache.blocks.dirty))], access.account)

    def flush(self, cache: Cached, span: Span) -> Wait:
        size = cache.blocks.size
        inside = [block for block in cache.blocks.dirty if span.overlaps(Span(block * size, size))]
        yield from cache.clean(inside, self._account)
