"""Describes a program that calls read, write, fread or fwrite block by block, with Linux's rules for O_DIRECT."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op

# The terms of a program of buffered I/O: the call that it repeats, and how it opens its file.

class Layer(Enum):
    """The layer that a program calls for each block: the system itself, or the C library."""

    CALLS = "system calls"
    STDIO = "stdio"


class StdioCall(StrEnum):
    """The calls of a program for each block. With a stride it also calls lseek, or fseek, before each."""

    READ = "read"
    WRITE = "write"
    FREAD = "fread"
    FWRITE = "fwrite"

    @property
    def operation(self) -> Op:
        return READ if self in (StdioCall.READ, StdioCall.FREAD) else WRITE

    @property
    def layer(self) -> Layer:
        return Layer.STDIO if self in (StdioCall.FREAD, StdioCall.FWRITE) else Layer.CALLS


class Flag(StrEnum):
    """Flags of open(2), beside those of the access mode."""

    SYNC = "O_SYNC"
    DSYNC = "O_DSYNC"
    DIRECT = "O_DIRECT"


class Advice(StrEnum):
    """The advice to posix_fadvise on the whole file, right after it was opened."""

    NORMAL = "POSIX_FADV_NORMAL"
    SEQUENTIAL = "POSIX_FADV_SEQUENTIAL"
    RANDOM = "POSIX_FADV_RANDOM"


# A program that writes or reads one file block by block, and the rules of Linux on its requests.

SECTOR = 512
"""Bytes; O_DIRECT takes nothing finer. Linux requires the device's logical block, which is 512 nearly everywhere."""
MAX_FILE_BYTES = 1 << 50


@dataclass(frozen=True)
class StdioProgram:
    """Calls *call* for each *block* bytes of a file of *size* bytes, all of which it touches once.

    It begins at the front. With a *stride* it takes a block of every stride to the end of the file, then returns for
    the next block of each, and seeks before every call; 0 is sequential. What is written is a new file. The last
    block of a sequence may be shorter.
    """

    name: str
    says: str
    call: StdioCall
    block: int
    size: int
    stride: int = 0
    flags: frozenset[Flag] = frozenset()
    advice: Advice = Advice.NORMAL

    def __post_init__(self) -> None:
        _check_bytes("block", self.block, 1)
        _check_bytes("size", self.size, 1)
        _check_bytes("stride", self.stride, 0)
        if self.block > self.size:
            raise UserError(f"block must be at most the size of the file, {self.size} bytes, not {self.block}")
        if self.stride:
            self._check_stride()
        if self.flags and self.layer is Layer.STDIO:
            raise UserError(f"flags are for open; {self.call} works on a file that fopen opened, which takes none")
        if self.direct:
            self._check_direct()

    def _check_stride(self) -> None:
        if self.stride > self.size:
            raise UserError(f"stride must be at most the size of the file, {self.size} bytes, not {self.stride}")
        if self.stride % self.block or self.size % self.block:
            raise UserError(f"stride and size must be whole numbers of blocks of {self.block} bytes, "
                          f"not {self.stride} and {self.size}")  # fmt: skip

    def _check_direct(self) -> None:
        for what, value in (("block", self.block), ("size", self.size)):  # a stride is whole blocks
            if value % SECTOR:
                raise UserError(f"{what} must be whole sectors of {SECTOR} bytes with O_DIRECT, not {value}: "
                              "Linux refuses anything else with EINVAL")  # fmt: skip

    @property
    def operation(self) -> Op:
        return self.call.operation

    @property
    def layer(self) -> Layer:
        return self.call.layer

    @property
    def sync(self) -> bool:
        """Tell if every call waits until its bytes are on the disc."""
        return bool(self.flags & {Flag.SYNC, Flag.DSYNC})

    @property
    def direct(self) -> bool:
        """Tell if calls go past the page cache."""
        return Flag.DIRECT in self.flags

    @property
    def calls(self) -> int:
        """Return the number of calls, one for each block."""
        return -(-self.size // self.block)

    def offsets(self) -> Iterator[int]:
        """Yield the offset at which each call begins, in order."""
        step = self.stride or self.size
        for first in range(0, step, self.block):
            if self.stride:
                yield from range(first, self.size, self.stride)
            else:
                yield first

    def length(self, offset: int) -> int:
        """Return the number of bytes of the call at *offset*."""
        return min(self.block, self.size - offset)

    def change(self, **changes: object) -> "StdioProgram":
        """Return the program with another block, size, stride, flags or advice; UserError if it cannot be."""
        return replace(self, **changes)  # type: ignore[arg-type]


def _check_bytes(what: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_FILE_BYTES:
        raise UserError(f"{what} must be a whole number of bytes from {least} to {MAX_FILE_BYTES}, not "
                        f"{str(value)[:40]}")  # fmt: skip
