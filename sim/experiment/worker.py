"""A process of a pool: it leaves Ctrl-C to its driver, and it does not outlive it."""

import os
import signal
from threading import Event, Thread
from time import sleep

WATCH_SECONDS = 0.5

_serving = Event()


def serve(driver: int) -> None:
    """Make this process a worker of the process *driver*."""
    _serving.set()
    # Ctrl-C reaches every process of the terminal; the driver ends its workers, and no two of them print tracebacks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(driver,), daemon=True).start()


def is_worker() -> bool:
    """Whether this process serves a pool, so that a sweep inside a sweep opens no pool of its own."""
    return _serving.is_set()


def _end_with(driver: int) -> None:
    """A driver that is killed cannot say goodbye: its orphans are given another parent, and that is how they know."""
    while os.getppid() == driver:
        sleep(WATCH_SECONDS)
    os._exit(1)
