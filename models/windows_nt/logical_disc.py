"""The disc with its driver: programmed I/O that costs the CPU, and the counters of the LogicalDisk object."""

from dataclasses import replace

import simpy

from sim.account import Account, Phase
from sim.clock import Wait, pause
from sim.cpu import INTERRUPT, Cpu
from sim.disc.buffer.sheet import HostLink
from sim.disc.drive import Drive
from sim.disc.flash.drive import DriveType, mechanism_in
from sim.disc.flash.sheet import FlashType
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.disc.scheduling import Scheduler
from sim.request import READ, Access, Op, Request, Service, Span, wait_for


class ProgrammedIo:
    """A mechanism whose bytes the CPU moves, *byte* seconds each, at interrupt level while the disc transfers them."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, below: Mechanism, byte: float) -> None:
        self._env = env
        self._cpu = cpu
        self._below = below
        self._byte = byte
        self.account = Account("programmed I/O")
        self.capacity, self.sector_bytes = below.capacity, below.sector_bytes
        self.locate, self.travel, self.least = below.locate, below.travel, below.least
        self.positioning, self.settled, self.reading = below.positioning, below.settled, below.reading

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        """What is read is moved last, what is written first."""
        service, left = self._below.serve(arm, now, op, span, queue)
        seconds = span.length * self._byte
        if seconds:
            idle = max(0.0, service.total - seconds) if op is READ else service.overhead
            pause(self._env, idle).callbacks.append(lambda _: self._move(seconds))
        return service, left

    def _move(self, seconds: float) -> None:
        self._cpu.burst(seconds, INTERRUPT, Phase.INTERRUPT, self.account)


def moved_by_cpu(disc: DriveType, byte: float) -> DriveType:
    """*disc* on a link that is no faster than the CPU that moves the bytes."""
    if isinstance(disc, FlashType):
        return replace(disc, front=disc.front.no_faster(1.0 / byte)) if byte else disc
    if disc.buffer is None:
        return disc
    link, sector = disc.buffer.link, byte * disc.layout.sector_bytes
    slowed = HostLink(max(link.reading, sector), max(link.writing, sector))
    return replace(disc, buffer=replace(disc.buffer, link=slowed))


class LogicalDisc:
    """The one disc of the laptop, asked for one thing at a time. Times are taken above the driver, queueing and all."""

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, disc: DriveType, scheduler: Scheduler, byte: float
    ) -> None:
        self._env = env
        mechanism = ProgrammedIo(env, cpu, mechanism_in(moved_by_cpu(disc, byte)), byte)
        self.programmed = mechanism.account
        self.drive = Drive(env, mechanism, scheduler, name="disc")
        self.read_seconds = self.write_seconds = 0.0

    def start(self, access: Access) -> Request:
        """Begin *access* and do not wait for it."""
        request = self.drive.start(access)
        request.callbacks.append(self._timed)
        return request

    def _timed(self, request: Request) -> None:
        seconds = self._env.now - request.submitted
        if request.access.op is READ:
            self.read_seconds += seconds
        else:
            self.write_seconds += seconds

    def read(self, access: Access) -> Wait:
        yield from wait_for(self.start(access), access.account)

    def write(self, access: Access) -> Wait:
        yield from wait_for(self.start(access), access.account)

    def flush(self, span: Span) -> Wait:
        """What was written to *span* is on the medium when this returns."""
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        """Nothing: a disc remembers nothing that it could forget."""

    def reading(self) -> dict[str, float]:
        """Seconds that reads and writes took, above the driver; a queue makes them more than time itself."""
        reading = self.drive.reading()
        return {
            "read_seconds": self.read_seconds, "write_seconds": self.write_seconds,
            "queue_length": reading["issued"] - reading["completed"],
        }
