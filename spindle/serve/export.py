"""Makes an export of NBD, the network block device protocol: a named device with a simulated drive for its times, and
memory or a sparse file for its bytes.
"""

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

import simpy

from spindle.output.files import lock
from spindle.serve import protocol as nbd
from spindle.sim.cache.blocks import runs
from spindle.sim.error import UserError
from spindle.sim.request import Span
from spindle.sim.units import GIB, KIB, MIB

# The bytes of an export, sparse, in memory or in a file: bytes that were never written read as zeroes.

PAGE_BYTES = 4 * KIB
"""Bytes that a store in memory keeps or leaves out together."""
MAX_MEMORY = 4 * GIB
"""Most bytes that a store in memory keeps; further writes fail with the error that there is no space."""
KEEP_SIZE_AND_PUNCH = 3
"""Mode of fallocate(2) that makes a hole and keeps the length of the file."""


class ByteStore(Protocol):
    """A store of the bytes of an export. Spans are within its size; OSError for a failure of the medium."""

    size: int
    where: str
    """A phrase on where the bytes are."""

    def read(self, first: int, length: int) -> bytes: ...

    def write(self, first: int, data: bytes) -> None: ...

    def zero(self, first: int, length: int) -> None:
        """Set a span to zeroes, as a hole where the store can have one."""

    def extents(self, first: int, length: int) -> Iterator[nbd.StoreExtent]:
        """Yield the extents of the span in order, data and holes in turn."""

    def sync(self) -> None:
        """Put all writes on the medium before returning, where that is possible. Other threads may call it."""

    def close(self) -> None: ...


