"""A client of the NBD protocol: its messages, and its conversation with a server without a network or a clock."""

import asyncio
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

import simpy

from spindle.serve.address import StampedReader
from spindle.serve.export import ByteStore, Export, SparseMemory
from spindle.serve.server import NbdServer
from spindle.sim.request import Span

SIZE = 1 << 20
PATIENCE = 10.0
"""Seconds by the clock in which what was begun must end on a machine that does much else."""
HELLO = b"\0\0\0\3"
READ, WRITE, DISCONNECT, FLUSH, TRIM, CACHE, ZEROES, STATUS = range(8)
GO, STRUCTURED, LIST, SET_CONTEXT = 7, 8, 3, 10
GREETING = bytes.fromhex("4e42444d41474943 49484156454f5054 0003")


class SecondEach:
    """A device that takes a second for everything, and notes what it was asked for."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.asked: list[tuple[object, ...]] = []

    def _take(self, *what: object) -> simpy.Event:
        self.asked.append(what)
        return self.env.timeout(1.0)

    def read(self, span: Span) -> simpy.Event:
        return self._take("read", *span)

    def write(self, span: Span, durable: bool) -> simpy.Event:
        return self._take("write", *span, *(["durable"] if durable else []))

    def flush(self) -> simpy.Event:
        return self._take("flush")

    def discard(self, span: Span) -> None:
        self.asked.append(("discard", *span))


class AtOnce:
    """A pace without a wall clock: all that is simulated is over at once."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        arrive()
        self._env.run()

    def seconds_late(self) -> float:
        return 0.0

    def note_reply(self, late: float) -> None:
        pass


class Pipe:
    """What a server writes; a transport that takes everything."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.transport = self
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written += data

    def writelines(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self.write(piece)

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    abort = close


class Bench:
    """Exports ``disc`` and ``other``, of which the second is read-only, and a server of them."""

    def __init__(self, store: ByteStore | None = None) -> None:
        self.env = simpy.Environment()
        self.device = SecondEach(self.env)
        self.store = store or SparseMemory(SIZE)
        other = Export("other", SecondEach(self.env), SparseMemory(4096), 512, read_only=True, about="about it")
        self.exports: Mapping[str, Export] = {"disc": Export("disc", self.device, self.store, 256), "other": other}
        self.late: list[float] = []
        self.server = NbdServer(self.exports, AtOnce(self.env), self.late.append)

    async def converse(self, *messages: bytes) -> bytes:
        """What the server says to a client that sends *messages* and goes."""
        reader, pipe = StampedReader(), Pipe()
        reader.feed_data(b"".join(messages))
        reader.feed_eof()
        await asyncio.create_task(self.server.serve_client(reader, cast(Any, pipe)))
        assert pipe.closed
        return bytes(pipe.written)

    def talk(self, *messages: bytes) -> bytes:
        return asyncio.run(asyncio.wait_for(self.converse(*messages), PATIENCE))

    def replies(self, *commands: bytes, name: bytes = b"disc", structured: bool = False) -> bytes:
        """To *commands*, behind a handshake, before the client disconnects."""
        chosen = [option(STRUCTURED), option(SET_CONTEXT, text(name) + u32(1) + text(b"base:allocation"))]
        hello = [HELLO, *(chosen if structured else []), option(GO, text(name) + b"\0\0")]
        return self.talk(*hello, *commands, command(DISCONNECT))[len(self.talk(*hello)) :]


class Reply(NamedTuple):
    cookie: int
    kind: int
    body: bytes
    last: bool


def u32(number: int) -> bytes:
    return struct.pack(">I", number)


def text(data: bytes) -> bytes:
    return u32(len(data)) + data


def option(number: int, data: bytes = b"") -> bytes:
    return b"IHAVEOPT" + u32(number) + text(data)


def command(kind: int, first: int = 0, length: int = 0, flags: int = 0, cookie: int = 7, data: bytes = b"") -> bytes:
    return struct.pack(">IHHQQI", 0x25609513, flags, kind, cookie, first, length or len(data)) + data


def options_of(data: bytes) -> list[tuple[int, int, bytes]]:
    """The replies to options behind a greeting: option, kind, and what comes with it."""
    assert data.startswith(GREETING)
    place, replies = len(GREETING), []
    while place < len(data):
        magic, number, kind, length = struct.unpack_from(">QIII", data, place)
        assert magic == 0x3E889045565A9
        replies.append((number, kind, data[place + 20 : place + 20 + length]))
        place += 20 + length
    assert place == len(data)
    return replies


def simple(error: int = 0, cookie: int = 7, data: bytes = b"") -> bytes:
    return struct.pack(">IIQ", 0x67446698, error, cookie) + data


def chunks_of(data: bytes) -> list[Reply]:
    place, replies = 0, []
    while place < len(data):
        magic, flags, kind, cookie, length = struct.unpack_from(">IHHQI", data, place)
        assert magic == 0x668E33EF
        replies.append(Reply(cookie, kind, data[place + 20 : place + 20 + length], flags == 1))
        place += 20 + length
    assert place == len(data)
    return replies
