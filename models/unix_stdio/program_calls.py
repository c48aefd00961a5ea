"""Counts the calls of a program, sums up their CPU time, and lists them as strace prints system calls.

The time is gathered, and spent in one burst before it can have an effect.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import simpy

from spindle.models.unix_stdio.parameters import UnixParameters
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import Cpu
from spindle.sim.measure.result import Result

# The system calls of a program, one after the other, as strace lists them.

LISTED_CALLS = 20
"""Most calls that are listed; a program may make ten million."""


class SystemCall(NamedTuple):
    """A system call *name* at *offset* for *size* bytes, none for lseek; it *began* and took *seconds*."""

    name: str
    offset: int
    size: int
    began: float
    seconds: float

    @property
    def result(self) -> int:
        """Return the bytes moved, or the offset that lseek set."""
        return self.size or self.offset

    def __str__(self) -> str:
        call = f"{self.name} at {self.offset}" + (f" for {self.size}" if self.size else "")
        return f"{self.began:>14.9f}  {call:<31} = {self.result:<9} {self.seconds:>12.9f}"


class SystemCallList:
    """The first *most* calls of a program. The calls of a list that is *open* have to be made one by one."""

    def __init__(self, env: simpy.Environment, most: int) -> None:
        self.calls: list[SystemCall] = []
        self._env = env
        self._most = most
        self._position = 0

    @property
    def open(self) -> bool:
        return len(self.calls) < self._most or (bool(self.calls) and self.calls[-1].seconds < 0.0)

    def begin(self, name: str, size: int, owed: float, first: int | None = None) -> None:
        """Note the begin of a call, at *first* or where the one before ended; *owed* is CPU time still to be spent."""
        self.end(owed)
        if len(self.calls) < self._most:
            offset = self._position if first is None else first
            self._position = offset + size
            self.calls.append(SystemCall(name, offset, size, self._env.now + owed, -1.0))

    def end(self, owed: float) -> None:
        """Note the end of the last call, if it has not ended before."""
        if self.calls and self.calls[-1].seconds < 0.0:
            last = self.calls[-1]
            self.calls[-1] = last._replace(seconds=self._env.now + owed - last.began)


@dataclass(frozen=True, repr=False)
class StracedResult(Result):
    """A run with its first system *calls*."""

    calls: Sequence[SystemCall] = ()


def listing(calls: Sequence[SystemCall], extras: Mapping[str, float]) -> Iterator[str]:
    """Yield a line of 80 columns for each of *calls*, and how many there were."""
    yield f"{'at, s':>14}  {'system call':<31}   {'result':<9} {'took, s':>12}"
    yield from map(str, calls)
    more = extras["system_calls"] + extras["seeks"] - len(calls)
    if more:
        yield f"{'':>14}  and {more:,.0f} more"


PROGRAM_LEVEL = 1


class ProgramWork:
    """Counts the calls of a program, and charges its *account* the library's and the kernel's own time for them.

    The first system calls are *listed*.
    """

    def __init__(self, cpu: Cpu, parameters: UnixParameters, listed: SystemCallList) -> None:
        self.account = Account("program")
        self.parameters = parameters
        self.listed = listed
        self.library_calls = self.reads = self.writes = self.seeks = 0
        self.bytes_read = self.bytes_written = 0
        self.library = self.calls = self.copying = self.pages = 0.0
        self._cpu = cpu
        self._call = self._cache = 0.0

    @property
    def owed_seconds(self) -> float:
        return self._call + self._cache

    def pay(self) -> Wait:
        """Spend the CPU time that is owed, so that the clock has the time of the program."""
        if self.owed_seconds:
            call, cache = self._call, self._cache
            self._call = self._cache = 0.0
            yield self._cpu.burst(call + cache, PROGRAM_LEVEL, Phase.CACHE, self.account, call)

    def called_library(self, calls: int = 1) -> None:
        self.listed.end(self.owed_seconds)
        self.library_calls += calls
        self.library += self._calling(calls * self.parameters.library_call)

    def called_seek(self, calls: int = 1, first: int = 0) -> None:
        """Count *calls* calls of lseek, of which one goes to byte *first*."""
        self.listed.begin("lseek", 0, self.owed_seconds, first)
        self.seeks += calls
        self.calls += self._calling(calls * self.parameters.seek_call)

    def called_read(self, length: int, calls: int = 1) -> None:
        """Count *calls* reads of *length* bytes each."""
        self.listed.begin("read", length, self.owed_seconds)
        self.reads += calls
        self.bytes_read += calls * length
        self.calls += self._calling(calls * self.parameters.read_call)

    def called_write(self, length: int, calls: int = 1) -> None:
        self.listed.begin("write", length, self.owed_seconds)
        self.writes += calls
        self.bytes_written += calls * length
        self.calls += self._calling(calls * self.parameters.write_call)

    def note_copy(self, length: int) -> None:
        """Note the copying of *length* bytes between the program and the page cache."""
        self.copying += self._caching(length * self.parameters.copy)

    def note_allocation(self, pages: int, folios: int) -> None:
        self.pages += self._caching(pages * self.parameters.new_page + folios * self.parameters.new_folio)

    def kernel(self, seconds: float) -> None:
        """Add *seconds* of other work of the kernel for this program."""
        self.pages += self._caching(seconds)

    def _calling(self, seconds: float) -> float:
        self._call += seconds
        return seconds

    def _caching(self, seconds: float) -> float:
        self._cache += seconds
        return seconds

    def reading(self) -> dict[str, float]:
        names = ("library_calls", "reads", "writes", "seeks", "bytes_read", "bytes_written",
                 "library", "calls", "copying", "pages")  # fmt: skip
        return {name: float(getattr(self, name)) for name in names}
