"""Drive queues requests in a scheduler (Fcfs by default), and its mechanism serves them one at a time; with counters.

An access costs one event of the simulation.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import simpy
from simpy.events import EventPriority

from spindle.sim.clock import Wait, pause, succeed_after
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.mechanism import ArmPosition, DiscType, Mechanism
from spindle.sim.error import UserError
from spindle.sim.parts import credit, register
from spindle.sim.request import READ, WRITE, Access, AccessTiming, Request, Span, StartedDevice

# Its queue: the protocol of schedulers, and the simplest one.

class Scheduler(Protocol):
    """A queue of requests. Requests that overlap are kept in order if one of them writes; ties go by arrival.

    A class with ``unordered = True`` need not keep that order, as Linux's block layer does not: its users must wait.
    """

    @property
    def via(self) -> Sequence[SectorPlace]:
        """Places that the arm visits before the request last taken; with SCAN and C-SCAN the edge of the disc."""

    def attach(self, mechanism: Mechanism) -> None:
        """Serve the queue of the drive with this *mechanism*; called once, by the drive, before anything is added."""

    def add(self, request: Request) -> None: ...

    def take(self, arm: ArmPosition, now: float) -> Request:
        """Remove and return the request to serve next; there must be one."""

    def __len__(self) -> int:
        """The number of requests that may be taken now: all that wait, except those that the scheduler holds back."""


def attach_once(before: Mechanism | None, mechanism: Mechanism) -> Mechanism:
    """Return *mechanism*; UserError if the scheduler was attached to one *before*, for it serves one drive."""
    if before is not None:
        raise UserError("scheduler: it serves the queue of another drive already; give each drive one of its own")
    return mechanism


class Fcfs:
    """A scheduler: first come, first served.

    >>> Computer().drive(HP7920, Fcfs()).name
    'drive1'
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()
        self._mechanism: Mechanism | None = None
        self.add = self._queue.append

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = attach_once(self._mechanism, mechanism)

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self._queue.popleft()

    def __len__(self) -> int:
        return len(self._queue)


# The counters of a drive, which only grow, and are exact at any instant.

class DriveCounts:
    """The counters of a drive: requests issued and completed, and seconds in each phase up to any instant.

    The phases of the request in service count up to the instant of the reading, in the order overhead, seek,
    rotation, transfer, channel, so that at any instant they add up to ``busy``.
    """

    def __init__(self, now: float, sector_bytes: int) -> None:
        self.issued = self.completed = 0
        self.reads = self.writes = self.partial_writes = 0
        self.bytes_read = self.bytes_written = 0
        self.overhead = self.seek = self.rotation = self.transfer = self.channel = 0.0
        self._sector_bytes = sector_bytes
        self._queue = 0.0
        self.waiting = 0
        self._submitted = 0.0
        self._number_seconds = 0.0
        self._changed = now
        self._busy = 0.0
        self._began = now
        self.serving: AccessTiming | None = None
        """The phases of the request in service; one without an end yet is infinite."""

    @property
    def in_service(self) -> int:
        return int(self.serving is not None)

    def enter(self, now: float) -> None:
        """Count a request that was issued."""
        self._number_seconds += (self.issued - self.completed) * (now - self._changed)
        self._changed = now
        self.issued += 1
        self.waiting += 1
        self._submitted += now

    def begin(self, now: float, service: AccessTiming) -> None:
        """Count a request as being served from *now* on."""
        self._began = now
        self.serving = service
        self._queue += service.queue
        self.waiting -= 1
        self._submitted = self._submitted - (now - service.queue) if self.waiting else 0.0

    def leave(self, now: float, access: Access, service: AccessTiming) -> None:
        """Count the request that was being served as completed."""
        self._number_seconds += (self.issued - self.completed) * (now - self._changed)
        self._changed = now
        self._busy += now - self._began
        self.serving = None
        self.completed += 1
        _, overhead, seek, rotation, transfer, channel = service
        self.overhead += overhead
        self.seek += seek
        self.rotation += rotation
        self.transfer += transfer
        self.channel += channel
        first, length = access.span
        if access.op is READ:
            self.reads += 1
            self.bytes_read += length
        else:
            self.writes += 1
            self.bytes_written += length
            if first % self._sector_bytes or (first + length) % self._sector_bytes:
                self.partial_writes += 1

    def busy(self, now: float) -> float:
        """Seconds up to *now* in which a request was being served."""
        return self._busy if self.serving is None else self._busy + (now - self._began)

    def number_seconds(self, now: float) -> float:
        """Return the integral over time of the number of requests queued or being served."""
        return self._number_seconds + (self.issued - self.completed) * (now - self._changed)

    def _phases(self, now: float) -> dict[str, float]:
        totals = {"overhead": self.overhead, "seek": self.seek, "rotation": self.rotation,
                  "transfer": self.transfer, "channel": self.channel}
        if self.serving is not None:
            left = now - self._began
            for name, seconds in zip(totals, self.serving[1:], strict=True):
                totals[name] += min(seconds, left)
                left -= min(seconds, left)
        return totals

    def reading(self, now: float) -> dict[str, float]:
        """Return all counts up to *now*. ``queue`` is the seconds that requests have waited for their turn."""
        names = ("issued", "completed", "reads", "writes", "partial_writes", "bytes_read", "bytes_written")
        return {
            **{name: float(getattr(self, name)) for name in names},
            "busy": self.busy(now),
            "number_seconds": self.number_seconds(now),
            "queue": self._queue + self.waiting * now - self._submitted,
            **self._phases(now),
        }


