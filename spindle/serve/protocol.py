"""Reads and writes messages of NBD, the network block device protocol, in its newstyle form.

The source is doc/proto.md of the NBD project. Here are constants and layouts, the reading of options and commands, and
replies as bytes; the negotiation of options is in connection.py.

All numbers are big-endian. Names that begin with MAX are limits, most of them on what a hostile client can ask for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from struct import Struct
from typing import NamedTuple, Protocol, Self

from spindle.sim.request import Span
from spindle.sim.units import KIB, MIB

MAX_PAYLOAD = 32 * MIB
"""Most bytes of one read or write; every server must accept as many."""
MAX_OPTION = 64 * KIB
"""Most bytes of the data of an option."""
MAX_NAME = 4096
"""Most bytes of a string, by the protocol."""

GREETING_MAGIC, OPTION_MAGIC = 0x4E42444D41474943, 0x49484156454F5054
OPTION_REPLY_MAGIC = 0x3E889045565A9
"""Numbers with which messages begin."""
COMMAND_MAGIC, SIMPLE_MAGIC, CHUNK_MAGIC = 0x25609513, 0x67446698, 0x668E33EF
"""Numbers with which commands, simple replies and chunks begin."""
ALLOCATION = "base:allocation"
"""The only meta context, a kind of status of bytes, that is served: which of them are holes."""
ALLOCATION_ID = 1
"""The number by which replies name that context."""


class HandshakeFlag(IntFlag):
    """Flags of the server in the handshake; the client repeats the flags that it knows."""

    FIXED_NEWSTYLE = 1
    NO_ZEROES = 2


class HandshakeOption(IntEnum):
    """Options that a client may send in the handshake."""

    EXPORT_NAME = 1
    ABORT = 2
    LIST = 3
    INFO = 6
    GO = 7
    STRUCTURED_REPLY = 8
    LIST_META_CONTEXT = 9
    SET_META_CONTEXT = 10


class OptionReply(IntEnum):
    """Kinds of replies to an option."""

    ACK = 1
    SERVER = 2
    INFO = 3
    META_CONTEXT = 4
    UNSUPPORTED = 2**31 + 1
    INVALID = 2**31 + 3
    UNKNOWN = 2**31 + 6
    TOO_BIG = 2**31 + 9


class Info(IntEnum):
    """Kinds of information on an export."""

    EXPORT = 0
    NAME = 1
    DESCRIPTION = 2
    BLOCK_SIZE = 3


class ExportFlag(IntFlag):
    """Features of an export that a client may use."""

    HAS_FLAGS = 1
    READ_ONLY = 2
    FLUSH = 4
    FUA = 8
    ROTATIONAL = 16
    TRIM = 32
    WRITE_ZEROES = 64
    DONT_FRAGMENT = 128
    MULTI_CONNECTION = 256


class CommandKind(IntEnum):
    """Kinds of commands."""

    READ = 0
    WRITE = 1
    DISCONNECT = 2
    FLUSH = 3
    TRIM = 4
    WRITE_ZEROES = 6
    BLOCK_STATUS = 7


CHANGING_KINDS = (CommandKind.WRITE, CommandKind.WRITE_ZEROES, CommandKind.TRIM)
"""Kinds of commands that change the bytes of an export."""


class CommandFlag(IntFlag):
    """Flags of a command."""

    FUA = 1
    NO_HOLE = 2
    DONT_FRAGMENT = 4
    ONE_EXTENT = 8


class ErrorCode(IntEnum):
    """Errors in replies to commands."""

    NONE = 0
    NOT_PERMITTED = 1
    IO = 5
    INVALID = 22
    NO_SPACE = 28
    OVERFLOW = 75


class ChunkKind(IntEnum):
    """Kinds of chunks of a structured reply."""

    NONE = 0
    DATA = 1
    HOLE = 2
    BLOCK_STATUS = 5
    ERROR = 2**15 + 1


HOLE_AND_ZERO = 3
"""The state of a hole in base:allocation; that of data is 0."""
LAST_CHUNK = 1
"""The flag of the last chunk of a structured reply."""

GREETING, CLIENT_FLAGS = Struct(">QQH"), Struct(">I")
OPTION, OPTION_REPLY = Struct(">QII"), Struct(">QIII")
COMMAND, SIMPLE, CHUNK = Struct(">IHHQQI"), Struct(">IIQ"), Struct(">IHHQI")
U16, U32, U64 = Struct(">H"), Struct(">I"), Struct(">Q")
EXPORT_INFO, BLOCK_SIZES, EXTENT = Struct(">QH"), Struct(">III"), Struct(">II")
"""Layouts of messages and of their fields, big-endian; U16, U32 and U64 are numbers alone."""
FLAGS_OF = {kind: int(flags) for kind, flags in {
    CommandKind.READ: CommandFlag.FUA | CommandFlag.DONT_FRAGMENT, CommandKind.WRITE: CommandFlag.FUA,
    CommandKind.FLUSH: CommandFlag.FUA, CommandKind.TRIM: CommandFlag.FUA,
    CommandKind.WRITE_ZEROES: CommandFlag.FUA | CommandFlag.NO_HOLE,
    CommandKind.BLOCK_STATUS: CommandFlag.FUA | CommandFlag.ONE_EXTENT,
}.items()}  # fmt: skip
"""The flags that a command may have, as numbers: ~ of an IntFlag would know only its own bits."""


class Malformed(ValueError):
    """A client's message breaks the protocol, so that nothing after it can be understood: the connection ends."""


