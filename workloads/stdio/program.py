"""A program that writes or reads one file block by block, and the rules of Linux on its requests."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.error import UserError
from sim.request import Op
from workloads.stdio.calls import Advice, Flag, Layer, StdioCall

SECTOR = 512
"""Bytes; O_DIRECT takes nothing finer. Linux requires the device's logical block, which is 512 nearly everywhere."""
MOST = 1 << 50


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
            raise UserError(f"flags are of open; {self.call} works on what fopen opened, which takes none")
        if self.direct:
            self._check_direct()

    def _check_stride(self) -> None:
        if self.stride > self.size:
            raise UserError(f"stride must be at most the size of the file, {self.size} bytes, not {self.stride}")
        if self.stride % self.block or self.size % self.block:
            raise UserError(f"stride and size must be whole numbers of blocks of {self.block} bytes, "
                          f"not {self.stride} and {self.size}")  # fmt: skip

    def _check_direct(self) -> None:
        for what, value in (("block", self.block), ("size", self.size), ("stride", self.stride)):
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
        """Every call waits until its bytes are on the disc."""
        return bool(self.flags & {Flag.SYNC, Flag.DSYNC})

    @property
    def direct(self) -> bool:
        """Past the page cache."""
        return Flag.DIRECT in self.flags

    @property
    def calls(self) -> int:
        """How often it calls for a block."""
        return -(-self.size // self.block)

    def offsets(self) -> Iterator[int]:
        """Where each call begins, in order."""
        step = self.stride or self.size
        for first in range(0, step, self.block):
            if self.stride:
                yield from range(first, self.size, self.stride)
            else:
                yield first

    def length(self, offset: int) -> int:
        """How many bytes the call at *offset* is for."""
        return min(self.block, self.size - offset)

    def changed(self, **changes: object) -> "StdioProgram":
        """The same program with another block, size, stride, flags or advice; UserError where that cannot be."""
        return replace(self, **changes)  # type: ignore[arg-type]


def _check_bytes(what: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise UserError(f"{what} must be a whole number of bytes from {least} to {MOST}, not {str(value)[:40]}")
