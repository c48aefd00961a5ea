"""Posts (writes back) changed bytes of the cache to the medium: each at once, or one after another for all discs."""

from collections import deque
from collections.abc import Callable

import simpy

from spindle.sim.clock import Population
from spindle.sim.parts import LawBroken
from spindle.sim.request import Access, BlockDevice

Done = Callable[[], None]


class Posting:
    """The posts of all discs. With *serial*, MPE's Serial Write Queue, each starts when the earlier ones are done.

    *serial* may be changed at any time: switched on, the queue waits for all posts under way; switched off, all waiting
    posts start at once.
    """

    def __init__(self, env: simpy.Environment, serial: bool = False) -> None:
        self._serial = serial
        self.pending = Population(env)
        self._waiting: deque[tuple[BlockDevice, Access, Done]] = deque()
        self._under_way = 0

    def post(self, drive: BlockDevice, access: Access, done: Done) -> None:
        """Write *access* to *drive* when its turn comes; *done* is called when it is on the medium."""
        self.pending.enter()
        self._waiting.append((drive, access, done))
        self._advance()

    def switch(self, serial: bool) -> None:
        """Post one by one from now on, or not."""
        self._serial = serial
        self._advance()

    def _advance(self) -> None:
        """Start the posts that may start."""
        while self._waiting and not (self._serial and self._under_way):
            self._start(*self._waiting.popleft())

    def _start(self, drive: BlockDevice, access: Access, done: Done) -> None:
        self._under_way += 1
        request = drive.start(access)
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._finish(done))

    def _finish(self, done: Done) -> None:
        self._under_way -= 1
        self.pending.leave()
        done()
        self._advance()

    def check(self) -> None:
        """Each post is under way or waits for one that is."""
        if self._waiting and not (self._serial and self._under_way):
            raise LawBroken(f"posting: {len(self._waiting)} posts wait, and none is under way")
        if self.pending.now != len(self._waiting) + self._under_way:
            raise LawBroken(f"posting: {self.pending.now} posts are pending, {len(self._waiting)} wait and "
                            f"{self._under_way} are under way")

    def levels(self) -> dict[str, float]:
        return {"pending_posts": float(self.pending.now)}

    def reading(self) -> dict[str, float]:
        return {"posted": float(self.pending.entered), "pending_seconds": self.pending.seconds()}
