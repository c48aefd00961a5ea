"""The system calls of a program, one after the other, as strace lists them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import simpy

from spindle.sim.measure.result import Result

LISTED = 20
"""Calls that are listed; a program may make ten million."""


class SystemCall(NamedTuple):
    """*name* at *offset* of the file for *size* bytes, none for lseek; it *began* and took so many *seconds*."""

    name: str
    offset: int
    size: int
    began: float
    seconds: float

    @property
    def result(self) -> int:
        """Bytes moved, or where lseek went."""
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
        """A call begins, at *first* or where the one before ended; *owed* is CPU time that the clock has not seen."""
        self.end(owed)
        if len(self.calls) < self._most:
            offset = self._position if first is None else first
            self._position = offset + size
            self.calls.append(SystemCall(name, offset, size, self._env.now + owed, -1.0))

    def end(self, owed: float) -> None:
        """What began last, if it has not ended before, is over."""
        if self.calls and self.calls[-1].seconds < 0.0:
            last = self.calls[-1]
            self.calls[-1] = last._replace(seconds=self._env.now + owed - last.began)


@dataclass(frozen=True, repr=False)
class StracedResult(Result):
    """A run with its first system *calls*."""

    calls: Sequence[SystemCall] = ()


def listing(calls: Sequence[SystemCall], extras: Mapping[str, float]) -> Iterator[str]:
    """The *calls*, a line each for 80 columns, and how many there were."""
    yield f"{'at, s':>14}  {'system call':<31}   {'result':<9} {'took, s':>12}"
    yield from map(str, calls)
    more = extras["system_calls"] + extras["seeks"] - len(calls)
    if more:
        yield f"{'':>14}  and {more:,.0f} more"
