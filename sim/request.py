"""Access describes a read or write of a block device, Request an access under way; BlockDevice is their protocol."""

from collections.abc import Hashable, Iterable
from enum import Enum
from math import fsum
from typing import NamedTuple, Protocol

import simpy

from spindle.sim.clock import Account, Gate, Ledger, Phase, Piece, Wait, begin
from spindle.sim.span import READ as READ
from spindle.sim.span import WRITE as WRITE
from spindle.sim.span import Op as Op
from spindle.sim.span import Span as Span

BOUNDLESS = 2**63 - 1
"""Bytes of a device without a capacity; ``sys.maxsize`` of Python in a browser is less than a large drive has."""

class Hint(Enum):
    """The order in which an open file will be read, if it was declared.

    >>> Hint.SEQUENTIAL.value
    'sequential'
    """

    NONE = "none"
    SEQUENTIAL = "sequential"
    RANDOM = "random"


SEQUENTIAL = Hint.SEQUENTIAL


class Access(NamedTuple):
    """A read or write of the bytes *span*, passed down unchanged from layer to layer.

    *within* is the extent of the file: no fetch goes beyond it. *stream* names the open file, for read-ahead. A
    *durable* write is done only when it is on the medium. *account* is charged the seconds of the access.
    """

    op: Op
    span: Span
    within: Span
    stream: Hashable
    hint: Hint
    durable: bool
    account: Account


def access(op: Op, first: int, length: int, account: Account, within: Span | None = None) -> Access:
    """Make an Access outside any open file."""
    span = Span(first, length)
    return Access(op, span, span if within is None else within, None, Hint.NONE, False, account)


class AccessTiming(NamedTuple):
    """The seconds of a request at a drive by phase, the value of its event. Service time is all but the queue."""

    queue: float
    overhead: float
    seek: float
    rotation: float
    transfer: float
    channel: float

    @property
    def total(self) -> float:
        return self.overhead + self.seek + self.rotation + self.transfer + self.channel


SERVICE_PHASES = AccessTiming._fields[1:]
"""Names of the phases of a service, which a drive counts in seconds."""

_PHASES = (Phase.QUEUE, Phase.OVERHEAD, Phase.SEEK, Phase.ROTATION, Phase.TRANSFER, Phase.CHANNEL)
_WORK = _PHASES[1:]


class Request(simpy.Event):
    """An access under way, and the event of its completion: any number of processes may yield it.

    A drive sets ``value`` to an AccessTiming. Work of more than one disc access (a cache below a cache) carries the
    *ledger* of its pieces instead.
    """

    __slots__ = ("access", "submitted", "cylinder", "ledger")

    def __init__(self, env: simpy.Environment, access: Access, ledger: Ledger | None = None) -> None:
        self.env = env  # with the next line, all that Event.__init__ would do
        self.callbacks = []
        self.access = access
        self.submitted: float = env._now
        self.cylinder = 0
        self.ledger = ledger

    def cost(self) -> float:
        """Return the seconds that discs worked for the request, once it is done; waiting in queues does not count."""
        return fsum(end - begin for phase, begin, end in self.pieces() if phase in _WORK)

    def pieces(self) -> Iterable[Piece]:
        """The phases of the access as intervals, in order; known once it is done."""
        if self.ledger is not None:
            return self.ledger.pieces
        pieces = []
        end = self.submitted
        for phase, seconds in zip(_PHASES, self._value, strict=True):
            if seconds > 0.0:
                begin, end = end, end + seconds
                pieces.append((phase, begin, end))
        return pieces

    def charge(self, account: Account, joined: float) -> None:
        """Charge *account*, which has waited since *joined*, the phases that it waited through."""
        if joined > self.submitted or self.ledger is not None:
            account.share(self.pieces(), joined, self.env._now)
            return
        end = self.submitted
        for phase, seconds in zip(_PHASES, self._value, strict=True):
            if seconds > 0.0:
                begin, end = end, end + seconds
                account.charge(phase, begin, end)


def ledger_of(request: Request) -> Ledger:
    """Return the ledger of a *request* to a layer above drives, which has one."""
    assert request.ledger is not None, "a layer above drives makes requests with a ledger"
    return request.ledger


def wait_for(request: Request, account: Account) -> Wait:
    """Wait until *request* is done, and charge *account* the phases during the wait."""
    if request.callbacks is not None:
        joined = request.env._now
        yield request
        request.charge(account, joined)


class Arrival:
    """Blocks that are fetched together. While room is made for them there is no request yet, only a gate."""

    _request: Request | None = None
    _gate: Gate | None = None

    def start(self, request: Request | None) -> None:
        """Note that there is room now, and *request* fetches the blocks; None if nothing need be fetched."""
        self._request = request
        if self._gate is not None:
            self._gate.succeed()

    def wait(self, env: simpy.Environment, account: Account) -> Wait:
        """Wait until the blocks are here, and charge the wait's phases to *account*."""
        return self._wait_for_room(env, account) if self._request is None else wait_for(self._request, account)

    def _wait_for_room(self, env: simpy.Environment, account: Account) -> Wait:
        if self._gate is None:
            self._gate = Gate(env, "room in memory for a fetch")
        joined = env.now
        yield self._gate
        account.charge(Phase.MEMORY, joined, env.now)
        if self._request is not None:
            yield from wait_for(self._request, account)


class BlockDevice(Protocol):
    """A drive, or a cache above a block device."""

    def read(self, access: Access) -> Wait: ...

    def write(self, access: Access) -> Wait: ...

    def start(self, access: Access) -> Request:
        """Begin *access* without waiting, as for read-ahead, write-behind and write-back."""

    def flush(self, span: Span) -> Wait:
        """Wait until everything written to *span* is on the medium."""

    def discard(self, span: Span) -> None:
        """Forget *span* without writing it."""


class StartedDevice:
    """A BlockDevice whose subclass has ``start``; a read or write starts an access and waits until it is done."""

    name: str

    def start(self, access: Access) -> Request:
        raise NotImplementedError

    def read(self, access: Access) -> Wait:
        assert access.op is READ, f"{self.name}: {access} is not a read"
        return self._perform(access)

    def write(self, access: Access) -> Wait:
        assert access.op is WRITE, f"{self.name}: {access} is not a write"
        return self._perform(access)

    def read_bytes(self, first: int, length: int) -> Request:
        """Read *length* bytes from byte *first* on, outside any machine; the event, whose value has a drive's phases.

        >>> env = simpy.Environment()
        >>> env.run(Drive(env, HP7933).read_bytes(0, 4096)).seek
        0.0
        """
        return self.start(access(READ, first, length, Account("host")))

    def write_bytes(self, first: int, length: int) -> Request:
        """Write as ``read_bytes`` reads."""
        return self.start(access(WRITE, first, length, Account("host")))

    def _perform(self, access: Access) -> Wait:
        request = self.start(access)
        yield request
        request.charge(access.account, request.submitted)


def work_behind(device: BlockDevice, env: simpy.Environment, name: str, access: Access) -> Request:
    """Begin *access* on *device* and do not wait. Accesses that join it share its ledger."""
    ledger = Ledger(name)
    request = Request(env, access, ledger)
    begin(env, _work(device, request, access._replace(account=ledger)))
    return request


def _work(device: BlockDevice, request: Request, access: Access) -> Wait:
    yield from device.read(access) if access.op is READ else device.write(access)
    request.succeed()


def capacity_of(device: BlockDevice) -> int:
    """Bytes of *device*; BOUNDLESS where it has no capacity."""
    capacity: int = getattr(device, "capacity", BOUNDLESS)
    return capacity
