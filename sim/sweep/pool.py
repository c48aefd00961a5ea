"""The processes of this machine's pool: each is an executor of loky of its own.

So a point that ends its process takes no other with it, and it is clear which one it was.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

from loky import ProcessPoolExecutor
from loky.backend.resource_tracker import ensure_running
from loky.process_executor import TerminatedWorkerError

from sim.sweep.worker import serve

K = TypeVar("K")
T = TypeVar("T")

IDLE_SECONDS = 300
"""A process that was idle for so long ends, and is started again on demand."""

_unemployed: "list[Worker]" = []


class Worker:
    """One process, and another one when that has died."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        _track_in_silence()
        self._loky = ProcessPoolExecutor(1, timeout=IDLE_SECONDS, initializer=serve, initargs=(os.getpid(),))

    def take(self, do: Callable[[K], T], task: K) -> "Hand[K, T]":
        try:
            future = self._loky.submit(do, task)
        except RuntimeError:  # it was killed, or shut down, while it had nothing to do
            self._start()
            future = self._loky.submit(do, task)
        return Hand(self, task, future)

    def end(self) -> None:
        self._loky.shutdown(wait=True, kill_workers=True)


def _track_in_silence() -> None:
    """Start the process that removes the semaphores of a killed driver; it inherits that it is not to warn of them."""
    usual = list(sys.warnoptions)
    sys.warnoptions.append("ignore")
    try:
        ensure_running()
    finally:
        sys.warnoptions[:] = usual


@dataclass(frozen=True, eq=False)
class Hand(Generic[K, T]):
    """A *task* in the hands of a *worker*."""

    worker: Worker
    task: K
    future: "Future[T]"

    @staticmethod
    def ended(hands: "Sequence[Hand[Any, Any]]") -> "list[Any]":
        """Those that have ended, as soon as one has."""
        done = wait([hand.future for hand in hands], return_when=FIRST_COMPLETED).done
        return [hand for hand in hands if hand.future in done]

    def is_lost(self) -> bool:
        """Whether the process died of it."""
        return isinstance(self.future.exception(), TerminatedWorkerError)

    def result(self) -> T:
        return self.future.result()

    def end(self) -> None:
        """Kill the worker."""
        # loky stumbles over a task that was submitted, but not taken yet.
        until = monotonic() + 1.0
        while not (self.future.running() or self.future.done()) and monotonic() < until:
            sleep(0.001)
        self.worker.end()


def hire(count: int) -> list[Worker]:
    """So many workers, idle ones first."""
    return [_unemployed.pop() if _unemployed else Worker() for _ in range(count)]


def let_go(idle: Sequence[Worker], busy: Sequence[Hand[Any, Any]]) -> None:
    """Keep the *idle* workers for later; end the *busy* ones, whose tasks are no longer wanted."""
    _unemployed.extend(idle)
    for hand in busy:
        hand.end()