class SparseMemory:
    """A store in memory, of at most *most* bytes, which lasts as long as the process."""

    where = "in memory, lost at the end"

    def __init__(self, size: int, most: int = MAX_MEMORY) -> None:
        self.size = size
        self._most = most
        self._pages: dict[int, bytearray] = {}

    def read(self, first: int, length: int) -> bytes:
        empty = bytes(PAGE_BYTES)
        pages = range(first // PAGE_BYTES, -(-(first + length) // PAGE_BYTES))
        data = b"".join([self._pages.get(page, empty) for page in pages])
        begin = first % PAGE_BYTES
        return data[begin : begin + length]

    def write(self, first: int, data: bytes) -> None:
        place = 0
        for page, begin, length in _by_page(first, len(data)):
            if page not in self._pages:
                if (len(self._pages) + 1) * PAGE_BYTES > self._most:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._pages[page] = bytearray(PAGE_BYTES)
            self._pages[page][begin : begin + length] = data[place : place + length]
            place += length

    def zero(self, first: int, length: int) -> None:
        for page in self._kept_pages(first, length):
            begin, end = max(first - page * PAGE_BYTES, 0), min(first + length - page * PAGE_BYTES, PAGE_BYTES)
            if end - begin == PAGE_BYTES:
                del self._pages[page]
            else:
                self._pages[page][begin:end] = bytes(end - begin)

    def extents(self, first: int, length: int) -> Iterator[nbd.StoreExtent]:
        place, end = first, first + length
        for page, count in runs(self._kept_pages(first, length)):
            begin, stop = max(page * PAGE_BYTES, first), min((page + count) * PAGE_BYTES, end)
            if begin > place:
                yield nbd.StoreExtent(begin - place, True)
            yield nbd.StoreExtent(stop - begin, False)
            place = stop
        if place < end:
            yield nbd.StoreExtent(end - place, True)

    def _kept_pages(self, first: int, length: int) -> list[int]:
        """Return the numbers of kept pages in a span in order: look up each page, or search all kept ones if fewer."""
        pages = range(first // PAGE_BYTES, -(-(first + length) // PAGE_BYTES))
        if len(pages) < len(self._pages):
            return [page for page in pages if page in self._pages]
        return sorted(page for page in self._pages if page in pages)

    def sync(self) -> None:
        """Do nothing: memory is no medium that lasts."""

    def close(self) -> None:
        self._pages.clear()


class SparseFile:
    """A store in a regular file of exactly *size* bytes, made if absent, and locked against a second server.

    UserError for a file that cannot be used.
    """

    def __init__(self, path: Path, size: int, read_only: bool = False) -> None:
        self.size = size
        self.where = f"in {path}"
        try:
            self._file = _open(path, read_only)
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
            lock(self._file, wait=False)
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
        return b"".join(pieces)

    def write(self, first: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self._file, view, first)
            view, first = view[written:], first + written

    def zero(self, first: int, length: int) -> None:
        if self._punch is None or self._punch(self._file, KEEP_SIZE_AND_PUNCH, first, length):
            for begin in range(first, first + length, MIB):
                self.write(begin, bytes(min(MIB, first + length - begin)))

    def extents(self, first: int, length: int) -> Iterator[nbd.StoreExtent]:
        end = first + length
        while first < end:
            data = min(self._seek(first, os.SEEK_DATA), end)
            if data > first:
                yield nbd.StoreExtent(data - first, True)
            first = data
            if first < end:
                hole = min(self._seek(first, os.SEEK_HOLE), end)
                yield nbd.StoreExtent(hole - first, False)
                first = hole

    def _seek(self, first: int, what: int) -> int:
        """Return the next offset from *first* where data begins, or a hole, as *what* says; the file's size if none."""
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


def _open(path: Path, read_only: bool) -> int:
    """Open without waiting, as the opening of a pipe would."""
    return os.open(path, (os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT) | os.O_NONBLOCK, 0o600)


def _puncher() -> "ctypes._NamedFuncPointer | None":
    """Return fallocate(2) of Linux, which makes holes in files; None on other systems."""
    function = getattr(ctypes.CDLL(None), "fallocate", None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


def _by_page(first: int, length: int) -> Iterator[tuple[int, int, int]]:
    """Yield for each page of a span its number, the first byte within the page, and the number of bytes."""
    end = first + length
    while first < end:
        page, begin = divmod(first, PAGE_BYTES)
        part = min(PAGE_BYTES - begin, end - first)
        yield page, begin, part
        first += part


PREFERRED_BLOCK = 4096
"""Bytes that clients are advised to read and write together."""
KINDS_NEEDING_SPACE = (nbd.CommandKind.WRITE, nbd.CommandKind.WRITE_ZEROES)
"""Kinds of commands whose error beyond the end is NO_SPACE."""
KINDS_WITH_DATA = (nbd.CommandKind.READ, nbd.CommandKind.WRITE)
"""Kinds of commands with data in the command or in its reply."""

Done = Callable[[nbd.ErrorCode], None]
"""A function called with the fault of a command, or NONE, when the device has done it."""


class TimedDevice(Protocol):
    """A simulated device, which gives times alone: each event happens when the command is done. Called in simulated
    time.
    """

    def read(self, span: Span) -> simpy.Event: ...

    def write(self, span: Span, durable: bool) -> simpy.Event: ...

    def flush(self) -> simpy.Event: ...

    def discard(self, span: Span) -> None: ...


@dataclass(frozen=True)
class Export:
    """An export: a *device* for times and a *store* for bytes, of the same size; clients should use whole *block*s.

    A write enters the store when the device has done it: only writes without a reply may be lost.
    """

    name: str
    device: TimedDevice
    store: ByteStore
    block: int = 1
    read_only: bool = False
    about: str = ""
    rotational: bool = True
    """True if clients that ask should expect a rotating medium, and order their requests."""

    @property
    def size(self) -> int:
        return self.store.size

    @property
    def flags(self) -> nbd.ExportFlag:
        can = (nbd.ExportFlag.HAS_FLAGS | nbd.ExportFlag.FLUSH | nbd.ExportFlag.FUA | nbd.ExportFlag.DONT_FRAGMENT
               | nbd.ExportFlag.MULTI_CONNECTION)
        can |= nbd.ExportFlag.ROTATIONAL if self.rotational else 0
        return can | (nbd.ExportFlag.READ_ONLY if self.read_only else nbd.ExportFlag.TRIM | nbd.ExportFlag.WRITE_ZEROES)

    def refusal(self, command: nbd.Command) -> nbd.ErrorCode:
        """Return the fault for which *command* is refused; NONE if it is allowed."""
        allowed = nbd.FLAGS_OF.get(command.kind)  # type: ignore[call-overload]
        if allowed is None or command.flags & ~allowed:
            return nbd.ErrorCode.INVALID
        if self.read_only and command.kind in nbd.CHANGING_KINDS:
            return nbd.ErrorCode.NOT_PERMITTED
        if command.kind == nbd.CommandKind.FLUSH:
            return nbd.ErrorCode.NONE if command.span == (0, 0) else nbd.ErrorCode.INVALID
        if command.span.end > self.size:
            return nbd.ErrorCode.NO_SPACE if command.kind in KINDS_NEEDING_SPACE else nbd.ErrorCode.INVALID
        if command.kind in KINDS_WITH_DATA and command.span.length > nbd.MAX_PAYLOAD:
            return nbd.ErrorCode.OVERFLOW if command.kind == nbd.CommandKind.READ else nbd.ErrorCode.INVALID
        if command.kind == nbd.CommandKind.BLOCK_STATUS and not command.span.length:
            return nbd.ErrorCode.INVALID
        return nbd.ErrorCode.NONE

    def start(self, command: nbd.Command, payload: bytes, done: Done) -> None:
        """Start *command*, which must be allowed; *done* is called when the device has done it."""
        event = self._start(command)
        if event is None:
            done(self._apply(command, payload))
        else:
            event.callbacks.append(lambda _: done(self._apply(command, payload)))

    def _start(self, command: nbd.Command) -> simpy.Event | None:
        """Return the event of the completion of *command*; None for one that takes no time."""
        if command.kind == nbd.CommandKind.FLUSH:
            return self.device.flush()
        if not command.span.length:
            return None
        if command.kind == nbd.CommandKind.READ:
            return self.device.read(command.span)
        if command.kind in KINDS_NEEDING_SPACE:
            return self.device.write(command.span, command.durable)
        if command.kind == nbd.CommandKind.TRIM:
            self.device.discard(command.span)
            return self.device.flush() if command.durable else None
        return None

    def _apply(self, command: nbd.Command, payload: bytes) -> nbd.ErrorCode:
        try:
            if command.kind == nbd.CommandKind.WRITE:
                self.store.write(command.span.first, payload)
            elif command.kind == nbd.CommandKind.WRITE_ZEROES and command.flags & nbd.CommandFlag.NO_HOLE:
                self._fill(command.span)
            elif command.kind in nbd.CHANGING_KINDS:
                self.store.zero(*command.span)
        except OSError as error:
            return fault_of(error)
        return nbd.ErrorCode.NONE

    def _fill(self, span: Span) -> None:
        """Write zeroes to *span* that are no hole, so that a later write finds space."""
        for first in range(span.first, span.end, nbd.MAX_PAYLOAD):
            self.store.write(first, bytes(min(nbd.MAX_PAYLOAD, span.end - first)))


def fault_of(error: OSError) -> nbd.ErrorCode:
    """Return the fault that a client gets for *error*."""
    try:
        return nbd.ErrorCode(error.errno or nbd.ErrorCode.IO)
    except ValueError:
        return nbd.ErrorCode.IO
