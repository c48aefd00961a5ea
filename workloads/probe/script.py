"""One experiment of Response Probe: its processes, their threads, and what each of them does in a cycle."""

from dataclasses import dataclass
from enum import Enum

from sim.error import UserError
from sim.request import Op
from workloads.probe.bell import Bell

SECTOR = 512
"""A file that is not buffered is read and written in whole sectors."""
PAGE = 4096
RECORD = 4096
"""A record without RECORDSIZE."""


class Mode(Enum):
    """How a file is reached; WRITE_THROUGH is not Probe's own, it is buffered with writes that wait for the disc."""

    BUFFERED = "BUFFERED"
    UNBUFFERED = "UNBUFFERED"
    MAPPED = "MAPPED"
    WRITE_THROUGH = "WRITETHROUGH"


@dataclass(frozen=True)
class ProbeFile:
    """A file that is there before the experiment begins."""

    name: str
    size: int

    @property
    def pages(self) -> int:
        return -(-self.size // PAGE)


@dataclass(frozen=True)
class FileAction:
    """What a thread does to *file* each time: *operations* on records of *record* bytes, with two system calls each.

    *seek* draws the first record, folded at the end of the file; without it the file is read in sequence, from its
    beginning and round, with that hint to the file system when it was opened. `workloads.probe.walk.Walk` gives the
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
        """Whole ones; a part of one at the end of the file is never reached."""
        return self.file.size // self.record

    @property
    def sequential(self) -> bool:
        return self.seek is None


NOTHING, ONCE = Bell(0.0), Bell(1.0)


@dataclass(frozen=True)
class Thread:
    """A cycle is: think, draw how many *reads*, and so often do all of *actions* and then compute. Seconds, pages.

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
    """*threads* that share a process's pages: *data_pages* of its own, and those of *code*, a file that is mapped."""

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
        """Every file that a thread reaches or a process runs from, once."""
        ordered: dict[ProbeFile, None] = {}
        for process in self.processes:
            reached = [action.file for thread in process.threads for action in thread.actions]
            ordered.update(dict.fromkeys([process.code, *reached] if process.code else reached))
        return tuple(ordered)

    @property
    def measured_from(self) -> float:
        """Seconds; each thread records from its first cycle after half of the trial time."""
        return self.seconds / 2
