"""Computes the bytes of its file that a thread of Response Probe reads and writes, cycle by cycle."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.probe.script import FileAction


class Reference(NamedTuple):
    """One read or write of *size* bytes of the file, from byte *first* on."""

    operation: Op
    first: int
    size: int


class ProbeWalk:
    """The references of one thread to the file of *action*; in sequence it continues, and wraps at the end."""

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
            self._next = base + self._advance
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
