"""Posting: writes without a waiter, sent to the medium at once or in strict order."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

import simpy

from sim.cache.stack import Cached, room_below
from sim.error import UserError
from sim.population import Population
from sim.request import Access, BlockDevice

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
        return self.pending.count - self._under_way

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
        return 0 if self._under_way else self.pending.count
