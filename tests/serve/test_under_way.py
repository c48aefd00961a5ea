"""Commands under way: what they hold and for how long, who waits for them, and what is left if a client goes."""

import asyncio
import errno
import os
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from spindle.serve import connection, protocol
from spindle.serve.address import StampedReader
from spindle.serve.connection import MAX_COMMAND_BYTES
from spindle.serve.export import SparseMemory
from spindle.serve.server import NbdServer
from tests.serve.wire import (
    DISCONNECT,
    FLUSH,
    GO,
    HELLO,
    PATIENCE,
    READ,
    SIZE,
    TRIM,
    WRITE,
    ZEROES,
    Bench,
    Pipe,
    command,
    option,
    simple,
    text,
)

MOST = 1 << 14
"""Bytes of the largest command here."""
FUA = 1
ENTER = HELLO + option(GO, text(b"") + b"\0\0")


class Later:
    """A pace at which simulated time stands still until a test lets it run; every event is late by *late* seconds."""

    late = 0.25

    def __init__(self) -> None:
        self.came: list[float] = []
        self.noted: list[float] = []

    def enter(self, arrive: Callable[[], None], came: float) -> None:
        self.came.append(came)
        arrive()

    def seconds_late(self) -> float:
        return self.late

    def note_reply(self, late: float) -> None:
        self.noted.append(late)


