"""Hosts that submit the requests of a trace: each at its time, or so many at a time. No processes."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from typing import Protocol

import simpy

from sim.clock import Gate, Pause, check_delay, pause
from sim.error import UserError
from sim.machine import Machine
from sim.measure.load import Recorded
from sim.request import Request
from sim.terminal import ResponseLog
from workloads.traces.record import Record
from workloads.traces.replay.storage import DevicePlace

MOST_UNDER_WAY = 1 << 16
"""At any time, in a closed loop; of an open one the trace decides."""
ByDevice = Mapping[str, DevicePlace]
"""Where each device lies."""
Done = Callable[[Record, Request], None]
"""Called when a request is done, before the host submits the next."""


class Host(Protocol):
    """Submits *records*, read one by one, to *places*; *done* is called for each.

    *finished* happens when all were submitted and completed.
    """

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done
    ) -> None: ...


class Open:
    """Submits each record at its time, however many are under way; one that comes late in the file, at once."""

    def __init__(self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done) -> None:
        self._finished = finished
        self._env = finished.env
        self._records = records
        self._places = places
        self._done = done
        self._under_way = 0
        self._next()
        if not self._under_way:
            finished.succeed()

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
        Pause(self._env, delay).callbacks.append(self._ask)

    def _ask(self, _: simpy.Event) -> None:
        record = self._record
        device, op, first, length = record[1:5]
        self._places[device].ask(op, first, length).callbacks.append(partial(self._answered, record))
        self._next()

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        if not self._under_way:
            self._finished.succeed()


class Closed:
    """Keeps *depth* requests under way: submits the next when one is completed, or its gap later."""

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done, depth: int = 1
    ) -> None:
        if not 1 <= depth <= MOST_UNDER_WAY:
            raise UserError(f"a closed loop keeps 1 to {MOST_UNDER_WAY} requests under way, not {depth}")
        self._finished = finished
        self._env = finished.env
        self._records = records
        self._places = places
        self._done = done
        self._under_way = 0
        for _ in range(depth):
            self._next()
        if not self._under_way:
            finished.succeed()

    def _next(self) -> None:
        record = next(self._records, None)
        if record is not None:
            self._under_way += 1
            if record.gap:
                pause(self._env, record.gap).callbacks.append(partial(self._ask, record))
            else:
                self._ask(record)

    def _ask(self, record: Record, _: simpy.Event | None = None) -> None:
        device, op, first, length = record[1:5]
        self._places[device].ask(op, first, length).callbacks.append(partial(self._answered, record))

    def _answered(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        self._next()
        if not self._under_way:
            self._finished.succeed()


class TraceLoad:
    """A load: the *records* of a trace, submitted to *places* by *host*.

    *recorder* makes from the log a callback for each completion; *share* is the part of the trace that is done. The
    load ends with the last completion: dirty blocks and read-ahead are not waited for.
    """

    def __init__(
        self, records: Iterator[Record], places: ByDevice, host: Callable[..., Host],
        recorder: Callable[[ResponseLog], Done], share: Callable[[], float] = lambda: 0.0,
    ) -> None:  # fmt: skip
        self._records = records
        self._places = places
        self._host = host
        self._recorder = recorder
        self._finished: simpy.Event
        self.share = share

    def start(self, machine: Machine, seed: object, log: ResponseLog) -> None:
        self._finished = Gate(machine.env, "the end of the trace")
        begin = Pause(machine.env, 0.0)
        begin.callbacks.append(lambda _: self._begin(self._recorder(log)))

    def _begin(self, done: Done) -> None:
        """Submit the first records."""
        self._host(self._finished, self._records, self._places, done)

    def ended(self) -> simpy.Event:
        """The event after all records were submitted and completed."""
        return self._finished

    def under_way(self) -> tuple[Recorded, ...]:
        return ()

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """Nothing: each response is the sum of its phases, and drives keep their own laws."""
