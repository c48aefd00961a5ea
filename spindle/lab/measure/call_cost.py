"""Measures the cost of a call from Python, against a loop around read(2) in the C library.

That loop is fgets, from a stream whose buffer has a single byte; its own time is measured with a stream that calls abs
instead of read. An empty loop would take too little time: after a system call the processor's caches and predictors
have lost part of the interpreter's state.
"""

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from statistics import median
from typing import NamedTuple

from spindle.lab.measure import libc
from spindle.lab.measure.libc import Memory, after_seeks, measure_time, total

SAMPLE_CALLS = 4096
KEPT_COSTS = 9
"""Latest measurements, of which the median is used."""


class _Functions(ctypes.Structure):
    """The functions of a stream made by fopencookie: read, write, seek and close; None for those it does not have."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("read", "write", "seek", "close"))


_FGETS = ctypes.PYFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)(("fgets", libc.LIBRARY))  # fmt: skip
_SETVBUF = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
)(("setvbuf", libc.LIBRARY))  # fmt: skip
_FOPENCOOKIE = ctypes.PYFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, _Functions
)(("fopencookie", libc.LIBRARY))  # fmt: skip
_FULLY = 0
"""_IOFBF of setvbuf: the buffer is used for any kind of file."""


class TimerCosts(NamedTuple):
    """Seconds of a call from Python: by a Python *file*, by *ctypes*, by ctypes without a system call (*empty*).

    *pair* are those of combining two calls in one loop.
    """

    file: float
    ctypes: float
    empty: float
    pair: float


NO_COSTS = TimerCosts(0.0, 0.0, 0.0, 0.0)


class Sample:
    """Measures the costs of calls on the file *path*, anew for each run, since machines change their speed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._memory, self._buffer = Memory(SAMPLE_CALLS + 1), Memory(1)
        self._latest: deque[TimerCosts] = deque(maxlen=KEPT_COSTS)

    def costs(self) -> TimerCosts:
        """Measure once more; return the medians of the latest, of processor time only, as these calls do not wait."""
        self._latest.append(self._find())
        return TimerCosts(*(max(median(each), 0.0) for each in zip(*self._latest, strict=True)))

    def _find(self) -> TimerCosts:
        kernel = self._by_library()
        with open(self._path, "rb", buffering=0) as file:
            by_file = _time_call(lambda: total(file.readinto, SAMPLE_CALLS, self._memory.view[:1]))
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            arguments = (file.fileno(), self._memory.address, 1)
            by_ctypes = _time_call(lambda: total(libc.READ, SAMPLE_CALLS, *arguments))
            empty = _time_call(lambda: total(libc.NOTHING, SAMPLE_CALLS, *arguments) and SAMPLE_CALLS)
        pair = _time_call(lambda: after_seeks(range(SAMPLE_CALLS), repeat(1, SAMPLE_CALLS)))
        return TimerCosts(by_file - kernel, by_ctypes - kernel, empty, pair)

    def _by_library(self) -> float:
        """Measure a read(2) of one byte in a loop of the C library, in seconds."""
        with libc.stream(self._path) as stream:
            real = self._by_fgets(stream)
        with _endless() as stream:
            return real - self._by_fgets(stream)

    def _by_fgets(self, stream: ctypes.c_void_p) -> float:
        _SETVBUF(stream, self._buffer.address, _FULLY, 1)
        return _time_call(lambda: SAMPLE_CALLS if _FGETS(self._memory.address, SAMPLE_CALLS + 1, stream) else 0)


def _time_call(work: Callable[[], int]) -> float:
    answered, took = measure_time(work)
    if answered != SAMPLE_CALLS:
        raise OSError("the sample that calls are tried on cannot be read")
    return took.cpu / SAMPLE_CALLS


@contextmanager
def _endless() -> Iterator[ctypes.c_void_p]:
    """Yield a stream that calls abs instead of read: both return 1 for one byte, and abs makes no system call."""
    functions = _Functions(read=ctypes.cast(libc.LIBRARY.abs, ctypes.c_void_p).value)
    stream = ctypes.c_void_p(_FOPENCOOKIE(1, b"r", functions))
    try:
        yield stream
    finally:
        libc.FCLOSE(stream)
