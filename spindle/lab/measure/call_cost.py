"""The cost of a call from Python, measured against a loop around read(2) in the C library.

That loop is fgets, from a stream whose buffer holds a single byte; its own time is measured from a stream that has
abs instead of read. An empty loop would be too short: after a system call the processor's caches and predictors have
lost part of the interpreter's state.
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

CALLS = 4096
LATEST = 9


class _Functions(ctypes.Structure):
    """Functions of a stream of fopencookie: read, write, seek and close; None if it cannot."""

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
"""_IOFBF: the buffer is used whatever the file is."""


class TimerCosts(NamedTuple):
    """Seconds of one call: of a file of Python's, of ctypes, of ctypes that calls no kernel; and of pairing two."""

    file: float
    ctypes: float
    empty: float
    pair: float


NO_COSTS = TimerCosts(0.0, 0.0, 0.0, 0.0)


class Sample:
    """The time of Python's calls, measured on the file *path* anew for each run, as machines change their pace."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._memory, self._buffer = Memory(CALLS + 1), Memory(1)
        self._latest: deque[TimerCosts] = deque(maxlen=LATEST)

    def costs(self) -> TimerCosts:
        """The medians of the latest; the processor's time only, as they do not wait."""
        self._latest.append(self._find())
        return TimerCosts(*(max(median(each), 0.0) for each in zip(*self._latest, strict=True)))

    def _find(self) -> TimerCosts:
        kernel = self._by_library()
        with open(self._path, "rb", buffering=0) as file:
            by_file = _time_call(lambda: total(file.readinto, CALLS, self._memory.view[:1]))
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            arguments = (file.fileno(), self._memory.address, 1)
            by_ctypes = _time_call(lambda: total(libc.READ, CALLS, *arguments))
            empty = _time_call(lambda: total(libc.NOTHING, CALLS, *arguments) and CALLS)
        pair = _time_call(lambda: after_seeks(range(CALLS), repeat(1, CALLS)))
        return TimerCosts(by_file - kernel, by_ctypes - kernel, empty, pair)

    def _by_library(self) -> float:
        """Measure a read(2) of one byte in a loop of the C library, in seconds."""
        with libc.stream(self._path) as stream:
            real = self._by_fgets(stream)
        with _endless() as stream:
            return real - self._by_fgets(stream)

    def _by_fgets(self, stream: ctypes.c_void_p) -> float:
        _SETVBUF(stream, self._buffer.address, _FULLY, 1)
        return _time_call(lambda: CALLS if _FGETS(self._memory.address, CALLS + 1, stream) else 0)


def _time_call(work: Callable[[], int]) -> float:
    answered, took = measure_time(work)
    if answered != CALLS:
        raise OSError("the sample that calls are tried on cannot be read")
    return took.cpu / CALLS


@contextmanager
def _endless() -> Iterator[ctypes.c_void_p]:
    """Yield a stream that abs fills instead of read: both return 1 for one byte, and abs calls no kernel."""
    functions = _Functions(read=ctypes.cast(libc.LIBRARY.abs, ctypes.c_void_p).value)
    stream = ctypes.c_void_p(_FOPENCOOKIE(1, b"r", functions))
    try:
        yield stream
    finally:
        libc.FCLOSE(stream)
