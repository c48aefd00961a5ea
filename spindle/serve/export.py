"""An export: a name for clients, a timed device, its bytes in memory or a sparse file, and the commands on them."""

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

# The bytes of an export: sparse, in memory or in a file; what was never written reads as zeroes.

PAGE = 4 * KIB
MAX_MEMORY = 4 * GIB
"""Bytes that a store in memory keeps before it says that there is no space."""
KEEP_SIZE_AND_PUNCH = 3
"""Mode of fallocate(2) that makes a hole and keeps the length of the file."""


class ByteStore(Protocol):
    """The bytes of an export. Spans lie within it; a failure of the medium is an OSError."""

    size: int
    where: str
    """Place of the bytes, in words."""

    def read(self, first: int, length: int) -> bytes: ...

    def write(self, first: int, data: bytes) -> None: ...

    def zero(self, first: int, length: int) -> None:
        """Make zeroes of a span, as a hole where there can be one."""

    def extents(self, first: int, length: int) -> Iterator[nbd.StoreExtent]:
        """Yield the extents of the whole span, in order; two neighbours are never alike."""

    def sync(self) -> None:
        """Make all writes safe before returning, if that is possible. Other threads may call it."""

    def close(self) -> None: ...


class SparseMemory:
    """Pages by their number, for as long as the process lives; at most *most* bytes of them."""

    where = "in memory, lost at the end"

    def __init__(self, size: int, most: int = MAX_MEMORY) -> None:
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
        for page in self._kept_pages(first, length):
            begin, end = max(first - page * PAGE, 0), min(first + length - page * PAGE, PAGE)
            if end - begin == PAGE:
                del self._pages[page]
            else:
                self._pages[page][begin:end] = bytes(end - begin)

    def extents(self, first: int, length: int) -> Iterator[nbd.StoreExtent]:
        place, end = first, first + length
        for page, count in runs(self._kept_pages(first, length)):
            begin, stop = max(page * PAGE, first), min((page + count) * PAGE, end)
            if begin > place:
                yield nbd.StoreExtent(begin - place, True)
            yield nbd.StoreExtent(stop - begin, False)
            place = stop
        if place < end:
            yield nbd.StoreExtent(end - place, True)

    def _kept_pages(self, first: int, length: int) -> list[int]:
        """Return the kept pages of a span in order, by the cheaper of look-up and search."""
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
        """Return where from *first* on data begin, or end; the size of the file if there are none."""
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


PREFERRED_BLOCK = 4096
SPACED = (nbd.CommandKind.WRITE, nbd.CommandKind.WRITE_ZEROES)
"""Commands that are refused with NO_SPACE beyond the end."""
CARRYING = (nbd.CommandKind.READ, nbd.CommandKind.WRITE)
"""Commands that have data with them, or with their reply."""

Done = Callable[[nbd.ErrorCode], None]


class TimedDevice(Protocol):
    """Timing of a device: each event happens when that is done. Called only from within simulated time."""

    def read(self, span: Span) -> simpy.Event: ...

    def write(self, span: Span, durable: bool) -> simpy.Event: ...

    def flush(self) -> simpy.Event: ...

    def discard(self, span: Span) -> None: ...


@dataclass(frozen=True)
class Export:
    """A *device* and a *store* of the same size; clients should ask for whole *block*s, a power of two.

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
        """Return the fault for which *command* must be refused; NONE if it is allowed."""
        allowed = nbd.FLAGS_OF.get(command.kind)  # type: ignore[call-overload]
        if allowed is None or command.flags & ~allowed:
            return nbd.ErrorCode.INVALID
        if self.read_only and command.kind in nbd.CHANGING:
            return nbd.ErrorCode.NOT_PERMITTED
        if command.kind == nbd.CommandKind.FLUSH:
            return nbd.ErrorCode.NONE if command.span == (0, 0) else nbd.ErrorCode.INVALID
        if command.span.end > self.size:
            return nbd.ErrorCode.NO_SPACE if command.kind in SPACED else nbd.ErrorCode.INVALID
        if command.kind in CARRYING and command.span.length > nbd.MAX_PAYLOAD:
            return nbd.ErrorCode.OVERFLOW if command.kind == nbd.CommandKind.READ else nbd.ErrorCode.INVALID
        if command.kind == nbd.CommandKind.BLOCK_STATUS and not command.span.length:
            return nbd.ErrorCode.INVALID
        return nbd.ErrorCode.NONE

    def start(self, command: nbd.Command, payload: bytes, done: Done) -> None:
        """Begin *command*, which is not to be refused; *done* is called when the device has done it."""
        event = self._start(command)
        if event is None:
            done(self._apply(command, payload))
        else:
            event.callbacks.append(lambda _: done(self._apply(command, payload)))

    def _start(self, command: nbd.Command) -> simpy.Event | None:
        """Return the event of its completion; None for what takes no time."""
        if command.kind == nbd.CommandKind.FLUSH:
            return self.device.flush()
        if not command.span.length:
            return None
        if command.kind == nbd.CommandKind.READ:
            return self.device.read(command.span)
        if command.kind in SPACED:
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
            elif command.kind in nbd.CHANGING:
                self.store.zero(*command.span)
        except OSError as error:
            return fault_of(error)
        return nbd.ErrorCode.NONE

    def _fill(self, span: Span) -> None:
        """Zeroes that keep their place: a later write of them finds space."""
        for first in range(span.first, span.end, nbd.MAX_PAYLOAD):
            self.store.write(first, bytes(min(nbd.MAX_PAYLOAD, span.end - first)))


def fault_of(error: OSError) -> nbd.ErrorCode:
    """Return the fault that a client gets for *error*."""
    try:
        return nbd.ErrorCode(error.errno or nbd.ErrorCode.IO)
    except ValueError:
        return nbd.ErrorCode.IO
