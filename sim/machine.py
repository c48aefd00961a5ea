"""A machine: the parts of one computer, the costs of its system calls, and its processes; nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import simpy

from spindle.sim.account import CPU, Account
from spindle.sim.clock import Wait
from spindle.sim.cpu import Cpu
from spindle.sim.file import OpenFile
from spindle.sim.parts import registered
from spindle.sim.request import READ, WRITE, Access


class Readable(Protocol):
    """A part with counters that only grow."""

    def reading(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class SystemCalls:
    """CPU seconds of a read and a write call before the access is passed to the storage, and their priority.

    None where the storage adds them to its own first burst, which saves an event.
    """

    read: float = 0.0
    write: float = 0.0
    level: int = 1


class Machine:
    """Names the *parts* whose counters matter; ``reading()`` is what all of them have counted until now.

    A machine of storage alone has no *cpu*: then no system call may cost anything.
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
        """The system call that writes them; with *durable* it returns when they are on the medium."""
        accesses = file.accesses(WRITE, first, length, account, durable)
        perform, seconds = file.file.storage.write, self.calls.write
        if seconds or len(accesses) > 1:
            return self._in_turn(seconds, perform, accesses, account)
        return perform(accesses[0])

    def _in_turn(
        self, seconds: float, perform: Callable[[Access], Wait], accesses: Sequence[Access], account: Account
    ) -> Wait:
        """The call's own *seconds*, then the *accesses*; a single one and nothing else is performed as it is."""
        if seconds:
            yield self.cpu.burst(seconds, self.calls.level, CPU, account)
        for access in accesses:
            yield from perform(access)

    def spawn(self, name: str, work: Wait) -> simpy.Process:
        """Set a process to work whose getting stuck is an error. (A daemon is started without being named.)"""
        process = self.env.process(work)
        self.processes.append((name, process))
        return process

    def reading(self) -> dict[str, float]:
        """All counters, as ``part.counter``."""
        return {f"{name}.{key}": value for name, part in self.parts.items() for key, value in part.reading().items()}

    def built(self) -> list[tuple[str, object]]:
        """All parts of the machine, named here or only built on its environment, with a name of each."""
        named: dict[int, tuple[str, object]] = {id(part): (name, part) for name, part in self.parts.items()}
        for part in registered(self.env):
            named.setdefault(id(part), (str(getattr(part, "name", type(part).__name__)), part))
        return list(named.values())
