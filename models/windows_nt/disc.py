"""Simulates the laptop's disc, whose bytes the CPU moves (programmed I/O), and its volume of files."""

from dataclasses import replace

import simpy

from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import INTERRUPT, Cpu
from spindle.sim.disc.buffer_sheet import HostLink
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.disc.flash.drive import DriveType, mechanism_in
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import ArmPosition, Mechanism
from spindle.sim.error import UserError
from spindle.sim.parts import credit
from spindle.sim.request import READ, Access, AccessTiming, Op, Request, Span, StartedDevice
from spindle.sim.units import KIB

# The disc's one volume: where its files lie, and the file system's own data.

METADATA_BYTES = 256 * KIB
VOLUME_PARTS = 4
"""Parts of the disc, of which the system's files take at most one, and the page file another."""


class NtVolume:
    """A volume with files in a row, each in one piece, as on a freshly formatted disc.

    Before the users' files lie the *system*'s and the *page_file*, both sizes in bytes.
    """

    def __init__(self, capacity: int, system: int, page_file: int) -> None:
        self._capacity = capacity
        self._next = 0
        self.sections: dict[str, FileSection] = {}
        self._privates: list[FileSection] = []
        self.metadata = self.create("file allocation table", METADATA_BYTES)
        quarter = capacity // VOLUME_PARTS // PAGE * PAGE
        self._next += min(system // PAGE * PAGE, quarter)
        self._page_file = self._next
        self._page_file_end = self._next = self._next + min(page_file // PAGE * PAGE, quarter)

    def create(self, name: str, size: int, empty: bool = False) -> FileSection:
        """Create the file *name* of *size* bytes if none has that name; an *empty* one is not yet written to."""
        if name not in self.sections:
            length = -(-size // PAGE) * PAGE
            if self._next + length > self._capacity:
                raise UserError(f"file {name} of {size} bytes does not fit on a disc of {self._capacity} bytes")
            self.sections[name] = FileSection(name, Span(self._next, length), size, 0 if empty else size)
            self._next += length
        return self.sections[name]

    def private(self, name: str, pages: int) -> FileSection:
        """Create a process's private memory, with its room in the page file."""
        length = pages * PAGE
        if self._page_file + length > self._page_file_end:
            raise UserError(f"{name}: {pages} pages are more than the page file has left")
        section = FileSection(name, Span(self._page_file, length), private=True)
        self._page_file += length
        self._privates.append(section)
        return section

    def all_sections(self) -> list[FileSection]:
        """Return every section that may have pages in memory."""
        return [*self.sections.values(), *self._privates]


class ProgrammedIo:
    """A disc mechanism for programmed I/O: the CPU moves each byte in *byte* seconds at interrupt level."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, below: Mechanism, byte: float) -> None:
        self._env = env
        self._cpu = cpu
        self._below = below
        self._byte = byte
        self.account = Account("programmed I/O")
        self.capacity, self.sector_bytes = below.capacity, below.sector_bytes
        self.locate, self.travel, self.lower_bound = below.locate, below.travel, below.lower_bound
        self.positioning, self.settled_at, self.reading = below.positioning, below.settled_at, below.reading

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        """Move the bytes of a read last, those of a write first; return the phases and the arm."""
        service, left = self._below.serve(arm, now, op, span, queue)
        seconds = span.length * self._byte
        if seconds:
            idle = max(0.0, service.total - seconds) if op is READ else service.overhead
            pause(self._env, idle).callbacks.append(lambda _: self._move(seconds))
        return service, left

    def _move(self, seconds: float) -> None:
        self._cpu.burst(seconds, INTERRUPT, Phase.INTERRUPT, self.account)


def limit_link(disc: DriveType, byte: float) -> DriveType:
    """Return *disc* with a link that is no faster than the CPU, which moves a byte in *byte* seconds."""
    if isinstance(disc, FlashType):
        return replace(disc, front=disc.front.limit_rate(1.0 / byte)) if byte else disc
    if disc.buffer is None:
        return disc
    link, sector = disc.buffer.link, byte * disc.layout.sector_bytes
    slowed = HostLink(max(link.reading, sector), max(link.writing, sector))
    return replace(disc, buffer=replace(disc.buffer, link=slowed))


class LogicalDisc(StartedDevice):
    """The laptop's disc as Performance Monitor measures it: times include the wait in the driver's queue."""

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, disc: DriveType, scheduler: Scheduler, byte: float
    ) -> None:
        self._env = env
        self.name = "disc"
        mechanism = ProgrammedIo(env, cpu, mechanism_in(limit_link(disc, byte)), byte)
        self.drive = Drive(env, mechanism, scheduler, self.name)
        credit(env, disc)
        self.read_seconds = self.write_seconds = 0.0

    def start(self, access: Access) -> Request:
        """Begin *access* and do not wait for it."""
        request = self.drive.start(access)
        request.callbacks.append(self._add_time)
        return request

    def _add_time(self, request: Request) -> None:
        seconds = self._env.now - request.submitted
        if request.access.op is READ:
            self.read_seconds += seconds
        else:
            self.write_seconds += seconds

    def flush(self, span: Span) -> Wait:
        """Return when everything written to *span* is on the medium."""
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        """Do nothing: a disc has no data to discard."""

    def reading(self) -> dict[str, float]:
        """Return the seconds of reads and of writes above the driver; with a queue they may exceed the time passed."""
        reading = self.drive.reading()
        return {
            "read_seconds": self.read_seconds, "write_seconds": self.write_seconds,
            "queue_length": reading["issued"] - reading["completed"],
        }
