"""The bytes of an export: sparse, in memory or in a file; what was never written reads as zeroes."""

import ctypes
import errno
import os
from collections.abc import Iterator
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

from sim.cache.blocks import runs
from sim.error import UserError
from sim.nbd.replies import StoreExtent
from sim.units import GIB, KIB, MIB

PAGE = 4 * KIB
MOST_MEMORY = 4 * GIB
"""Bytes that a store in memory keeps before it says that there is no space."""
KEEP_SIZE_AND_PUNCH = 3
"""Of fallocate(2): a hole is made, and the file stays as long as it is."""


class ByteStore(Protocol):
    """Spans lie within it; whatever the medium refuses is an OSError."""

    size: int
    where: str
    """In words."""

    def read(self, first: int, length: int) -> bytes: ...

    def write(self, first: int, data: bytes) -> None: ...

    def zero(self, first: int, length: int) -> None:
        """Zeroes from now on, and a hole where there can be one."""

    def extents(self, first: int, length: int) -> Iterator[StoreExtent]:
        """Of the whole span, in order; two neighbours are never alike."""

    def sync(self) -> None:
        """What was written is safe when this returns, if it ever will be. Other threads may call it."""

    def close(self) -> None: ...


class SparseMemory:
    """Pages by their number, for as long as the process lives; at most *most* bytes of them."""

    where = "in memory, lost at the end"

    def __init__(self, size: int, most: int = MOST_MEMORY) -> None:
        self.size = size
        self._most = most
        self._pages: dict[int, bytearray] = {}

    def read(self, first: int, length: int) -> bytes:
        empty = bytes(PAGE)
        pages = range(first // PAGE, -(-(first + length) // PAGE))
        data = b"".join([self._pages.get(page, empty) for page in pages])
        begin = first % PAGE
        return data if len(data) == length else data[begin : begin + length]

    def write(self, first: int, data: bytes) -> None:
        place = 0
        for page, begin, length in _by_page(first, len(data)):
            if page not in self._pages:
                if (len(self._pages) + 1) * PAGE > self._most:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._pages[page] = bytearray(PAGE)
            self._pages[page][begin : begin + length] = data[place : place + length]
            place += length

    def zero(self, first: int, length: int) -> None:
        for page in self._kept(first, length):
            begin, end = max(first - page * PAGE, 0), min(first + length - page * PAGE, PAGE)
            if end - begin == PAGE:
                del self._pages[page]
            else:
                self._pages[page][begin:end] = bytes(end - begin)

    def extents(self, first: int, length: int) -> Iterator[StoreExtent]:
        place, end = first, first + length
        for page, count in runs(self._kept(first, length)):
            begin, stop = max(page * PAGE, first), min((page + count) * PAGE, end)
            if begin > place:
                yield StoreExtent(begin - place, True)
            yield StoreExtent(stop - begin, False)
            place = stop
        if place < end:
            yield StoreExtent(end - place, True)

    def _kept(self, first: int, length: int) -> list[int]:
        """The pages of a span that are kept, in order: looked up or gone through, whatever are fewer."""
        pages = range(first // PAGE, -(-(first + length) // PAGE))
        if len(pages) < len(self._pages):
            return [page for page in pages if page in self._pages]
        return sorted(page for page in self._pages if page in pages)

    def sync(self) -> None:
        """Nothing: there is no safer place."""

    def close(self) -> None:
        self._pages.clear()


class SparseFile:
    """A regular file of exactly *size* bytes, made where it is not there, and locked: two servers would mix it up.

    UserError, one line, for whatever is wrong with it.
    """

    def __init__(self, path: Path, size: int, read_only: bool = False) -> None:
        self.size = size
        self.where = f"in {path}"
        try:
            self._file = _opened(path, read_only)
        except (OSError, ValueError) as error:
            raise UserError(f"--data: cannot open {path}: {getattr(error, 'strerror', None) or error}") from error
        try:
            self._check(path, read_only)
        except BaseException:
            os.close(self._file)
            raise
        self._punch = _puncher()

    def _check(self, path: Path, read_only: bool) -> None:
        status = os.fstat(self._file)
        if not S_ISREG(status.st_mode):
            raise UserError(f"--data: {path} is no regular file")
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except OSError:
            raise UserError(f"--data: {path} is in use by another server") from None
        if not status.st_size and not read_only:
            os.truncate(self._file, self.size)
        elif status.st_size != self.size:
            raise UserError(f"--data: {path} has {status.st_size} bytes, and the export has {self.size}; --size says "
                            "how many it is to have")

    def read(self, first: int, length: int) -> bytes:
        pieces, end = [], first + length
        while first < end:
            piece = os.pread(self._file, end - first, first)
            if not piece:
                raise OSError(errno.EIO, "the file is shorter than it was")
            pieces.append(piece)
            first += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, first: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self._file, view, first)
            view, first = view[written:], first + written

    def zero(self, first: int, length: int) -> None:
        if self._punch is None or self._punch(self._file, KEEP_SIZE_AND_PUNCH, first, length):
            for begin in range(first, first + length, MIB):
                self.write(begin, bytes(min(MIB, first + length - begin)))

    def extents(self, first: int, length: int) -> Iterator[StoreExtent]:
        end = first + length
        while first < end:
            data = min(self._seek(first, os.SEEK_DATA), end)
            if data > first:
                yield StoreExtent(data - first, True)
            first = data
            if first < end:
                hole = min(self._seek(first, os.SEEK_HOLE), end)
                yield StoreExtent(hole - first, False)
                first = hole

    def _seek(self, first: int, what: int) -> int:
        """Where from *first* on data begin, or end; the size of the file where none do."""
        try:
            return os.lseek(self._file, first, what)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return self.size

    def sync(self) -> None:
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)


def _opened(path: Path, read_only: bool) -> int:
    """Without waiting, as the opening of a pipe would."""
    return os.open(path, (os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT) | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def _puncher() -> "ctypes._NamedFuncPointer | None":
    """fallocate(2) of Linux, which makes holes; None elsewhere."""
    function = getattr(ctypes.CDLL(None), "fallocate", None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


def _by_page(first: int, length: int) -> Iterator[tuple[int, int, int]]:
    """The pages of a span: the number of each, and which of its bytes are meant, the first and how many."""
    end = first + length
    while first < end:
        page, begin = divmod(first, PAGE)
        part = min(PAGE - begin, end - first)
        yield page, begin, part
        first += part
