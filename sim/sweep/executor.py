"""Executors of a sweep's chunks: this process, a pool of processes on this machine, or a cluster (``cluster.py``)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import loky

from sim.error import UserError
from sim.sweep.pool import Hand, hire, is_worker, let_go

K = TypeVar("K")
T = TypeVar("T")

FEW = 4
"""Fewer points than this are done before a pool is up."""


@dataclass(frozen=True)
class Lost:
    """A task that was begun and never ended, because its worker did; it has ended so many *workers*."""

    workers: int


class Executor(Protocol):
    """Applies a function to every task; takes the next task when a worker is free, after all results were taken."""

    @property
    def workers(self) -> int:
        """How many tasks are done at once."""

    def each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        """(task, what *do* gave), in the order in which they end. What *do* raises ends everything."""


@dataclass(frozen=True)
class Inline:
    """One after the other, here: nothing is pickled, and a debugger sees everything."""

    workers: int = 1

    def each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        for task in tasks:
            yield task, do(task)


@dataclass(frozen=True)
class Pool:
    """As many processes as *workers*. They stay for the next sweep and end with this process, however it ends."""

    workers: int

    def each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        waiting = iter(tasks)
        idle, busy = hire(self.workers), list[Hand[K, T]]()
        try:
            while True:
                while idle and (task := next(waiting, None)) is not None:
                    busy.append(idle.pop().take(do, task))
                if not busy:
                    return
                for hand in Hand.ended(busy):
                    busy.remove(hand)
                    idle.append(hand.worker)
                    yield hand.task, Lost(1) if hand.is_lost() else hand.result()
        finally:
            let_go(idle, busy)


Workers = int | Executor | None
"""A number of processes, an executor, or None for one process on each core."""


def executor(workers: Workers, points: int) -> Executor:
    """The executor of so many *points* with *workers*."""
    if workers is not None and not isinstance(workers, int):
        return workers
    if workers is not None and workers < 1:
        raise UserError(f"workers must be at least 1, not {workers}")
    count = min(workers or loky.cpu_count(), points)
    return Inline() if count == 1 or points < FEW or is_worker() else Pool(count)