class Stuck(Pipe):
    """A transport of which the client takes *taken* bytes, the handshake at first, and no more until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: float = 1000.0
        self.high = 1 << 16

    def get_write_buffer_size(self) -> int:
        return int(max(0.0, len(self.written) - self.taken))

    def set_write_buffer_limits(self, high: int | None) -> None:
        self.high = 1 << 16 if high is None else high

    async def drain(self) -> None:
        while self.get_write_buffer_size() > self.high:
            await asyncio.sleep(0)


class Visit:
    """A client of a bench whose time stands still, which has just entered and says *said*."""

    def __init__(self, said: bytes, bench: Bench | None = None) -> None:
        self.bench = bench or Bench()
        self.pace = Later()
        self.bench.server = NbdServer(self.bench.exports, self.pace, self.bench.late.append)
        self.reader, self.pipe = StampedReader(), Stuck()
        self.task = asyncio.create_task(self.bench.server.serve_client(self.reader, cast(Any, self.pipe)))
        self.reader.feed_data(ENTER + said)
        self.failed: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.failed.append(context))

    @property
    def held(self) -> int:
        return MAX_COMMAND_BYTES - self.bench.server._room.free

    @property
    def replies(self) -> bytes:
        return bytes(self.pipe.written[18 + 20 + 12 + 20 + 14 + 20 :])

    async def settle(self) -> None:
        for _ in range(30):
            await asyncio.sleep(0)

    async def leave(self) -> None:
        self.reader.feed_eof()
        await asyncio.wait_for(self.task, PATIENCE)
        assert self.failed == []


@pytest.mark.parametrize(("said", "held", "asked"), [
    (command(READ, 0, 4096), 4096, True), (command(WRITE, 0, data=bytes(100)), 100, True),
    (command(READ, 0, MOST), MOST, True), (command(WRITE, 0, data=bytes(MOST)), MOST, True),
    (command(TRIM, 0, 4096, FUA), 0, True), (command(ZEROES, 0, 4096), 0, True), (command(FLUSH), 0, True),
    (command(READ, 0, MOST + 1), 0, False), (command(READ, 2 * MOST, 1), 0, False),
    (command(WRITE, 0, 100)[:28], 100, False), (command(WRITE, 2 * MOST, 100)[:28], 100, False),  # its data are to come
    (command(WRITE, 0, MOST + 1)[:28], 0, False),
])  # fmt: skip
def test_a_command_holds_its_bytes_until_it_is_done_though_the_client_goes(
    said: bytes, held: int, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "MAX_PAYLOAD", MOST)

    async def visit() -> None:
        there = Visit(said, Bench(SparseMemory(MOST)))
        await there.settle()
        assert (there.held, bool(there.bench.device.asked)) == (held, asked)
        await there.leave()
        assert there.held == (held if asked else 0)
        before = there.replies
        there.bench.env.run()
        await there.settle()
        assert (there.held, there.replies, there.bench.late) == (0, before, [])

    asyncio.run(visit())


def test_a_reply_is_sent_when_it_is_due_and_how_late_is_told() -> None:
    async def visit() -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        there = Visit(command(READ, 0, 3) + command(READ, SIZE, 1))
        await there.settle()
        assert there.replies == simple(22), "what is refused is not late"
        (came,) = there.pace.came
        assert began <= came <= clock()
        there.bench.env.run()
        assert there.replies == simple(22) + simple(data=bytes(3)), "at once"
        assert there.bench.late == there.pace.noted
        assert 0.25 <= there.bench.late[0] <= 0.25 + clock() - began
        await there.leave()

    asyncio.run(visit())


def test_what_a_client_does_not_take_is_held_and_later_replies_wait_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_UNDER_WAY", 4)

    async def visit() -> None:
        there = Visit(b"".join(command(READ, 0, 1000, cookie=cookie) for cookie in range(6)))
        await there.settle()
        assert (there.held, len(there.bench.device.asked)) == (4000, 4)
        there.bench.env.run()
        there.pipe.taken = 1500.0  # of the second, some hundred bytes have been taken
        await there.settle()
        assert (len(there.bench.late), there.held, len(there.bench.device.asked)) == (2, 4000, 5)
        there.bench.env.run()
        there.pipe.taken = float("inf")
        await there.settle()
        there.bench.env.run()
        await there.settle()
        assert there.replies == b"".join(simple(cookie=cookie, data=bytes(1000)) for cookie in range(6))
        assert (there.held, len(there.bench.late)) == (0, 6)
        there.reader.feed_data(command(READ, 0, 1))
        await there.settle()
        there.bench.env.run()
        assert there.replies.endswith(simple(data=b"\0")), "at once again"
        await there.leave()

    asyncio.run(visit())


def test_who_goes_with_replies_that_he_has_not_taken_leaves_nothing_behind() -> None:
    async def visit() -> None:
        there = Visit(2 * command(READ, 0, 1000))
        await there.settle()
        there.bench.env.run()
        there.reader.feed_data(command(READ, 0, 500))  # is under way when he goes
        await there.settle()
        assert there.held == 2500
        await there.leave()
        assert there.held == 500
        there.bench.env.run()
        await there.settle()
        assert (there.held, len(there.bench.late)) == (0, 1)

    asyncio.run(visit())


def test_who_disconnects_has_all_replies_first() -> None:
    async def visit() -> None:
        there = Visit(command(WRITE, 0, data=b"abc") + command(DISCONNECT) + command(READ, 0, 1))
        await there.settle()
        assert (there.task.done(), there.pipe.closed) == (False, False)
        there.bench.env.run()
        await asyncio.wait_for(there.task, PATIENCE)
        assert (there.replies, there.pipe.closed, there.bench.store.read(0, 3)) == (simple(), True, b"abc")
        assert there.bench.device.asked == [("write", 0, 3)]

    asyncio.run(visit())


class SlowToSync(SparseMemory):
    """A store whose synchronisation waits until it is let go on, and may fail then."""

    def __init__(self, fails: bool) -> None:
        super().__init__(SIZE)
        self.may = threading.Event()
        self._fails = fails

    def sync(self) -> None:
        assert self.may.wait(PATIENCE)
        if self._fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("stays", "fails"), [(True, False), (False, False), (True, True), (False, True)])
def test_what_must_be_safe_is_replied_to_when_it_is(stays: bool, fails: bool) -> None:
    async def visit() -> None:
        store = SlowToSync(fails)
        there = Visit(command(WRITE, 0, flags=FUA, data=b"abc"), Bench(store))
        await there.settle()
        there.bench.env.run()
        await asyncio.sleep(0.005)
        assert (there.held, there.replies, store.read(0, 3)) == (3, b"", b"abc")
        if not stays:
            await there.leave()
        store.may.set()
        while there.held:
            await asyncio.sleep(0.001)
        assert there.replies == (simple(errno.ENOSPC if fails else 0) if stays else b"")
        assert (len(there.bench.late), all(0.254 < late < 9.0 for late in there.bench.late)) == (int(stays), True)
        assert there.failed == []
        if stays:
            await there.leave()

    asyncio.run(asyncio.wait_for(visit(), PATIENCE))


def test_nothing_is_sent_to_who_has_gone() -> None:
    async def visit() -> None:
        there = Visit(command(READ, 0, 10))
        await there.settle()
        there.pipe.closed = True
        there.bench.env.run()
        assert (there.replies, there.bench.late, there.held) == (b"", [], 0)
        await there.leave()

    asyncio.run(visit())


@pytest.mark.parametrize("length", [100, MOST + 1])
def test_who_sends_no_data_is_cut_off(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STALL_SECONDS", 0.01)
    monkeypatch.setattr(protocol, "MAX_PAYLOAD", MOST)

    async def visit() -> None:
        there = Visit(command(WRITE, 0, length)[:28] + b"x" * 50)
        done, _ = await asyncio.wait([there.task], timeout=PATIENCE)
        assert done
        assert (there.held, there.pipe.closed, there.bench.server.malformed) == (0, True, 0)

    asyncio.run(visit())


def test_a_server_that_ends_cuts_all_clients() -> None:
    async def visit() -> None:
        there = Visit(command(READ, 0, 4096))
        await there.settle()
        assert there.bench.server.connections == 1
        await asyncio.wait_for(there.bench.server.end(), PATIENCE)
        assert (there.bench.server.connections, there.pipe.closed, there.task.done()) == (0, True, True)
        there.bench.env.run()
        assert (there.held, there.replies) == (0, b"")

    asyncio.run(visit())
