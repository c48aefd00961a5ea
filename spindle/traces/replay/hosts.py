"""Submits the requests of a trace to drives, by one of several hosts.

Open submits each request at its time. Closed keeps a fixed number under way. Chained submits each request when the read
that it followed in the trace is done, after the same delay as there.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import Protocol

import simpy

from spindle.questions.storage import MAX_UNDER_WAY
from spindle.sim.clock import Account, Gate, Pause, check_delay, pause
from spindle.sim.error import UserError
from spindle.sim.io_engine import HostCpus
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Recorded
from spindle.sim.request import READ, Op, Request, access
from spindle.sim.terminal import ResponseLog
from spindle.workloads.traces.record import Record


class Place(Protocol):
    """The simulated storage of one device of the trace."""

    def ask(self, op: Op, first: int, length: int) -> Request:
        """Submit a request for *length* bytes from *first* of the device on."""


ByDevice = Mapping[str, Place]
"""The place of each device, by the device's name."""
Done = Callable[[Record, Request], None]
"""Called when a request is done, before the host submits the next."""


DeviceAccess = tuple[Op, int, int]
"""An access to a device: operation, first byte and length in bytes."""
RequestStarter = Callable[[DeviceAccess, Callable[[], Request]], Request]
"""Starts a request by calling the given function: at once, or after the host's CPU time for submitting it."""


def start_at_once(wanted: DeviceAccess, below: Callable[[], Request]) -> Request:
    return below()


def start_by(cpus: HostCpus) -> RequestStarter:
    """Return a RequestStarter that first takes the CPU time of a host with *cpus* and their I/O engine."""
    return lambda wanted, below: cpus.start(access(*wanted, Account("host")), below)


class StartedPlaces(dict[str, Place]):
    """Places that start each request to the same device of *places* by *start*; each is made on its first use."""

    def __init__(self, places: ByDevice, start: RequestStarter) -> None:
        super().__init__()
        self._places, self._start = places, start

    def __missing__(self, device: str) -> Place:
        self[device] = _StartedPlace(self._places[device], self._start)
        return self[device]


class _StartedPlace:
    def __init__(self, place: Place, start: RequestStarter) -> None:
        self._place, self._start = place, start

    def ask(self, op: Op, first: int, length: int) -> Request:
        return self._start((op, first, length), partial(self._place.ask, op, first, length))


class Host(Protocol):
    """Submits *records*, read one by one, to *places*; *done* is called for each.

    *finished* happens when all were submitted and completed.
    """

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done
    ) -> None: ...


