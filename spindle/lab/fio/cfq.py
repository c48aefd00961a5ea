"""Simulates CFQ, a former I/O scheduler of Linux, between fio's processes and a drive without seeks.

CFQ (completely fair queueing) has a queue for each process, and serves them in turns of limited time.
"""

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import simpy

from spindle.sim.request import Access, BlockDevice, Request
from spindle.sim.units import MS

# Rules and numbers are those of block/cfq-iosched.c and Documentation/block/cfq-iosched.txt for a drive that does not
# rotate: no turn waits for a process to ask again (slice_idle), and all queues are of one kind (SYNC_NOIDLE).

QUANTUM = 8
"""Requests that one process may have in the drive at a time while others wait."""
SLICE, TARGET_LATENCY = 100 * MS, 300 * MS
"""Seconds of one turn, and at most of one turn of every process: with more than three processes turns are shorter."""
FIFO_EXPIRE = 125 * MS
"""Age in seconds from which a turn begins with the oldest request, and not with the next by address."""
INTERRUPTER_LEAD = 1.0
"""Seconds subtracted from the first key in the order, to place a queue that interrupts another."""
MAX_DISPATCHED = 33
"""Requests that may have left CFQ at a time: one for each of the drive's 32 tags, and one that waits in the driver."""

Done = Callable[[Request], None]


@dataclass(slots=True, eq=False)
class TurnQueue:
    """The queue of one process: its requests *waiting*, by address, and how many more are *inside* the drive.

    *key* is its place in the order of turns, *at* the end of its last request.
    """

    waiting: list[tuple[int, int, Access, Done]] = field(default_factory=list)
    inside: int = 0
    at: int = 0
    key: float = 0.0
    left: float = 0.0
    """Seconds that were left of the last turn when it was interrupted."""
    end: float | None = None
    """Instant at which the turn ends; None until a request of this turn is done."""
    checked_age: bool = False


class CfqHost:
    """The scheduler in the host: sends a *device* the requests of the process whose turn it is."""

    def __init__(self, env: simpy.Environment, device: BlockDevice) -> None:
        self._env, self._device = env, device
        self._order: list[TurnQueue] = []
        self._active: TurnQueue | None = None
        self._dispatched = self._number = 0
        self._asked: dict[int, float] = {}
        self._busy_average = 0

    def ask(self, queue: TurnQueue, access: Access, done: Done) -> None:
        """Take a request of the process of *queue*; *done* is called with it at its completion."""
        self._number += 1
        self._asked[self._number] = self._env.now
        insort(queue.waiting, (access.span.first, self._number, access, done))
        if queue not in self._order:
            self._put(queue)
        active = self._active
        if active is not None and queue is not active and (self._is_over(active) or not active.waiting):
            self._expire(active, interrupted=True)
            queue.key, queue.end = self._order[0].key - INTERRUPTER_LEAD, None
            self._order.remove(queue)
            self._order.insert(0, queue)
        self._dispatch()

    def _put(self, queue: TurnQueue) -> None:
        """Put *queue* into the order of turns by the present time, less the time that was left of its last turn."""
        if queue in self._order:
            self._order.remove(queue)
        queue.key, queue.left = self._env.now - queue.left, 0.0
        keys = [each.key for each in self._order]
        place = next((index for index, key in enumerate(keys) if key > queue.key), len(keys))
        self._order.insert(place, queue)

    def _is_over(self, queue: TurnQueue) -> bool:
        return queue.end is not None and self._env.now >= queue.end

    def _expire(self, queue: TurnQueue, interrupted: bool) -> None:
        if interrupted:
            queue.left = self._slice() if queue.end is None else queue.end - self._env.now
        if queue.waiting:
            self._put(queue)
        else:
            self._order.remove(queue)
        self._active = None

    def _slice(self) -> float:
        busy = len(self._order)
        low, high = sorted((self._busy_average, busy))
        self._busy_average = (3 * high + low + 2) // 4
        return SLICE * min(1.0, TARGET_LATENCY / (SLICE * max(busy, self._busy_average)))

    def _dispatch(self) -> None:
        while self._dispatched < MAX_DISPATCHED and (queue := self._select()) is not None and self._may_dispatch(queue):
            _, number, access, done = queue.waiting.pop(self._next(queue))
            del self._asked[number]
            queue.at = access.span.end
            queue.inside += 1
            self._dispatched += 1
            request = self._device.start(access)
            assert request.callbacks is not None
            request.callbacks.append(partial(self._finish, queue, done))

    def _select(self) -> TurnQueue | None:
        active = self._active
        if active is not None:
            if not any(each.waiting for each in self._order):
                return None
            if active.waiting and not self._is_over(active):
                return active
            self._expire(active, interrupted=False)
        if not self._order:
            return None
        chosen = self._active = self._order[0]
        chosen.end, chosen.checked_age = None, False
        return chosen

    def _may_dispatch(self, queue: TurnQueue) -> bool:
        """Tell if *queue* may dispatch: half a quantum until a request of its turn is done; any number if alone."""
        if queue.inside < QUANTUM // 2 or len(self._order) == 1:
            return True
        return queue.end is not None and not self._is_over(queue) and queue.inside < QUANTUM

    def _next(self, queue: TurnQueue) -> int:
        if not queue.checked_age:
            queue.checked_age = True
            oldest = min(range(len(queue.waiting)), key=lambda index: queue.waiting[index][1])
            if self._asked[queue.waiting[oldest][1]] + FIFO_EXPIRE <= self._env.now:
                return oldest
        index = bisect_left(queue.waiting, queue.at, key=lambda each: each[0])
        return index if index < len(queue.waiting) else 0

    def _finish(self, queue: TurnQueue, done: Done, request: Request) -> None:
        queue.inside -= 1
        self._dispatched -= 1
        if queue is self._active:
            if queue.end is None:
                queue.end = self._env.now + self._slice()
            if self._is_over(queue):
                self._expire(queue, interrupted=True)
        self._dispatch()
        done(request)
