"""Models the discs of an HP3000 without caching: the driver of its operating system MPE, and the places of files.

It also divides idle time of the CPU by cause, and assigns virtual memory.
"""

from bisect import bisect_right
from collections.abc import Sequence

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.sim.clock import Phase, Wait
from spindle.sim.cpu import Cpu, IdleTime, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.error import UserError
from spindle.sim.machine import File
from spindle.sim.request import Access, BlockDevice, Request, Span

# MPE's dispatcher: the causes for which processes are stopped whenever none is ready.

class IdleCauses:
    """Divides the time in which the *cpu* idles: paused for user disc I/O, paused for swap I/O, idle.

    User I/O counts before swap I/O; posts and swap-outs in the background do not count.
    """

    def __init__(self, env: simpy.Environment, cpu: Cpu) -> None:
        self._idle = IdleTime(env, cpu, (0, 0, 1))
        self.disc, self.cache, self.swap = self._idle.causes

    def reading(self) -> dict[str, float]:
        """Return idle seconds by cause, and *disc_stops*: stops for uncached discs, each a dispatch besides the I/O."""
        disc, swap, idle = self._idle.seconds()
        return {"paused_disc": disc, "paused_swap": swap, "idle": idle, "disc_stops": float(self.disc.ever)}


# A disc without caching: the CPU starts a physical I/O, the process waits for it.

class PlainDisc:
    """An uncached disc, as a BlockDevice: each I/O to *drive* costs the driver's *initiate* CPU seconds.

    Processes that wait for it are counted in *stopped*.

    The system calls before it, of *read_call* and *write_call* seconds, are part of the same burst.
    """

    def __init__(
        self, drive: Drive, cpu: Cpu, initiate: float, level: int, stopped: Stopped | None = None,
        read_call: float = 0.0, write_call: float = 0.0,
    ) -> None:  # fmt: skip
        self.drive = drive
        self._cpu = cpu
        self._read = read_call + initiate
        self._write = write_call + initiate
        self._level = level
        self._stopped = stopped or Stopped()

    def read(self, access: Access) -> Wait:
        yield self._cpu.burst(self._read, self._level, Phase.CPU, access.account)
        self._stopped.enter()
        yield from self.drive.read(access)
        self._stopped.leave()

    def write(self, access: Access) -> Wait:
        yield self._cpu.burst(self._write, self._level, Phase.CPU, access.account)
        self._stopped.enter()
        yield from self.drive.write(access)
        self._stopped.leave()

    def start(self, access: Access) -> Request:
        return self.drive.start(access)

    def flush(self, span: Span) -> Wait:
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        self.drive.discard(span)


class Room:
    """The free and taken bytes of a disc of *size* bytes, of which the first *reserved* are taken at first."""

    def __init__(self, size: int, reserved: int) -> None:
        self._size = size
        self._starts = [0]
        self._ends = [reserved]

    def take(self, wanted: int, length: int) -> int | None:
        """Take the first place of *length* bytes from *wanted* on, or failing that from the beginning of the disc."""
        index = bisect_right(self._starts, wanted)
        last = len(self._starts)
        for least, runs in ((wanted, range(index, last + 1)), (0, range(1, index + 1))):
            for behind in runs:
                first = max(self._ends[behind - 1], least)
                if first + length <= (self._starts[behind] if behind < last else self._size):
                    self._enter(behind, first, first + length)
                    return first
        return None

    def _enter(self, index: int, first: int, end: int) -> None:
        """Enter bytes *first* to *end* before run *index*; they become one with either neighbour that they touch."""
        starts, ends = self._starts, self._ends
        touches_next = index < len(starts) and starts[index] == end
        if ends[index - 1] == first:
            ends[index - 1] = ends.pop(index) if touches_next else end
            del starts[index : index + touches_next]
        elif touches_next:
            starts[index] = first
        else:
            starts.insert(index, first)
            ends.insert(index, end)


DEFAULT_EXTENTS = 8
"""MPE's default number of extents of a file."""

GOLDEN_SHARE = 0.6180339887498949
"""The golden ratio less 1. Steps of this share of a disc cover it evenly, whatever their number."""


class Volumes:
    """Assigns places on discs, *storages* of *sizes* bytes, to files and to virtual memory.

    The first *reserved* bytes of each disc belong to the system.

    The reserved bytes of the first disc are virtual memory; when they are used up, it goes into other free room there.
    """

    def __init__(self, storages: Sequence[BlockDevice], sizes: Sequence[int], reserved: int) -> None:
        self._storages = list(storages)
        self._sizes = list(sizes)
        self._room = [Room(size, reserved) for size in sizes]
        self._reserved = reserved
        self._files = 0
        self._virtual = 0

    def virtual(self, name: str, size: int) -> Span:
        """Take a place in virtual memory for segment *name*."""
        length = -(-size // SECTOR) * SECTOR
        first: int | None = self._virtual
        if self._virtual + length <= self._reserved:
            self._virtual += length
        else:
            first = self._room[0].take(self._reserved, length)
        if first is None:
            raise UserError(f"virtual memory: no room for {name} on disc 1; ask for fewer terminals or larger discs")
        return Span(first, length)

    def place(self, name: str, size: int) -> tuple[int, int]:
        """Take *size* bytes on the disc whose turn it is; return the disc's index and the first byte."""
        turn, disc = divmod(self._files, len(self._storages))
        self._files += 1
        wanted = self._reserved + int((turn + 1) * GOLDEN_SHARE % 1.0 * (self._sizes[disc] - self._reserved))
        first = self._room[disc].take(wanted // SECTOR * SECTOR, -(-size // SECTOR) * SECTOR)
        if first is None:
            have = self._sizes[disc]
            raise UserError(f"discs: no room for file {name} on disc {disc + 1} of {have} bytes; use more discs")
        return disc, first

    def build(self, name: str, size: int, extents: int = DEFAULT_EXTENTS) -> File:
        """Build a file of at least *size* bytes in *extents* pieces that lie together."""
        length = -(-size // extents // SECTOR) * SECTOR
        disc, first = self.place(name, length * extents)
        return File(name, self._storages[disc], [Span(first + number * length, length) for number in range(extents)])