class _Submitting:
    """Common behaviour of hosts: they submit requests, count those under way, and end when there are none."""

    def __init__(self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done) -> None:
        self._finished = finished
        self._env = finished.env
        self._records = records
        self._places = places
        self._done = done
        self._under_way = 0

    def _submit(self, record: Record) -> None:
        """Submit *record*, which counts as under way already."""
        device, op, first, length = record[1:5]
        self._places[device].ask(op, first, length).callbacks.append(partial(self._finish, record))

    def _finish(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._finish_one()

    def _finish_one(self) -> None:
        self._under_way -= 1
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        if not self._under_way:
            self._finished.succeed()


class Open(_Submitting):
    """Submits each record at its time, or at once if that has passed, however many are under way."""

    def __init__(self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done) -> None:
        super().__init__(finished, records, places, done)
        self._next()
        self._end_if_idle()

    def _next(self) -> None:
        """Wait for the time of the next record; it counts as under way, so that the replay does not end before it."""
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
        self._submit(self._record)
        self._next()


class Closed(_Submitting):
    """Keeps *depth* requests under way: submits the next when one is completed, or its gap later."""

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done, depth: int = 1
    ) -> None:
        if not 1 <= depth <= MAX_UNDER_WAY:
            raise UserError(f"a closed loop keeps 1 to {MAX_UNDER_WAY} requests under way, not {depth}")
        super().__init__(finished, records, places, done)
        for _ in range(depth):
            self._next()
        self._end_if_idle()

    def _next(self) -> None:
        record = next(self._records, None)
        if record is not None:
            self._under_way += 1
            if record.gap:
                pause(self._env, record.gap).callbacks.append(lambda _: self._submit(record))
            else:
                self._submit(record)

    def _finish(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        self._next()
        self._end_if_idle()


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

    def end_event(self) -> simpy.Event:
        """Return the event after all records were submitted and completed."""
        return self._finished

    def under_way(self) -> tuple[Recorded, ...]:
        return ()

    def check(self, counters: Mapping[str, float], clipped: float, now: float) -> None:
        """Do nothing: each response is the sum of its phases, and drives check their own laws."""


# Chains in an open trace: a request that came soon after a read was done is asked as long after that read again.

AHEAD = 60.0
"""Seconds of the trace that are read before their time: a chain that is simulated faster needs them earlier."""


class Links:
    """Links of requests to the reads that they followed, by the measured times; records come in the order of time.

    A program that reads waits for its data before its next request: so a request follows the last read of its device
    that was done before, if that was at most *limit* seconds ago. Few programs wait for a write.
    """

    def __init__(self, limit: float) -> None:
        if not limit > 0.0:
            raise UserError(f"a request follows a read after more than 0 s, not {limit:g}")
        self.limit = limit
        self.followers = 0
        self._under_way: dict[str, list[tuple[float, int]]] = {}
        self._last: dict[str, tuple[float, int]] = {}

    def link(self, number: int, record: Record) -> tuple[int, float] | None:
        """Return the number of the read that *record* followed, and the seconds between; None if it followed none."""
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


class Paced(_Submitting):
    """Submits each record at its time, but keeps at most *depth* under way: others wait for one of those to be done."""

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done, depth: int
    ) -> None:
        super().__init__(finished, records, places, done)
        self._depth = depth
        self._record = next(records, None)
        if self._record is None:
            finished.succeed()
        else:
            self._wait()

    def _wait(self) -> None:
        record = self._record
        assert record is not None, "there is one to wait for"
        pause(self._env, max(0.0, (record.time or 0.0) - self._env._now)).callbacks.append(partial(self._ask, record))

    def _ask(self, record: Record, _: simpy.Event | None = None) -> None:
        """Ask for *record*, unless it was asked for already, or until one that is under way is done."""
        if self._under_way == self._depth or record is not self._record:
            return
        self._under_way += 1
        self._submit(record)
        self._record = next(self._records, None)
        if self._record is not None:
            self._wait()

    def _finish(self, record: Record, request: Request) -> None:
        self._done(record, request)
        self._under_way -= 1
        if self._record is None:
            self._end_if_idle()
        elif self._under_way == self._depth - 1 and (self._record.time or 0.0) <= self._env._now:
            self._ask(self._record)


class Chained(_Submitting):
    """A Host that submits a request of a chain as long after its read as in the trace, and others at their times."""

    def __init__(
        self, finished: simpy.Event, records: Iterator[Record], places: ByDevice, done: Done, links: Links
    ) -> None:
        super().__init__(finished, records, places, done)
        self._numbered = enumerate(records)
        self._links = links
        self._asked: set[int] = set()
        """Reads that are under way."""
        self._ended: dict[int, float] = {}
        """Times at which simulated reads were done that may still be followed."""
        self._waiting: dict[int, list[tuple[float, int, Record]]] = {}
        self._read()
        self._end_if_idle()

    def _read(self, _: simpy.Event | None = None) -> None:
        """Read the records of the next AHEAD seconds; reading on counts as one more request under way."""
        now: float = self._env._now
        for number, record in self._numbered:
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
        request.callbacks.append(partial(self._finish_numbered, number, record))

    def _finish_numbered(self, number: int, record: Record, request: Request) -> None:
        self._done(record, request)
        if record.op is READ:
            now: float = self._env._now
            self._asked.remove(number)
            self._ended[number] = now
            for gap, follower, waiting in self._waiting.pop(number, ()):
                self._ask_at(now + gap, follower, waiting)
        self._finish_one()
