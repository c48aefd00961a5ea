"""Describes an experiment of Response Probe, the load generator of Windows NT's Resource Kit, as data.

It has processes, their threads, and the file actions of each thread.
"""

from dataclasses import dataclass
from enum import Enum

from spindle.sim.error import UserError
from spindle.sim.request import Op
from spindle.workloads.probe.bell import Bell

SECTOR = 512
"""Bytes of a sector: a file that is not buffered is read and written in whole sectors."""
PAGE = 4096
"""Bytes of a page of memory."""
RECORD = 4096
"""Bytes of a record without RECORDSIZE."""


class Mode(Enum):
    """Ways to access a file.

    Two are not Probe's own: WRITE_THROUGH is buffered with writes that wait for the disc, ASYNCHRONOUS is buffered with
    reads for which the thread waits only when it asks for the next.
    """

    BUFFERED = "BUFFERED"
    UNBUFFERED = "UNBUFFERED"
    MAPPED = "MAPPED"
    WRITE_THROUGH = "WRITETHROUGH"
    ASYNCHRONOUS = "ASYNCHRONOUS"


@dataclass(frozen=True)
class ProbeFile:
    """A file of *size* bytes, which exists before the experiment begins."""

    name: str
    size: int


@dataclass(frozen=True)
class FileAction:
    """One cycle of a thread on *file*: *operations* on records of *record* bytes, two system calls each.

    *seek* draws the first record, folded at the end of the file; without it the file is read in sequence, from its
    beginning and again after its end, and is opened with a hint of that to the file system. ``ProbeWalk`` returns the
    bytes.
    """

    file: ProbeFile
    operations: tuple[Op, ...] = (Op.READ,)
    record: int = RECORD
    seek: Bell | None = None
    mode: Mode = Mode.BUFFERED

    def __post_init__(self) -> None:
        if not 1 <= self.record <= self.file.size:
            raise UserError(f"a record of {self.file.name} has 1 to {self.file.size} bytes, not {self.record}")
        if self.mode is Mode.UNBUFFERED and self.record % SECTOR:
            raise UserError(f"unbuffered records have whole sectors of {SECTOR} bytes, not {self.record} bytes")
        if not self.operations:
            raise UserError(f"nothing is done to {self.file.name}")
        if self.seek is not None and self.seek.mean > self.records - 1:
            raise UserError(f"the last record of {self.file.name} is {self.records - 1}, not {self.seek.mean:g}")

    @property
    def records(self) -> int:
        """Whole records of the file; a part of one at its end is never reached."""
        return self.file.size // self.record

    @property
    def sequential(self) -> bool:
        return self.seek is None


NOTHING, ONCE = Bell(0.0), Bell(1.0)


@dataclass(frozen=True)
class Thread:
    """A thread, whose cycle is: think; then *reads* times, a number drawn anew, do all *actions* and compute.

    Times are in seconds.

    *data* and *code* draw the page that is touched before each computing; None touches none. *priority* is
    Windows NT's, from 1 to 31, the larger the more urgent.
    """

    actions: tuple[FileAction, ...] = ()
    think: Bell = NOTHING
    reads: Bell = ONCE
    cpu: Bell = NOTHING
    data: Bell | None = None
    code: Bell | None = None
    priority: int = 7


@dataclass(frozen=True)
class Process:
    """*threads* that share a process's pages: *data_pages* private ones, and those of *code*, a mapped file."""

    name: str
    threads: tuple[Thread, ...]
    data_pages: int = 0
    code: ProbeFile | None = None


@dataclass(frozen=True)
class Probe:
    """A whole experiment: *seconds* of trial time, of which the second half is measured.

    A thread's response is the time of a cycle.
    """

    processes: tuple[Process, ...]
    seconds: float = 120.0
    name: str = "probe"

    @property
    def files(self) -> tuple[ProbeFile, ...]:
        """Return every file that a thread reaches or a process runs from, once."""
        ordered: dict[ProbeFile, None] = {}
        for process in self.processes:
            reached = [action.file for thread in process.threads for action in thread.actions]
            ordered.update(dict.fromkeys([process.code, *reached] if process.code else reached))
        return tuple(ordered)

    @property
    def measured_from(self) -> float:
        """Return the seconds after which a thread records cycles, half of the trial time."""
        return self.seconds / 2
