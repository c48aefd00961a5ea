"""Posting: a write that nobody waits for, sent to the medium at once or in strict order."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

import simpy

from sim.population import Population
from sim.request import Access, BlockDevice

Done = Callable[[], None]


class Posts(Protocol):
    """Posts of any number of caches. *done* is called when the write is on the medium."""

    def post(self, device: BlockDevice, access: Access, done: Done) -> None: ...


class FreePosts:
    """Every post starts at once; the drives' schedulers may serve them in any order."""

    def __init__(self, env: simpy.Environment) -> None:
        self.pending = Population(env)

    def post(self, device: BlockDevice, access: Access, done: Done) -> None:
        self.pending.enter()
        _start(device, access, self._then(done))

    def _then(self, done: Done) -> Done:
        def finish() -> None:
            self.pending.leave()
            done()

        return finish

    def reading(self) -> dict[str, float]:
        return {"posted": float(self.pending.entered), "pending_seconds": self.pending.seconds()}


class SerialPosts(FreePosts):
    """A post starts when the one before is on the medium, across all drives: the Serial Write Queue of MPE."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._queue: deque[tuple[BlockDevice, Access, Done]] = deque()
        self._under_way = False

    def post(self, device: BlockDevice, access: Access, done: Done) -> None:
        self.pending.enter()
        self._queue.append((device, access, self._then(done)))
        if not self._under_way:
            self._next()

    def _next(self) -> None:
        self._under_way = bool(self._queue)
        if self._queue:
            device, access, done = self._queue.popleft()
            _start(device, access, lambda: self._finished(done))

    def _finished(self, done: Done) -> None:
        done()
        self._next()


def _start(device: BlockDevice, access: Access, done: Done) -> None:
    request = device.start(access)
    assert request.callbacks is not None
    request.callbacks.append(lambda _: done())
