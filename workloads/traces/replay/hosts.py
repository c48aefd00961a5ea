"""Hosts that ask for what a trace holds: each request when its time has come, or so many at a time. No processes."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from typing import Protocol

import simpy

from sim.clock import Gate, check_delay
from sim.error import UserError
from sim.request import Request
from workloads.traces.record import Record
from workloads.traces.replay.storage import Place

ByDevice = Mapping[str, Place]
"""Where each device lies."""
Done = Callable[[Record, Request], None]
"""Called when a request is done, before the host that waited for it asks again."""


class Host(Protocol):
    """A way of asking *places* for *records*, which are read as they are asked; *done* is told of each."""

    finished: simpy.Event
    """All records were asked for and answered."""

    def __init__(self, env: simpy.Environment, records: Iterator[Record], places: ByDevice, done: Done) -> None: ...


class Open:
    """Asks when a record says so, however much is still waited for; one that comes late in the file, at once."""

    def __init__(self, env: simpy.Environment, records: Iterator[Record], places: ByDevice, done: Done) -> None:
        self.finished: simpy.Event = Gate(env, "the end of the trace")
        self._env = env
        self._records = records
        self._places = places
        self._done = done
        self._under_way = 0
        self._next()

    def _next(self) -> None:
        """The record to come counts as under way, so that the end is not taken to have come before it."""
        record = next(self._records, None)
        if record is None:
            return
        if record.time is None:
            raise UserError("a request has no time, which an open loop needs; --closed asks for one after another")
        self._record = record
        self._under_way += 1
        delay = record.time - self._env._now
        # As pause has it, but checked here, because it is done for every request.
        if not 0.0 < delay < inf:
            delay = 0.0 if delay <= 0.0 else check_delay(delay)
        simpy.Timeout(self._env, delay).callbacks.append(self._ask)

    def _ask(self, _: simpy.Event) -> None:
        record = self._record
        device, op, first, length = record[1:5]
        self._places[device].ask(op, first, length).callbacks.append(partial(self._answered, record))
        self._next()

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        if not self._under_way:
            self.finished.succeed()


class Closed:
    """Keeps *depth* requests under way: it asks for the next as soon as one is answered, whatever their times."""

    def __init__(
        self, env: simpy.Environment, records: Iterator[Record], places: ByDevice, done: Done, depth: int = 1
    ) -> None:
        if depth < 1:
            raise UserError(f"a closed loop keeps at least 1 request under way, not {depth}")
        self.finished: simpy.Event = Gate(env, "the end of the trace")
        self._records = records
        self._places = places
        self._done = done
        self._under_way = 0
        for _ in range(depth):
            self._next()

    def _next(self) -> None:
        record = next(self._records, None)
        if record is not None:
            self._under_way += 1
            device, op, first, length = record[1:5]
            self._places[device].ask(op, first, length).callbacks.append(partial(self._answered, record))

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        self._next()
        if not self._under_way:
            self.finished.succeed()
