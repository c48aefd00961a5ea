"""Clients that mean ill, or are broken: whatever they send, nothing falls over, nothing leaks, nobody else is harmed.

A slice of the campaign runs here; ``SPINDLE_NBD_INPUTS=1000000`` runs as many inputs.
"""

import asyncio
import os
import struct
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.serve import connection, server
from spindle.serve.address import StampedReader
from spindle.serve.connection import MAX_COMMAND_BYTES, PayloadRoom
from tests.serve.wire import (
    GO,
    GREETING,
    HELLO,
    PATIENCE,
    READ,
    SET_CONTEXT,
    SIZE,
    STRUCTURED,
    WRITE,
    Bench,
    Pipe,
    command,
    option,
    simple,
    text,
    u32,
)

INPUTS = int(os.environ.get("SPINDLE_NBD_INPUTS", "3000"))
ROUND = 1000
LEAKED = 32 << 20
"""Bytes of resident memory by which a long campaign may grow."""
NUMBERS = (0, 1, 2, 7, 255, 511, 512, 4096, SIZE - 1, SIZE, SIZE + 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
ENTER = option(GO, text(b"") + b"\0\0")
CONTEXTS = option(STRUCTURED) + option(SET_CONTEXT, text(b"") + u32(1) + text(b"base:allocation"))


def number(random: Random, bits: int) -> int:
    return (random.choice(NUMBERS) if random.random() < 0.7 else random.getrandbits(bits)) % (1 << bits)


def an_option(random: Random) -> bytes:
    data = random.randbytes(random.randrange(20))
    if random.random() < 0.5:
        data = text(random.choice((b"", b"disc", b"other", data))) + random.choice((b"\0\0", b"\0\1\0\3", u32(1), data))
    length = len(data) if random.random() < 0.8 else number(random, 32)
    return b"IHAVEOPT" + u32(random.randrange(13)) + u32(length) + data


def a_command(random: Random) -> bytes:
    payload = random.randbytes(random.randrange(600))
    length = len(payload) if random.random() < 0.5 else number(random, 32) % (1 << 16)
    magic = 0x25609513 if random.random() < 0.97 else number(random, 32)
    flags = random.choice((0, 0, 1, 2, 4, 8, number(random, 16)))
    kind, cookie, first = random.randrange(10), random.getrandbits(64), number(random, 64)
    head = struct.pack(">IHHQQI", magic, flags, kind, cookie, first, length)
    return head + (payload if random.random() < 0.8 else b"")


def hostile(random: Random) -> bytes:
    """What one client sends before it is gone: messages that are nearly right, cut and changed."""
    parts = [HELLO if random.random() < 0.95 else random.randbytes(4)]
    parts += [an_option(random) for _ in range(random.randrange(3))]
    if random.random() < 0.7:
        parts += [CONTEXTS] if random.random() < 0.5 else []
        parts += [ENTER, *(a_command(random) for _ in range(random.randrange(6)))]
    data = bytearray(b"".join(parts))
    if random.random() < 0.2:
        data[random.randrange(len(data))] = random.getrandbits(8)
    return bytes(data[: random.randrange(len(data) + 1)] if random.random() < 0.3 else data)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def campaign(bench: Bench, random: Random, count: int) -> None:
    """So many hostile clients; and then one that is not, for whom all is as it should be."""
    for _ in range(count):
        await bench.converse(hostile(random))
    deadline = monotonic() + PATIENCE
    while bench.server._room.free < MAX_COMMAND_BYTES and monotonic() < deadline:  # some are being synchronised
        await asyncio.sleep(0.01)
    assert bench.server.connections == 0
    assert bench.server._room.free == MAX_COMMAND_BYTES
    first, data = random.randrange(SIZE - 600), random.randbytes(600)
    said = await bench.converse(HELLO, option(1, b"disc"), command(WRITE, first, data=data), command(READ, first, 600))
    assert said[len(GREETING) + 10 :] == simple() + simple(data=data)
    assert bench.exports["other"].store.read(0, 4096) == b"o" * 4096


def test_nobody_falls_over_what_clients_send() -> None:
    bench, random = Bench(), Random(18)
    bench.exports["other"].store.write(0, b"o" * 4096)
    asyncio.run(campaign(bench, random, ROUND))
    before = resident() if Path("/proc/self/statm").exists() else 0
    for _ in range(INPUTS // ROUND - 1):
        asyncio.run(campaign(bench, random, ROUND))
        bench.device.asked.clear()
        bench.late.clear()
    assert bench.server.malformed > ROUND // 100
    assert not before or resident() - before < LEAKED


@given(st.binary(max_size=80), st.booleans())
def test_bytes_of_any_kind_end_a_connection_at_worst(data: bytes, entered: bool) -> None:
    bench = Bench()
    asyncio.run(bench.converse(*([HELLO, ENTER] if entered else []), data))
    assert bench.server.connections == 0


def test_who_goes_within_a_payload_leaves_its_room_to_others() -> None:
    bench = Bench()
    bench.talk(HELLO, ENTER, command(WRITE, 0, 1000)[:28], b"x" * 10)
    assert (bench.server._room.free, bench.server.connections, bench.device.asked) == (MAX_COMMAND_BYTES, 0, [])


class Deaf(Pipe):
    """A client that takes nothing."""

    def write(self, data: bytes) -> None:
        if self.written:
            self.stuck = True
        super().write(data)

    def get_write_buffer_size(self) -> int:
        return len(self.written)

    async def drain(self) -> None:
        if len(self.written) > 300:
            await asyncio.Event().wait()


def test_who_takes_no_replies_is_cut_off_and_what_he_held_is_free_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(connection, "STALL_SECONDS", 0.01)
    bench = Bench()

    async def talk() -> Pipe:
        reader, pipe = StampedReader(), Deaf()
        reader.feed_data(HELLO + ENTER + 5 * command(READ, 0, 65536))
        await asyncio.create_task(bench.server.serve_client(reader, cast(Any, pipe)))
        return pipe

    pipe = asyncio.run(talk())
    assert (pipe.closed, len(pipe.written) < 2 * 65536, bench.server._room.free) == (True, True, MAX_COMMAND_BYTES)


def test_who_chooses_nothing_is_cut_off(monkeypatch: Any) -> None:
    monkeypatch.setattr(server, "HANDSHAKE_SECONDS", 0.01)
    bench = Bench()

    async def talk() -> Pipe:
        reader, pipe = StampedReader(), Pipe()
        reader.feed_data(HELLO)
        await asyncio.create_task(bench.server.serve_client(reader, cast(Any, pipe)))
        return pipe

    assert asyncio.run(talk()).closed


def test_room_is_given_in_order_and_comes_back_from_who_gave_up() -> None:
    async def crowd() -> list[str]:
        room, log = PayloadRoom(10), []

        async def want(name: str, length: int) -> None:
            await room.take(length)
            log.append(name)

        await want("first", 10)
        second, third, fourth = (asyncio.create_task(want(name, length))
                                 for name, length in (("second", 5), ("third", 3), ("fourth", 2)))  # fmt: skip
        await asyncio.sleep(0)
        await want("nothing", 0)
        second.cancel()
        await asyncio.sleep(0)
        room.give_back(3)
        await third
        room.give_back(1)
        await asyncio.sleep(0)
        assert log == ["first", "nothing", "third"]
        room.give_back(6)
        await fourth
        assert room.free == 5
        late = asyncio.create_task(want("late", 9))
        await asyncio.sleep(0)
        room.give_back(5)
        late.cancel()  # it has got its room by now, and does not know it yet
        with pytest.raises(asyncio.CancelledError):
            await late
        assert room.free == 10
        return log

    assert asyncio.run(crowd()) == ["first", "nothing", "third", "fourth"]
