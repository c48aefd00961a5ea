"""Replies to commands as bytes: simple ones, or structured, in chunks that may say where holes are."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from sim.nbd.protocol import (
    ALLOCATION_ID,
    CHUNK,
    CHUNK_MAGIC,
    EXTENT,
    HOLE_AND_ZERO,
    LAST_CHUNK,
    SIMPLE,
    SIMPLE_MAGIC,
    U16,
    U32,
    U64,
    ChunkKind,
    Command,
    CommandFlag,
    Fault,
)

MOST_CHUNKS = 64
"""Of one read; what has more holes and pieces is sent as data."""


class StoreExtent(NamedTuple):
    """*length* bytes that are all a hole, which reads as zeroes, or all kept."""

    length: int
    hole: bool


class ByteSource(Protocol):
    """Where the bytes of a read come from."""

    def read(self, first: int, length: int) -> bytes: ...

    def extents(self, first: int, length: int) -> Iterator[StoreExtent]: ...


class Replies(Protocol):
    """How a connection replies."""

    def done(self, command: Command) -> bytes: ...

    def failed(self, command: Command, fault: Fault) -> bytes: ...

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        """The reply to a read; OSError where the *source* fails."""


class SimpleReplies:
    def done(self, command: Command) -> bytes:
        return SIMPLE.pack(SIMPLE_MAGIC, 0, command.cookie)

    def failed(self, command: Command, fault: Fault) -> bytes:
        return SIMPLE.pack(SIMPLE_MAGIC, fault, command.cookie)

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        return self.done(command), source.read(*command.span)


class StructuredReplies:
    def done(self, command: Command) -> bytes:
        return _chunk(command, ChunkKind.NONE, 0, last=True)

    def failed(self, command: Command, fault: Fault) -> bytes:
        words = fault.name.lower().replace("_", " ").encode()
        body = U32.pack(fault) + U16.pack(len(words)) + words
        return _chunk(command, ChunkKind.ERROR, len(body), last=True) + body

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        extents = [] if command.flags & CommandFlag.DONT_FRAGMENT else first_few(
            source.extents(*command.span), MOST_CHUNKS + 1)
        if not 0 < len(extents) <= MOST_CHUNKS:
            extents = [StoreExtent(command.span.length, False)]
        return list(_pieces(command, source, extents))


def _pieces(command: Command, source: ByteSource, extents: Sequence[StoreExtent]) -> Iterator[bytes]:
    first, last = command.span.first, len(extents) - 1
    for number, (length, hole) in enumerate(extents):
        if hole:
            yield _chunk(command, ChunkKind.HOLE, 12, number == last) + U64.pack(first) + U32.pack(length)
        else:
            yield _chunk(command, ChunkKind.DATA, 8 + length, number == last) + U64.pack(first)
            yield source.read(first, length)
        first += length


def block_status(command: Command, extents: Sequence[StoreExtent]) -> bytes:
    """The reply to a command for base:allocation, which only structured replies have."""
    body = b"".join(EXTENT.pack(length, HOLE_AND_ZERO if hole else 0) for length, hole in extents)
    return _chunk(command, ChunkKind.BLOCK_STATUS, 4 + len(body), last=True) + U32.pack(ALLOCATION_ID) + body


def _chunk(command: Command, kind: ChunkKind, length: int, last: bool) -> bytes:
    return CHUNK.pack(CHUNK_MAGIC, LAST_CHUNK if last else 0, kind, command.cookie, length)


def first_few(extents: Iterator[StoreExtent], most: int) -> list[StoreExtent]:
    """At most so many of *extents*."""
    return [extent for extent, _ in zip(extents, range(most), strict=False)]
