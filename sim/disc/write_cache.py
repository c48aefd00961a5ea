"""WriteCache acknowledges writes when they are in it; they reach the medium in the drive's own order."""

import simpy

from spindle.sim.clock import Ledger, Phase, Wait, happen, succeed_after
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken, register
from spindle.sim.request import READ, Access, Request, Span, StartedDevice, ledger_of


class WriteCache(StartedDevice):
    """A write cache of *drive*, with room for *writes* writes; to acknowledge one takes *seconds*.

    A write for which there is no room waits (WRITE_WAIT), in the order of *waiting*, else first come, first served. A
    durable write and a read go to the drive, which keeps overlapping requests in order.
    """

    def __init__(self, drive: Drive, writes: int, seconds: float = 0.0, waiting: Scheduler | None = None) -> None:
        if writes < 1:
            raise UserError(f"{drive.name}: a write cache has room for 1 write at least, not {writes}")
        self.env: simpy.Environment = drive.env
        self.drive = drive
        self.name = drive.name
        self.capacity, self.sector_bytes = drive.capacity, drive.sector_bytes
        self.reported = self.waits = 0
        self._room = writes
        self._seconds = seconds
        self._writes = writes
        self._waiting = Fcfs() if waiting is None else waiting
        self._waiting.attach(drive.mechanism)
        self._late: dict[Request, None] = {}
        self._on_the_way: dict[Request, None] = {}
        register(self.env, self)

    def start(self, access: Access) -> Request:
        request = Request(self.env, access, Ledger("write cache"))
        if access.op is READ or access.durable:
            self._pass(request)
        elif self._room:
            self._take(request)
            if self._seconds:
                ledger_of(request).charge(Phase.OVERHEAD, self.env.now, self.env.now + self._seconds)
            succeed_after(request, self._seconds)
        else:
            self.waits += 1
            self._late[request] = None
            self._waiting.add(request)
        return request

    def _pass(self, request: Request) -> None:

        def finish(below: Request) -> None:
            ledger_of(request).charge_all(below.pieces())
            happen(request)

        below = self.drive.start(request.access)
        assert below.callbacks is not None
        below.callbacks.append(finish)

    def _take(self, request: Request) -> None:
        """Give *request* room, and start its write at the drive."""
        self._room -= 1
        self.reported += 1
        written = self.drive.start(request.access)
        self._on_the_way[written] = None
        assert written.callbacks is not None
        written.callbacks.append(self._finish_write)

    def _finish_write(self, written: Request) -> None:
        self._on_the_way.pop(written)
        self._room += 1
        if self._late:
            request = self._waiting.take(self.drive.arm, self.env.now)
            del self._late[request]
            self._take(request)
            ledger_of(request).charge(Phase.WRITE_WAIT, request.submitted, self.env.now)
            happen(request)

    def flush(self, span: Span) -> Wait:
        """Wait until all writes to *span* are on the medium, also those that still wait for room."""
        for request in [request for request in self._late if request.access.span.overlaps(span)]:
            if not request.processed:
                yield request
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        self.drive.discard(span)

    def busy(self) -> float:
        return self.drive.busy()

    def check(self) -> None:
        """LawBroken unless free places and cached writes add up, and none waits while a place is free."""
        taken = len(self._on_the_way)
        if self._room + taken != self._writes or (self._room and self._late):
            raise LawBroken(f"{self.name}: {self._room} free and {taken} taken of {self._writes}")

    def reading(self) -> dict[str, float]:
        return {**self.drive.reading(), "reported": float(self.reported), "write_waits": float(self.waits)}
