"""Runs tasks, such as a sweep's chunks, in this process or a pool of processes; for a cluster see ``cluster.py``."""

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from threading import Event, Thread, local
from time import monotonic, sleep
from typing import Any, Generic, Protocol, TypeVar

from spindle.sim.error import UserError

# The processes of this machine's pool: each is a loky executor of one process.
#
# So a task that kills its process takes no other with it, and it is clear which one it was. A process leaves Ctrl-C to
# its driver, and does not outlive it. Loky is imported where a process is wanted: most runs want none, and it takes a
# tenth of a second.

K = TypeVar("K")
T = TypeVar("T")

WATCH_SECONDS = 0.5
"""Seconds between checks of a worker that its driver is alive."""
IDLE_SECONDS = 300
"""Seconds after which an idle process ends; it is started again on demand."""
MAX_GROWTH = "2e9"
"""Bytes by which a process may grow before loky ends it; loky's default is too small for a few long traces."""

_idle_workers: "list[Worker]" = []
atexit.register(_idle_workers.clear)  # before the module loky is torn down
_serving = Event()
_thread = local()


def serve(driver: int) -> None:
    """Make this process a worker of the process *driver*."""
    _serving.set()
    # Ctrl-C reaches every process of the terminal; the driver ends its workers, and no two of them print tracebacks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Not prctl(PR_SET_PDEATHSIG): that signals the end of the thread that started the process, not of the driver.
    Thread(target=_end_with, args=(driver,), daemon=True).start()


def serving(do: Callable[[K], T], task: K) -> T:
    """Return ``do(task)``, run in a thread of a worker process that was started elsewhere."""
    _thread.serves = True
    try:
        return do(task)
    finally:
        _thread.serves = False


def is_worker() -> bool:
    """Tell if this process is a worker: a sweep within a sweep starts no further pool."""
    return _serving.is_set() or getattr(_thread, "serves", False)


def _end_with(driver: int) -> None:
    """End this worker with the driver, also if that is killed: an orphan notices that it has another parent."""
    while os.getppid() == driver:
        sleep(WATCH_SECONDS)
    os._exit(1)


class Worker:
    """A process of the pool, started again if it has died."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        from loky import ProcessPoolExecutor

        _working_folder()
        _track_in_silence()
        os.environ.setdefault("LOKY_MAX_MEMORY_LEAK_SIZE", MAX_GROWTH)
        self._loky = ProcessPoolExecutor(1, timeout=IDLE_SECONDS, initializer=serve, initargs=(os.getpid(),))

    def take(self, do: Callable[[K], T], task: K) -> "WorkerTask[K, T]":
        folder = _working_folder()
        try:
            future = self._loky.submit(_do_in, folder, do, task)
        except RuntimeError:  # it was killed, or shut down, while it had nothing to do
            self._start()
            future = self._loky.submit(_do_in, folder, do, task)
        return WorkerTask(self, task, future)

    def end(self) -> None:
        self._loky.shutdown(wait=True, kill_workers=True)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise UserError("workers work in the working directory, which is there no longer: change to another") from None


def _do_in(folder: str, do: Callable[[K], T], task: K) -> T:
    """Return ``do(task)``, run in *folder*: the driver may have moved since this process was started."""
    os.chdir(folder)
    return do(task)


def _track_in_silence() -> None:
    """Start loky's process that removes the semaphores of a killed driver, without its warnings of them."""
    from loky.backend.resource_tracker import ensure_running

    usual = list(sys.warnoptions)
    sys.warnoptions.append("ignore")
    try:
        ensure_running()
    finally:
        sys.warnoptions[:] = usual


@dataclass(frozen=True, eq=False)
class WorkerTask(Generic[K, T]):
    """A *task* given to a *worker*, with its *future*."""

    worker: Worker
    task: K
    future: "Future[T]"

    @staticmethod
    def wait_any(tasks: "Sequence[WorkerTask[Any, Any]]") -> "list[Any]":
        """Return the tasks that have ended, as soon as one has."""
        done = wait([given.future for given in tasks], return_when=FIRST_COMPLETED).done
        return [given for given in tasks if given.future in done]

    def is_lost(self) -> bool:
        """True if the process died during the task."""
        from loky.process_executor import TerminatedWorkerError

        return isinstance(self.future.exception(), TerminatedWorkerError)

    def result(self) -> T:
        return self.future.result()

    def end(self) -> None:
        """Kill the worker."""
        # loky fails on a task that was submitted, but not taken yet.
        until = monotonic() + 1.0
        while not (self.future.running() or self.future.done()) and monotonic() < until:
            sleep(0.001)
        self.worker.end()


def take_workers(count: int) -> list[Worker]:
    """Return *count* workers, idle ones first."""
    return [_idle_workers.pop() if _idle_workers else Worker() for _ in range(count)]


def keep_workers(idle: Sequence[Worker], busy: Sequence[WorkerTask[Any, Any]]) -> None:
    """Keep the *idle* workers for later; end the *busy* ones, whose tasks are no longer wanted."""
    _idle_workers.extend(idle)
    for given in busy:
        given.end()


# The executors: this process, or a pool of the processes above.

MIN_POOLED = 4
"""The least number of tasks for a pool; fewer are done in this process, unless workers are idle, as in a search."""


@dataclass(frozen=True)
class Lost:
    """The result of a task whose worker died; *workers* is how many have died of it."""

    workers: int


class Executor(Protocol):
    """Applies a function to every task; takes the next task when a worker is free, after all results were taken."""

    @property
    def workers(self) -> int:
        """The number of tasks that are done at the same time."""

    def run_each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        """Run *do* on each task; yield (task, result) as they end. An exception of *do* ends all of them."""


@dataclass(frozen=True)
class Inline:
    """Runs tasks one after the other in this process, without pickling, so that a debugger can be used."""

    workers: int = 1

    def run_each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        for task in tasks:
            yield task, do(task)


@dataclass(frozen=True)
class Pool:
    """A pool of *workers* processes, which are kept for the next sweep, and end with this process in any case."""

    workers: int

    def run_each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        waiting = iter(tasks)
        idle, busy = take_workers(self.workers), list[WorkerTask[K, T]]()
        try:
            while True:
                while idle and (task := next(waiting, None)) is not None:
                    busy.append(idle.pop().take(do, task))
                if not busy:
                    return
                for given in WorkerTask.wait_any(busy):
                    busy.remove(given)
                    idle.append(given.worker)
                    yield given.task, Lost(1) if given.is_lost() else given.result()
        finally:
            keep_workers(idle, busy)


Workers = int | Executor | None
"""A number of processes, an executor, or None for one process on each core."""


def executor(workers: Workers, points: int) -> Executor:
    """Choose the executor of *points* points with *workers*."""
    if workers is not None and not isinstance(workers, int):
        return workers
    if workers is not None and workers < 1:
        raise UserError(f"workers must be at least 1, not {workers}")
    count = min(workers or _cores(), points)
    too_few = points < MIN_POOLED and len(_idle_workers) < count
    return Inline() if count == 1 or too_few or is_worker() else Pool(count)


def _cores() -> int:
    from loky import cpu_count

    return int(cpu_count())
