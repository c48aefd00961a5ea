"""Hosts that ask for what a trace holds: each request when its time has come, or so many at a time. No processes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import simpy

from models.traces.storage import Storage
from sim.clock import Gate, pause
from sim.mistake import Mistake
from sim.request import Request
from workloads.traces.record import Record

Done = Callable[[Record, Request], None]
"""Called when a request is done, before the host that waited for it asks again."""


class Host(Protocol):
    """A way of asking *storage* for *records*, which are read as they are asked; *done* is told of each."""

    finished: simpy.Event
    """All records were asked for and answered."""

    def __init__(self, env: simpy.Environment, records: Iterator[Record], storage: Storage, done: Done) -> None: ...


class Open:
    """Asks when a record says so, however much is still waited for; one that comes late in the file, at once."""

    def __init__(self, env: simpy.Environment, records: Iterator[Record], storage: Storage, done: Done) -> None:
        self.finished: simpy.Event = Gate(env, "the end of the trace")
        self._env = env
        self._records = records
        self._storage = storage
        self._done = done
        self._under_way = 0
        self._next()

    def _next(self) -> None:
        """The record to come counts as under way, so that the end is not taken to have come before it."""
        record = next(self._records, None)
        if record is None:
            return
        if record.time is None:
            raise Mistake("a request has no time, which an open loop needs; --closed asks for one after another")
        self._record = record
        self._under_way += 1
        delay = record.time - self._env._now
        pause(self._env, delay if delay > 0.0 else 0.0).callbacks.append(self._ask)

    def _ask(self, _: simpy.Event) -> None:
        record = self._record
        _asked(self._storage, record).callbacks.append(partial(self._answered, record))
        self._next()

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        if not self._under_way:
            self.finished.succeed()


class Closed:
    """Keeps *depth* requests under way: it asks for the next as soon as one is answered, whatever their times."""

    def __init__(
        self, env: simpy.Environment, records: Iterator[Record], storage: Storage, done: Done, depth: int = 1
    ) -> None:
        if depth < 1:
            raise Mistake(f"a closed loop keeps at least 1 request under way, not {depth}")
        self.finished: simpy.Event = Gate(env, "the end of the trace")
        self._records = records
        self._storage = storage
        self._done = done
        self._under_way = 0
        for _ in range(depth):
            self._next()

    def _next(self) -> None:
        record = next(self._records, None)
        if record is not None:
            self._under_way += 1
            _asked(self._storage, record).callbacks.append(partial(self._answered, record))

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        self._next()
        if not self._under_way:
            self.finished.succeed()


def _asked(storage: Storage, record: Record) -> Request:
    _, device, op, first, length, _ = record
    return storage[device].ask(op, first, length)
