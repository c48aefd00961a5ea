"""An export: a device that takes its time, and the bytes that it has, under a name that clients ask for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import simpy

from sim.nbd.protocol import CHANGING, FLAGS_OF, MOST_PAYLOAD, Command, CommandFlag, ExportFlag, Fault, Kind
from sim.nbd.store import ByteStore
from sim.request import Span

PREFERRED_BLOCK = 4096
SPACED = (Kind.WRITE, Kind.WRITE_ZEROES)
"""Commands that find no space beyond the end."""
CARRYING = (Kind.READ, Kind.WRITE)
"""Commands that have data with them, or with their reply."""

Done = Callable[[Fault], None]


class TimedDevice(Protocol):
    """How long something takes: each event happens when that is done. Called only from within simulated time."""

    def read(self, span: Span) -> simpy.Event: ...

    def write(self, span: Span, durable: bool) -> simpy.Event: ...

    def flush(self) -> simpy.Event: ...

    def discard(self, span: Span) -> None: ...


@dataclass(frozen=True)
class Export:
    """*block* is the least that a client should ask for, a power of two; *device* is as long as *store*.

    A write is in the store when the device has done it, so that what was not replied to may be lost, and nothing else.
    """

    name: str
    device: TimedDevice
    store: ByteStore
    block: int = 1
    read_only: bool = False
    about: str = ""
    rotational: bool = True
    """Whether something turns in it, as clients ask who then put requests into its order."""

    @property
    def size(self) -> int:
        return self.store.size

    @property
    def flags(self) -> ExportFlag:
        can = (ExportFlag.HAS_FLAGS | ExportFlag.FLUSH | ExportFlag.FUA | ExportFlag.DONT_FRAGMENT
               | ExportFlag.MULTI_CONNECTION)
        can |= ExportFlag.ROTATIONAL if self.rotational else 0
        return can | (ExportFlag.READ_ONLY if self.read_only else ExportFlag.TRIM | ExportFlag.WRITE_ZEROES)

    def refusal(self, command: Command) -> Fault:
        """Why *command* must not be done; NONE where it may."""
        allowed = FLAGS_OF.get(command.kind)  # type: ignore[call-overload]
        if allowed is None or command.flags & ~allowed:
            return Fault.INVALID
        if self.read_only and command.kind in CHANGING:
            return Fault.NOT_PERMITTED
        if command.kind == Kind.FLUSH:
            return Fault.NONE if command.span == (0, 0) else Fault.INVALID
        if command.span.end > self.size:
            return Fault.NO_SPACE if command.kind in SPACED else Fault.INVALID
        if command.kind in CARRYING and command.span.length > MOST_PAYLOAD:
            return Fault.OVERFLOW if command.kind == Kind.READ else Fault.INVALID
        if command.kind == Kind.BLOCK_STATUS and not command.span.length:
            return Fault.INVALID
        return Fault.NONE

    def start(self, command: Command, payload: bytes, done: Done) -> None:
        """Begin *command*, which is not to be refused; *done* is called when the device has done it."""
        event = self._timed(command)
        if event is None:
            done(self._applied(command, payload))
        else:
            event.callbacks.append(lambda _: done(self._applied(command, payload)))

    def _timed(self, command: Command) -> simpy.Event | None:
        """The event of its completion; None for what takes no time."""
        if command.kind == Kind.FLUSH:
            return self.device.flush()
        if not command.span.length:
            return None
        if command.kind == Kind.READ:
            return self.device.read(command.span)
        if command.kind in SPACED:
            return self.device.write(command.span, command.durable)
        if command.kind == Kind.TRIM:
            self.device.discard(command.span)
            return self.device.flush() if command.durable else None
        return None

    def _applied(self, command: Command, payload: bytes) -> Fault:
        """What comes of it when the store takes what was written."""
        try:
            if command.kind == Kind.WRITE:
                self.store.write(command.span.first, payload)
            elif command.kind == Kind.WRITE_ZEROES and command.flags & CommandFlag.NO_HOLE:
                self._fill(command.span)
            elif command.kind in CHANGING:
                self.store.zero(*command.span)
        except OSError as error:
            return fault_of(error)
        return Fault.NONE

    def _fill(self, span: Span) -> None:
        """Zeroes that keep their place: a later write of them finds space."""
        for first in range(span.first, span.end, MOST_PAYLOAD):
            self.store.write(first, bytes(min(MOST_PAYLOAD, span.end - first)))


def fault_of(error: OSError) -> Fault:
    """What a client is told of it."""
    try:
        return Fault(error.errno or Fault.IO)
    except ValueError:
        return Fault.IO