class OptionHeader(NamedTuple):
    """The header of an option: its number, and the *length* of its data in bytes."""

    option: int
    length: int

    @classmethod
    def read(cls, data: bytes) -> Self:
        magic, option, length = OPTION.unpack(data)
        if magic != OPTION_MAGIC:
            raise Malformed(f"an option begins with {magic:#x}")
        return cls(option, length)


@dataclass(frozen=True, slots=True)
class Command:
    """A request of the transmission phase, without its payload; *kind* and *flags* may be any number."""

    flags: int
    kind: int
    cookie: int
    span: Span

    @classmethod
    def read(cls, data: bytes) -> Self:
        magic, flags, kind, cookie, first, length = COMMAND.unpack(data)
        if magic != COMMAND_MAGIC:
            raise Malformed(f"a command begins with {magic:#x}")
        return cls(flags, kind, cookie, Span(first, length))

    @property
    def durable(self) -> bool:
        """True if the reply promises that the bytes are on the medium."""
        return self.kind == CommandKind.FLUSH or (self.kind in CHANGING_KINDS and bool(self.flags & CommandFlag.FUA))


class OptionFields:
    """Reads the fields of an option's *data* in turn; Malformed where data is missing, or text is no UTF-8."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def number(self, shape: Struct) -> int:
        (value,) = shape.unpack(self._take(shape.size))
        return int(value)

    def text(self) -> str:
        """Read a string, which follows its length."""
        return as_name(self._take(self.number(U32)))

    def end(self) -> None:
        if self._place != len(self._data):
            raise Malformed("there is more than there should be")

    def _take(self, length: int) -> bytes:
        piece = self._data[self._place : self._place + length]
        if len(piece) < length:
            raise Malformed("there is less than there should be")
        self._place += length
        return piece


def as_name(data: bytes) -> str:
    """Return *data* as a string of the protocol; Malformed where it is none."""
    if len(data) > MAX_NAME:
        raise Malformed(f"a name of {len(data)} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Malformed("a name that is not UTF-8") from None


def text(words: str) -> bytes:
    """Return *words* as a string of the protocol: the length, then the bytes."""
    data = words.encode()
    return U32.pack(len(data)) + data


# Replies to commands as bytes: simple, or structured, in chunks that can mark holes.

MAX_CHUNKS = 64
"""Most chunks of the reply to one read; a read with more extents is sent as plain data."""


class StoreExtent(NamedTuple):
    """An extent of a store: *length* bytes that are all a *hole*, which reads as zeroes, or all kept."""

    length: int
    hole: bool


class ByteSource(Protocol):
    """A source of the bytes of a read, which knows its holes."""

    def read(self, first: int, length: int) -> bytes: ...

    def extents(self, first: int, length: int) -> Iterator[StoreExtent]: ...


class Replies(Protocol):
    """Writes replies in the form that a connection has agreed on."""

    def success(self, command: Command) -> bytes: ...

    def failure(self, command: Command, fault: ErrorCode) -> bytes: ...

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        """Return the reply to a read, in pieces; OSError where the *source* fails."""


class SimpleReplies:
    """Writes simple replies: a header, and the data of a read."""

    def success(self, command: Command) -> bytes:
        return SIMPLE.pack(SIMPLE_MAGIC, 0, command.cookie)

    def failure(self, command: Command, fault: ErrorCode) -> bytes:
        return SIMPLE.pack(SIMPLE_MAGIC, fault, command.cookie)

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        return self.success(command), source.read(*command.span)


class StructuredReplies:
    """Writes structured replies, in chunks, which can mark holes and give an error in words."""

    def success(self, command: Command) -> bytes:
        return _chunk(command, ChunkKind.NONE, 0, last=True)

    def failure(self, command: Command, fault: ErrorCode) -> bytes:
        words = fault.name.lower().replace("_", " ").encode()
        body = U32.pack(fault) + U16.pack(len(words)) + words
        return _chunk(command, ChunkKind.ERROR, len(body), last=True) + body

    def data(self, command: Command, source: ByteSource) -> Iterable[bytes]:
        extents = [] if command.flags & CommandFlag.DONT_FRAGMENT else first_few(
            source.extents(*command.span), MAX_CHUNKS + 1)
        if not 0 < len(extents) <= MAX_CHUNKS:
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
    """Return the reply to a command for base:allocation; it is always a structured one."""
    body = b"".join(EXTENT.pack(length, HOLE_AND_ZERO if hole else 0) for length, hole in extents)
    return _chunk(command, ChunkKind.BLOCK_STATUS, 4 + len(body), last=True) + U32.pack(ALLOCATION_ID) + body


def _chunk(command: Command, kind: ChunkKind, length: int, last: bool) -> bytes:
    return CHUNK.pack(CHUNK_MAGIC, LAST_CHUNK if last else 0, kind, command.cookie, length)


def first_few(extents: Iterator[StoreExtent], most: int) -> list[StoreExtent]:
    """Return the first extents, at most *most*."""
    return [extent for extent, _ in zip(extents, range(most), strict=False)]
