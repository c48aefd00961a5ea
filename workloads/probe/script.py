"""An experiment of Response Probe, the load generator of Windows NT's Resource Kit: processes, threads, and file
actions with bell-shaped numbers; variations of an experiment; and the file offsets that a thread's actions touch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import inf, isfinite
from random import Random
from typing import NamedTuple

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op

# Response Probe's bell-shaped variate: fourteen uniforms, folded back where they leave its range.

UNIFORMS = 14
"""Their sum has a deviation of sqrt(14/12), so that a variate's deviation is 1.0801 times the nominal one."""


@dataclass(frozen=True)
class Bell:
    """A variate about *mean* with the nominal *deviation*, in any unit, folded back into 0 to *most*."""

    mean: float
    deviation: float = 0.0
    most: float = inf

    def __post_init__(self) -> None:
        if not (isfinite(self.mean) and 0.0 <= self.mean <= self.most):
            raise UserError(f"a mean lies from 0 to {self.most:g}, not at {self.mean!r}")
        if not (isfinite(self.deviation) and self.deviation >= 0.0):
            raise UserError(f"a deviation is finite and not negative, not {self.deviation!r}")

    def draw(self, random: Random) -> float:
        """Draw a variate; without a deviation nothing is drawn."""
        if not self.deviation:
            return self.mean
        return self.fold(self.mean + (_uniforms(random.random) - UNIFORMS / 2) * self.deviation)

    def pick(self, random: Random) -> int:
        """Draw a variate as the nearest whole number, of records, pages or reads."""
        return int((self.draw(random) if self.deviation else self.mean) + 0.5)

    def fold(self, value: float) -> float:
        """Mirror *value* at 0 and at *most*, as often as it takes."""
        if self.most == inf:
            return abs(value)
        if not self.most:
            return 0.0
        rest = abs(value) % (2 * self.most)
        return min(rest, 2 * self.most - rest)


def _uniforms(one: Callable[[], float]) -> float:
    """Add up UNIFORMS calls of *one*, each written out, for most of a trial's time is spent here."""
    half = one() + one() + one() + one() + one() + one() + one()
    return half + one() + one() + one() + one() + one() + one() + one()


SECTOR = 512
"""A file that is not buffered is read and written in whole sectors."""
PAGE = 4096
RECORD = 4096
"""Bytes of a record without RECORDSIZE."""


class Mode(Enum):
    """Access to a file. Two are not Probe's own: WRITE_THROUGH is buffered with writes that wait for the disc,
    ASYNCHRONOUS buffered with reads that the thread waits for only when it asks for the next."""

    BUFFERED = "BUFFERED"
    UNBUFFERED = "UNBUFFERED"
    MAPPED = "MAPPED"
    WRITE_THROUGH = "WRITETHROUGH"
    ASYNCHRONOUS = "ASYNCHRONOUS"


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
    """The actions of a thread on *file* each time: *operations* on records of *record* bytes, two system calls each.

    *seek* draws the first record, folded at the end of the file; without it the file is read in sequence, from its
    beginning and round, with that hint to the file system when it was opened. ``ProbeWalk`` gives the bytes.
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


# Experiments of Response Probe that differ from another in one thing only.

SIXTHS = 6
"""Deviations of a spread: three each way of the middle, as everywhere in the book."""


def in_mode(probe: Probe, mode: Mode) -> Probe:
    """Return *probe* with every file reached in *mode*."""
    return _change_each(probe, lambda action: replace(action, mode=mode))


def spread_over(probe: Probe, size: int) -> Probe:
    """Return *probe* with its random records spread over *size* bytes in the middle of each file."""

    def spread(action: FileAction) -> FileAction:
        if action.seek is None:
            return action
        last = action.records - 1
        return replace(action, seek=Bell(action.records / 2, size / action.record / SIXTHS, last))

    return _change_each(probe, spread)


def in_records(probe: Probe, size: int) -> Probe:
    """Return *probe* with records of *size* bytes, always the first one of the file."""
    return _change_each(probe, lambda action: replace(action, record=size, seek=Bell(0.0, 0.0, 0.0)))


def resize_records(probe: Probe, size: int) -> Probe:
    """Return *probe* with records of *size* bytes; random ones keep their distance from the middle of the file."""

    def resize(action: FileAction) -> FileAction:
        seek, scale = action.seek, action.record / size
        bell = seek and Bell(seek.mean * scale, seek.deviation * scale, action.file.size // size - 1)
        return replace(action, record=size, seek=bell)

    return _change_each(probe, resize)


def in_sequence(probe: Probe, size: int | None = None) -> Probe:
    """Return *probe* with every file gone through in sequence, and *size* bytes long if given."""

    def sequence(action: FileAction) -> FileAction:
        file = action.file if size is None else replace(action.file, size=size)
        return replace(action, file=file, seek=None)

    return _change_each(probe, sequence)


def computing(probe: Probe, seconds: float) -> Probe:
    """Return *probe* with *seconds* of computing after each file action."""
    processes = (replace(process, threads=tuple(replace(thread, cpu=Bell(seconds)) for thread in process.threads))
                 for process in probe.processes)
    return replace(probe, processes=tuple(processes))


def widen_spread(probe: Probe, factor: float) -> Probe:
    """Return *probe* with its random records *factor* times as far from the middle of each file."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=factor * seek.deviation))

    return _change_each(probe, widen)


def anywhere(probe: Probe) -> Probe:
    """Return *probe* with deviations as large as their means: folded, its records lie nearly anywhere."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=seek.mean))

    return _change_each(probe, widen)


def _change_each(probe: Probe, change: Callable[[FileAction], FileAction]) -> Probe:
    processes = tuple(
        replace(process, threads=tuple(
            replace(thread, actions=tuple(map(change, thread.actions))) for thread in process.threads
        ))
        for process in probe.processes
    )
    return replace(probe, processes=processes)


# The bytes of its file that a thread of Response Probe reads and writes, one file action after the other.

class Reference(NamedTuple):
    """One read or write, in bytes of the file."""

    operation: Op
    first: int
    size: int


class ProbeWalk:
    """The way of one thread through the file of *action*; in sequence it goes on where it was and wraps at the end."""

    def __init__(self, action: FileAction, random: Random) -> None:
        last = action.records - 1
        self._records, self._size = action.records, action.record
        self._seek = None if action.seek is None else replace(action.seek, most=min(last, action.seek.most))
        self._random = random
        self._next = 0
        self._steps = tuple(steps(action.operations))
        self._advance = self._steps[-1][1] + 1

    def references(self) -> list[Reference]:
        """Return the references of one file action."""
        records, size = self._records, self._size
        if self._seek is None:
            base = self._next
            self._next = (base + self._advance) % records
        else:
            base = self._seek.pick(self._random)
        return [Reference(operation, (base + ahead) % records * size, size) for operation, ahead in self._steps]


def steps(operations: tuple[Op, ...]) -> Iterator[tuple[Op, int]]:
    """Yield each operation with its record, counted from the first one's: RRWRR is 0, 1, 1, 2, 3.

    A write that follows a read rewrites its record; every other operation takes the next one.
    """
    record, before = -1, None
    for operation in operations:
        if not (operation is WRITE and before is READ):
            record += 1
        yield operation, record
        before = operation
