"""When written bytes go to the device below: while the writer waits, at once in the background, or later."""

from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Protocol, runtime_checkable

import simpy

from spindle.sim.account import Account
from spindle.sim.cache.blocks import BlockTable, Entry
from spindle.sim.clock import Daemon, Gate, Population, Wait, pause
from spindle.sim.error import UserError
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


# Posting: writes without a waiter, sent to the medium at once or in strict order.

Done = Callable[[], None]


class Posts(Protocol):
    """Posts of any number of caches. *done* is called when the write is on the medium."""

    def attach(self, cache: Cached) -> None:
        """*cache* will post here, and hold what it posts until that is done. UserError where a post would never be."""

    def post(self, device: BlockDevice, access: Access, done: Done) -> None: ...

    def stalled(self) -> int:
        """Posts that wait although none is under way for which they could; it is a law of every run that none does."""


class FreePosts:
    """Every post starts at once; the drives' schedulers may serve them in any order."""

    def __init__(self, env: simpy.Environment) -> None:
        self.pending = Population(env)
        self._under_way = 0

    def attach(self, cache: Cached) -> None:
        pass

    def post(self, device: BlockDevice, access: Access, done: Done) -> None:
        self.pending.enter()
        self._start(device, access, done)

    def _start(self, device: BlockDevice, access: Access, done: Done) -> None:
        self._under_way += 1
        request = device.start(access)
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._finish(done))

    def _finish(self, done: Done) -> None:
        self._under_way -= 1
        self.pending.leave()
        done()

    def stalled(self) -> int:
        return self.pending.now - self._under_way

    def reading(self) -> dict[str, float]:
        return {"posted": float(self.pending.entered), "pending_seconds": self.pending.seconds()}


class SerialPosts(FreePosts):
    """A post starts when the one before is on the medium, across all drives: the Serial Write Queue of MPE."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._caches: list[Cached] = []
        self._queue: deque[tuple[BlockDevice, Access, Done]] = deque()

    def attach(self, cache: Cached) -> None:
        self._caches.append(cache)
        memories = [each.blocks.memory for each in self._caches]
        rooms = [room for each in self._caches if (room := room_below(each)) is not None]
        if any(room.stack.waits_for(memory.stack) for room in rooms for memory in memories):
            raise UserError("serial posts: one of them would wait for room that others hold until it is done; caches "
                            "above one another need serial posts of their own")  # fmt: skip

    def post(self, device: BlockDevice, access: Access, done: Done) -> None:
        self.pending.enter()
        self._queue.append((device, access, done))
        self._next()

    def _next(self) -> None:
        if self._queue and not self._under_way:
            self._start(*self._queue.popleft())

    def _finish(self, done: Done) -> None:
        super()._finish(done)
        self._next()

    def stalled(self) -> int:
        return 0 if self._under_way else self.pending.now


class WritePolicy(Protocol):
    def attach(self, cache: Cached) -> None:
        """Called once, by the cache that the policy is given to."""

    def wrote(self, cache: Cached, entry: Entry) -> None:
        """Bytes were written into *entry*, which is resident and not yet held."""

    def written(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        """All bytes of *access* are in *entries*, held where they are still here; the writer waits as long as this."""

    def flush(self, cache: Cached, span: Span) -> Wait:
        """Wait until all that was written to *span* has been passed to the device below."""


class WriteThrough:
    """The writer waits until the device below has written."""

    def attach(self, cache: Cached) -> None:
        pass

    def wrote(self, cache: Cached, entry: Entry) -> None:
        pass

    def written(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        yield from cache.below.write(access)

    def flush(self, cache: Cached, span: Span) -> Wait:
        return
        yield


class WriteBehind:
    """Posts every write at once without waiting (MPE); *posts* decides about their order."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self._pending: dict[int, Span] = {}
        self._number = 0
        self._gate: Gate | None = None

    def attach(self, cache: Cached) -> None:
        self._account = Account("posting")
        self._posts.attach(cache)

    def wrote(self, cache: Cached, entry: Entry) -> None:
        pass

    def written(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        for entry in entries:
            cache.blocks.hold(entry)
        self._number += 1
        number = self._number
        self._pending[number] = access.span

        def done() -> None:
            del self._pending[number]
            for entry in entries:
                cache.blocks.let_go(entry)
            if self._gate is not None:
                self._gate.succeed()
                self._gate = None

        self._posts.post(cache.below, access._replace(account=self._account), done)
        return
        yield

    def flush(self, cache: Cached, span: Span) -> Wait:
        numbers = [number for number, pending in self._pending.items() if span.overlaps(pending)]
        while any(number in self._pending for number in numbers):
            if self._gate is None:
                self._gate = Gate(cache.env, "a post")
            yield self._gate


class CacheWriteBack:
    """Blocks stay dirty until they are *expiry* seconds old or more than *background* bytes are dirty.

    A daemon checks every *period* seconds. A write that finds more than *limit* bytes dirty cleans the oldest and
    waits.
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

    def written(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        while len(cache.blocks.dirty) * cache.blocks.size > self._limit:
            yield from cache.clean([next(iter(cache.blocks.dirty))], access.account)

    def flush(self, cache: Cached, span: Span) -> Wait:
        size = cache.blocks.size
        inside = [block for block in cache.blocks.dirty if span.overlaps(Span(block * size, size))]
        yield from cache.clean(inside, self._account)
