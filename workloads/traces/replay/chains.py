"""Closed chains in an open trace: a request that came soon after a read was done is asked as soon after it again."""

from collections.abc import Iterator
from functools import partial
from heapq import heappop, heappush

import simpy

from sim.clock import pause
from sim.error import UserError
from sim.request import READ, Request
from workloads.traces.record import Record
from workloads.traces.replay.hosts import ByDevice, Done

AHEAD = 60.0
"""Seconds of the trace that are read before their time: a chain that is faster than it was needs them earlier."""


class Links:
    """Which read each request followed, by the times that were measured; its records come in the order of time.

    A program that reads waits for its data and then asks on: of the reads of the same device that were done when a
    request came, it follows the last, if that was at most *limit* seconds ago. Few programs wait for a write.
    """

    def __init__(self, limit: float) -> None:
        if not limit > 0.0:
            raise UserError(f"a request follows a read after more than 0 s, not {limit:g}")
        self.limit = limit
        self.followers = 0
        self._under_way: dict[str, list[tuple[float, int]]] = {}
        self._last: dict[str, tuple[float, int]] = {}

    def link(self, number: int, record: Record) -> tuple[int, float] | None:
        """The number of the read that *record* followed, and after how many seconds; None where it came of itself."""
        if record.time is None or record.response is None:
            what = "time" if record.time is None else "measured response"
            raise UserError(f"request {number} has no {what}, by which --chains tells what it waited for")
        under_way = self._under_way.setdefault(record.device, [])
        while under_way and under_way[0][0] <= record.time:
            self._last[record.device] = heappop(under_way)
        if record.op is READ:
            heappush(under_way, (record.time + record.response, number))
        done, read = self._last.get(record.device, (-self.limit, -1))
        gap = record.time - done
        if read < 0 or gap > self.limit:
            return None
        self.followers += 1
        return read, gap


class Chained:
    """A Host: asks what came of itself at its time, and what followed a read as long after that read is done now."""

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done, links: Links
    ) -> None:
        self._finished = finished
        self._env = finished.env
        self._records = enumerate(records)
        self._places = places
        self._done = done
        self._links = links
        self._under_way = 0
        self._asked: set[int] = set()
        """Reads that are not done."""
        self._ended: dict[int, float] = {}
        """When the reads were done here that may still be followed."""
        self._waiting: dict[int, list[tuple[float, int, Record]]] = {}
        self._read()
        if not self._under_way:
            finished.succeed()

    def _read(self, _: simpy.Event | None = None) -> None:
        """Take in the records of the time to come; the one that begins the time after that counts as under way."""
        now: float = self._env._now
        for number, record in self._records:
            link = self._links.link(number, record)
            self._under_way += 1
            time = record.time or 0.0
            if record.op is READ:
                self._asked.add(number)
            if link is not None and link[0] in self._asked:
                self._waiting.setdefault(link[0], []).append((link[1], number, record))
            elif link is not None and link[0] in self._ended:
                self._ask_at(self._ended[link[0]] + link[1], number, record)
            else:
                self._ask_at(time, number, record)
            if time > now + AHEAD:
                self._under_way += 1
                pause(self._env, time - AHEAD - now).callbacks.append(self._read_on)
                return

    def _read_on(self, _: simpy.Event) -> None:
        old = self._env._now - 2.0 * AHEAD
        self._ended = {number: end for number, end in self._ended.items() if end > old}
        self._read()
        self._finish_one()

    def _ask_at(self, time: float, number: int, record: Record) -> None:
        delay = max(0.0, time - self._env._now)
        pause(self._env, delay).callbacks.append(partial(self._ask, number, record))

    def _ask(self, number: int, record: Record, _: simpy.Event) -> None:
        device, op, first, length = record[1:5]
        request = self._places[device].ask(op, first, length)
        request.callbacks.append(partial(self._answered, number, record))

    def _answered(self, number: int, record: Record, request: Request) -> None:
        self._done(record, request)
        if record.op is READ:
            now: float = self._env._now
            self._asked.remove(number)
            self._ended[number] = now
            for gap, follower, waiting in self._waiting.pop(number, ()):
                self._ask_at(now + gap, follower, waiting)
        self._finish_one()

    def _finish_one(self) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._finished.succeed()
