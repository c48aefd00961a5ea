"""Who computes the points of a sweep: this process, or a pool of processes on this machine."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import joblib

from sim.experiment.worker import is_worker, serve
from sim.mistake import Mistake

T = TypeVar("T")
Do = Callable[[Any], T]

FEW = 4
"""Fewer points than this are done before a pool is up."""


class Executor(Protocol):
    """Applies a function to every task, once each. What raises ends everything."""

    def each(self, do: Do[T], tasks: Sequence[Any]) -> Iterator[tuple[int, T]]:
        """(index of the task, what *do* gave), in the order in which they end."""


class Inline:
    """One after the other, here: nothing is pickled, and a debugger sees everything."""

    def each(self, do: Do[T], tasks: Sequence[Any]) -> Iterator[tuple[int, T]]:
        for index, task in enumerate(tasks):
            yield index, do(task)


@dataclass(frozen=True)
class Pool:
    """As many processes as *workers*. They stay for the next sweep and end with this process, however it ends."""

    workers: int

    def each(self, do: Do[T], tasks: Sequence[Any]) -> Iterator[tuple[int, T]]:
        pool = joblib.Parallel(
            self.workers, backend="loky", return_as="generator_unordered", max_nbytes=None,
            initializer=serve, initargs=(os.getpid(),),
        )  # fmt: skip
        yield from pool(joblib.delayed(_numbered)(do, index, task) for index, task in enumerate(tasks))


def _numbered(do: Do[T], index: int, task: Any) -> tuple[int, T]:
    return index, do(task)


def executor(workers: int | None, tasks: int) -> Executor:
    """Who shall do so many *tasks* with so many *workers*; None stands for one on each core."""
    if workers is not None and workers < 1:
        raise Mistake(f"workers must be at least 1, not {workers}")
    count = min(workers or joblib.cpu_count(), tasks)
    return Inline() if count == 1 or tasks < FEW or is_worker() else Pool(count)
