"""File maps bytes of a file to extents of a device; Machine has parts, their counters, system calls and processes."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum
from typing import Protocol

import simpy

from spindle.sim.clock import CPU, Account, Wait
from spindle.sim.cpu import Cpu
from spindle.sim.error import UserError
from spindle.sim.parts import parts_on
from spindle.sim.request import READ, WRITE, Access, BlockDevice, Hint, Op, Span, capacity_of

# Files: a list of extents on a storage; an open file adds a position and a hint about the order of reads.

class File:
    """A file: *extents* of a *storage*, which a reader sees one after the other.

    >>> mine = Computer()
    >>> file = mine.file(mine.drive(HP7933), 10 * MIB)
    >>> file.size // MIB
    10
    """

    def __init__(self, name: str, storage: BlockDevice, extents: Sequence[Span]) -> None:
        if not extents or any(extent.first < 0 or extent.length <= 0 for extent in extents):
            raise ValueError(f"file {name}: every extent must have a place and a length, not {list(extents)!r}")
        room = capacity_of(storage)
        for first, length in extents:
            if first + length > room:
                raise UserError(f"file {name}: {length} bytes at {first} are not on a disc of {room} bytes")
        self.name = name
        self.storage = storage
        self.extents = tuple(extents)
        ends = [*accumulate(extent.length for extent in extents)]
        self.size = ends[-1]
        self._starts = [0, *ends[:-1]]
        # Each extent with the shift from the file's addresses to the device's, and its end in the file.
        shifts = [extent.first - start for extent, start in zip(extents, self._starts, strict=True)]
        self._pieces = list(zip(self.extents, shifts, ends, strict=True))


class OpenFile:
    """An open file; reads continue from *position* unless they name a place.

    >>> mine = Computer()
    >>> OpenFile(mine.file(mine.drive(HP7933), MIB), Hint.SEQUENTIAL).position
    0
    """

    def __init__(self, file: File, hint: Hint = Hint.NONE) -> None:
        self.file = file
        self.hint = hint
        self.position = 0

    def accesses(
        self, op: Op, first: int, length: int, account: Account, durable: bool = False
    ) -> list[Access]:
        """The accesses that *length* bytes of the file from *first* on take, one an extent; moves the position."""
        file = self.file
        end = first + length
        if first < 0 or length <= 0 or end > file.size:
            raise ValueError(f"{file.name}: bytes {first} to {end} are not within its {file.size} bytes")
        self.position = end
        accesses = []
        index = bisect_right(file._starts, first) - 1
        while first < end:
            extent, shift, until = file._pieces[index]
            if until > end:
                until = end
            # Span(...) and Access(...) would do the same in twice the time.
            span = tuple.__new__(Span, (first + shift, until - first))
            access = tuple.__new__(Access, (op, span, extent, self, self.hint, durable, account))
            accesses.append(access)
            first = until
            index += 1
        return accesses


# The machine.

class Readable(Protocol):
    """A part with counters that only grow."""

    def reading(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class SystemCalls:
    """The CPU seconds of a read and a write call before the access is passed to the storage, and their level.

    They are 0 where the storage adds them to its own first burst, which saves an event.

    >>> SystemCalls(read=2 * MS, write=3 * MS).write
    0.003
    """

    read: float = 0.0
    write: float = 0.0
    level: int = 1


class Machine:
    """A machine of named *parts*; ``reading()`` returns all their counters until now.

    A machine of storage alone has no *cpu*: then no system call may cost anything.

    >>> Computer().machine.reading()["cpu.busy"]
    0.0
    """

    def __init__(
        self, env: simpy.Environment, parts: Mapping[str, Readable], cpu: Cpu | None = None,
        calls: SystemCalls | None = None,
    ) -> None:  # fmt: skip
        self.env = env
        self._cpu = cpu
        self.calls = calls or SystemCalls()
        if cpu is None and (self.calls.read or self.calls.write):
            raise ValueError("system calls that cost CPU time need a CPU: Machine(env, parts, cpu, calls)")
        self.parts: dict[str, Readable] = {**({} if cpu is None else {"cpu": cpu}), **parts}
        self.processes: list[tuple[str, simpy.Process]] = []

    @property
    def cpu(self) -> Cpu:
        if self._cpu is None:
            raise ValueError("a machine of storage alone has no CPU: Machine(env, parts, cpu) has one")
        return self._cpu

    def read(self, file: OpenFile, first: int, length: int, account: Account) -> Wait:
        """The system call that reads *length* bytes of *file* from byte *first* on."""
        accesses = file.accesses(READ, first, length, account)
        perform, seconds = file.file.storage.read, self.calls.read
        if seconds or len(accesses) > 1:
            return self._in_turn(seconds, perform, accesses, account)
        return perform(accesses[0])

    def write(self, file: OpenFile, first: int, length: int, account: Account, durable: bool = False) -> Wait:
        """The system call that writes *length* bytes from *first* on; if *durable*, it waits for the medium."""
        accesses = file.accesses(WRITE, first, length, account, durable)
        perform, seconds = file.file.storage.write, self.calls.write
        if seconds or len(accesses) > 1:
            return self._in_turn(seconds, perform, accesses, account)
        return perform(accesses[0])

    def _in_turn(
        self, seconds: float, perform: Callable[[Access], Wait], accesses: Sequence[Access], account: Account
    ) -> Wait:
        """Spend the *seconds* of the call, then perform the *accesses* one after the other."""
        if seconds:
            yield self.cpu.burst(seconds, self.calls.level, CPU, account)
        for access in accesses:
            yield from perform(access)

    def spawn(self, name: str, work: Wait) -> simpy.Process:
        """Start the process *name*; the run fails if it gets stuck. (A daemon is started without a name.)"""
        process = self.env.process(work)
        self.processes.append((name, process))
        return process

    def reading(self) -> dict[str, float]:
        """All counters, as ``part.counter``."""
        return {f"{name}.{key}": value for name, part in self.parts.items() for key, value in part.reading().items()}

    def total(self, counters: Mapping[str, float], part: str, counter: str) -> float:
        """The sum of *counter* in *counters*, such as a run's, over the parts whose names begin with *part*."""
        return fsum(counters[f"{name}.{counter}"] for name in self.parts if name.startswith(part))

    def all_parts(self) -> list[tuple[str, object]]:
        """List all parts of the machine with their names, also those that were only built on its environment."""
        named: dict[int, tuple[str, object]] = {id(part): (name, part) for name, part in self.parts.items()}
        for part in parts_on(self.env):
            named.setdefault(id(part), (str(getattr(part, "name", type(part).__name__)), part))
        return list(named.values())