END_OF_INSTANT = EventPriority(2)
"""Priority of an event that happens after all others of its instant; SimPy's own have 0 and 1."""


class Drive(StartedDevice):
    """A BlockDevice that serves one request at a time, in the order of its scheduler.

    The service time of a request is known when its turn comes, so the request itself is put on the clock for the
    instant of its completion. The drive's callback precedes those of the waiters and serves the next request; so a
    waiter that submits another as soon as it resumes is queued after those present.

    >>> drive = Drive(simpy.Environment(), HP7933, Sptf())
    >>> drive.capacity // MB
    404
    """

    def __init__(
        self,
        env: simpy.Environment,
        disc: DiscType | Mechanism,
        scheduler: Scheduler | None = None,
        name: str = "drive",
    ) -> None:
        self.env = env
        self.name = name
        self.mechanism: Mechanism = mechanism_of(disc) if isinstance(disc, DiscType) else disc
        self.scheduler: Scheduler = Fcfs() if scheduler is None else scheduler
        self.scheduler.attach(self.mechanism)
        self.capacity = self.mechanism.capacity
        self.sector_bytes = self.mechanism.sector_bytes
        self.arm = ArmPosition(0, 0)
        self.counts = DriveCounts(env.now, self.mechanism.sector_bytes)
        self._idle = True
        self._wake: Callable[[float], None] = self._serve
        """Called with the instant of a request to the idle drive."""
        self.gathers = False
        self._writes: dict[Request, None] = {}
        register(env, self)
        sheet = disc if isinstance(disc, DiscType) else getattr(disc, "disc", None)
        if sheet is not None:
            credit(env, sheet)

    def gather(self) -> None:
        """Give the scheduler all requests of an instant before an idle drive begins one, as Linux unplugs them.

        It takes one event more, and changes nothing for a scheduler that takes the first.
        """
        self._wake, self.gathers = self._wait_for_all, True

    def _wait_for_all(self, now: float) -> None:
        end = simpy.Event(self.env)
        end.callbacks.append(self._serve_all)
        succeed_after(end, 0.0, priority=END_OF_INSTANT)

    def _serve_all(self, _: simpy.Event) -> None:
        """Begin as many of the waiting requests as the drive has room for, unless another call has begun them."""
        while self._has_room() and len(self.scheduler):
            self._serve(self.env._now)
        self._idle = self._has_room()

    def _has_room(self) -> bool:
        return not self.counts.in_service

    def start(self, access: Access) -> Request:
        """Queue *access*; it is served at once if the drive is idle."""
        first, length = access.span
        if first < 0 or length <= 0 or first + length > self.capacity:
            raise UserError(f"{self.name}: {length} bytes at {first} are not on a disc of {self.capacity} bytes")
        request = Request(self.env, access)
        request.callbacks.append(self._complete)
        if access.op is WRITE:
            self._writes[request] = None
        now = request.submitted
        self.counts.enter(now)
        self.scheduler.add(request)
        if self._idle:
            self._idle = False
            self._wake(now)
        return request

    def _serve(self, now: float) -> None:
        """Take the next request and begin it; the arm first goes where the scheduler sends it."""
        arm, detour = self.arm, 0.0
        request = self.scheduler.take(arm, now)
        for place in self.scheduler.via:
            detour += self.mechanism.travel(arm, place)
            arm = ArmPosition(place.cylinder, place.head)
        self._begin(request, arm, detour, now)

    def _begin(self, request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        access = request.access
        service, self.arm = self.mechanism.serve(arm, now + detour, access.op, access.span, now - request.submitted)
        if detour:
            service = service._replace(seek=service.seek + detour)
        if access.durable and access.op is WRITE:
            service = self._until_settled(now, service)
        self.counts.begin(now, service)
        _, overhead, seek, rotation, transfer, channel = service
        succeed_after(request, overhead + seek + rotation + transfer + channel, service)

    def _until_settled(self, now: float, service: AccessTiming) -> AccessTiming:
        """Add to *service* the wait until the writes that the drive reported early are on the medium."""
        late = self.mechanism.settled_at() - (now + service.total)
        return service._replace(transfer=service.transfer + late) if late > 0.0 else service

    def _complete(self, request: Request) -> None:
        now: float = self.env._now
        access = request.access
        self.counts.leave(now, access, request._value)
        if self._writes:
            self._writes.pop(request, None)
        if self.counts.waiting:
            self._serve(now)
        else:
            self._idle = True

    def flush(self, span: Span) -> Wait:
        """Wait for the writes to *span* that are queued or being served now; not for later ones.

        A drive that reports writes early then empties its buffer, whatever is in it.
        """
        for request in [request for request in self._writes if request.access.span.overlaps(span)]:
            if not request.processed:
                yield request
        late = self.mechanism.settled_at() - self.env.now
        if late > 0.0:
            yield pause(self.env, late)

    def discard(self, span: Span) -> None:
        """Do nothing: a drive without a cache keeps nothing that it could discard."""

    def busy(self) -> float:
        """Seconds until now in which a request was being served; exact at any instant."""
        return self.counts.busy(self.env.now)

    def faults(self) -> list[str]:
        """List contradictions within the drive, with which no run may end: what was issued is done or under way."""
        counts = self.counts
        if counts.issued == counts.completed + counts.waiting + counts.in_service:
            return []
        return [f"{counts.issued} requests issued, {counts.completed} completed, {counts.waiting} wait and "
                f"{counts.in_service} are served"]

    def reading(self) -> dict[str, float]:
        return {**self.counts.reading(self.env.now), **self.mechanism.reading()}
