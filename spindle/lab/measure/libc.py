"""Calls the C library repeatedly, by loops that are in C too, and times them; aligned memory; a thread to run in."""

import ctypes
import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import repeat
from operator import itemgetter
from time import perf_counter, thread_time
from typing import Any, NamedTuple, TypeVar

LIBRARY = ctypes.PyDLL(None)
"""The C library. PyDLL keeps the interpreter's lock during a call, so that less time must be subtracted."""
UNTYPED = ctypes.PYFUNCTYPE(ctypes.c_int)
"""A function type without argument types, which is the fastest for ctypes."""
READ, FREAD, FSEEK = (UNTYPED((name, LIBRARY)) for name in ("read", "fread", "fseek"))
NOTHING = UNTYPED(("abs", LIBRARY))
"""An almost empty function (abs); its time in a loop is that of the loop and ctypes."""
FOPEN = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, use_errno=True)(("fopen", LIBRARY))
FCLOSE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(("fclose", LIBRARY))
CLONE_FILES = 0x400
SECOND_OF_PAIR = itemgetter(1)
T = TypeVar("T")


class Took(NamedTuple):
    """Seconds that work took: *elapsed* on the clock, and of the processor for this thread (*cpu*)."""

    elapsed: float
    cpu: float

    def plus(self, other: "Took") -> "Took":
        return Took(self.elapsed + other.elapsed, self.cpu + other.cpu)

    def minus(self, other: "Took") -> "Took":
        return Took(self.elapsed - other.elapsed, self.cpu - other.cpu)


NO_TIME = Took(0.0, 0.0)


def measure_time(work: Callable[[], T]) -> tuple[T, Took]:
    """Run *work*; return its result and the time it took."""
    cpu, elapsed = thread_time(), perf_counter()
    done = work()
    return done, Took(perf_counter() - elapsed, thread_time() - cpu)


class Memory:
    """Memory of *size* bytes, aligned to a page as O_DIRECT requires; each byte is a "6", as in the lecture."""

    def __init__(self, size: int) -> None:
        self._map = mmap.mmap(-1, size)
        self._map.write(b"6" * size)
        self.view = memoryview(self._map)
        self.address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(self._map)))


def run_in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread with a private table of open files, if possible, and return its result.

    numpy has threads, and the kernel locks a table that these share in each call. That takes a tenth of a read of a
    byte, and the programs of the lecture, without threads, do not pay it. The thread ends with *work*; it does not see
    files that others open, nor they its own. An interrupt waits for its end.
    """
    with ThreadPoolExecutor(1, initializer=_part) as thread:
        return thread.submit(work).result()


def _part() -> None:
    with suppress(AttributeError):  # some C libraries lack it, and it may be forbidden: times are a bit longer then
        LIBRARY.unshare(CLONE_FILES)


@contextmanager
def stream(path: str) -> Iterator[ctypes.c_void_p]:
    """Open *path* with fopen for reading."""
    handle = FOPEN(os.fsencode(path), b"r")
    if not handle:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        yield ctypes.c_void_p(handle)
    finally:
        FCLOSE(handle)


def total(call: Callable[..., int], calls: int, first: Any, *others: Any) -> int:
    """Return the sum of the results of *calls* calls."""
    return sum(map(call, repeat(first, calls), *map(repeat, others)))


def after_seeks(seeks: Iterable[int], answers: Iterable[int]) -> int:
    """Return the sum of *answers*, each made after one of *seeks*."""
    return sum(map(SECOND_OF_PAIR, zip(seeks, answers, strict=False)))
