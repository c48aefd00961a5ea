"""A process of a pool: it leaves Ctrl-C to its driver, and it does not outlive it."""

import os
import signal
from collections.abc import Callable
from threading import Event, Thread, local
from time import sleep
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")

WATCH_SECONDS = 0.5

_serving = Event()
_thread = local()


def serve(driver: int) -> None:
    """Make this process a worker of the process *driver*."""
    _serving.set()
    # Ctrl-C reaches every process of the terminal; the driver ends its workers, and no two of them print tracebacks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Not prctl(PR_SET_PDEATHSIG): that strikes when the thread ends which started the process, not the driver.
    Thread(target=_end_with, args=(driver,), daemon=True).start()


def serving(do: Callable[[K], T], task: K) -> T:
    """``do(task)`` in a thread of a worker process that was started elsewhere."""
    _thread.serves = True
    try:
        return do(task)
    finally:
        _thread.serves = False


def is_worker() -> bool:
    """Whether a sweep would be one inside a sweep, which opens no pool of its own."""
    return _serving.is_set() or getattr(_thread, "serves", False)


def _end_with(driver: int) -> None:
    """End with the driver, also if it is killed: its orphans are given another parent, by which they notice."""
    while os.getppid() == driver:
        sleep(WATCH_SECONDS)
    os._exit(1)
