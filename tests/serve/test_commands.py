"""Tests commands after the handshake: the replies, the requests to the device, and the bytes in the store."""

import errno
import os
import struct

import pytest

from spindle.serve import protocol
from spindle.serve.export import SparseMemory
from tests.serve.wire import (
    CACHE,
    FLUSH,
    READ,
    SIZE,
    STATUS,
    TRIM,
    WRITE,
    ZEROES,
    Bench,
    Reply,
    chunks_of,
    command,
    simple,
)

FUA, NO_HOLE, WHOLE, ONE = 1, 2, 4, 8
NOT_PERMITTED, IO, INVALID, NO_SPACE, OVERFLOW = 1, 5, 22, 28, 75
PAGE = 4096


def test_what_was_written_is_read_and_each_takes_its_time() -> None:
    bench = Bench()
    said = bench.replies(command(WRITE, 512, data=b"spindle"), command(READ, 511, 9, cookie=2**64 - 1))
    assert said == simple() + simple(cookie=2**64 - 1, data=b"\0spindle\0")
    assert bench.device.asked == [("write", 512, 7), ("read", 511, 9)]
    assert bench.env.now == 2.0
    assert bench.late


def test_flush_fua_trim_and_zeroes_reach_the_device() -> None:
    bench = Bench()
    bench.store.write(0, b"x" * 3 * PAGE)
    said = bench.replies(command(FLUSH), command(WRITE, 0, flags=FUA, data=b"y"), command(TRIM, PAGE, PAGE),
                         command(ZEROES, 2 * PAGE, PAGE), command(ZEROES, 0, 1, FUA | NO_HOLE),
                         command(TRIM, PAGE + 1, 1, FUA))  # fmt: skip
    assert said == 6 * simple()
    assert bench.device.asked == [("flush",), ("write", 0, 1, "durable"), ("discard", PAGE, PAGE),
                                  ("write", 2 * PAGE, PAGE), ("write", 0, 1, "durable"),
                                  ("discard", PAGE + 1, 1), ("flush",)]  # fmt: skip
    assert bench.store.read(0, 3 * PAGE) == b"\0" + b"x" * (PAGE - 1) + bytes(2 * PAGE)


class Watched(SparseMemory):
    """Notes what was written when it was synchronised."""

    def __init__(self) -> None:
        super().__init__(SIZE)
        self.safe: list[bytes] = []

    def sync(self) -> None:
        self.safe.append(self.read(0, 1))


def test_a_reply_to_flush_and_fua_comes_after_the_store_is_safe() -> None:
    store = Watched()
    said = Bench(store).replies(command(WRITE, 0, data=b"a"), command(FLUSH), cookies := command(READ, 0, 1))
    assert (cookies, store.safe) == (command(READ, 0, 1), [b"a"])
    assert len(said) == len(3 * simple()) + 1
    store.safe.clear()
    Bench(store).replies(command(WRITE, 0, flags=FUA, data=b"b"), command(WRITE, 0, data=b"c"))
    assert store.safe in ([b"b"], [b"c"]), "with both under way either may be the last"


@pytest.mark.parametrize(("asked", "error"), [
    (command(READ, SIZE - 1, 2), INVALID), (command(READ, 2**64 - 1, 1), INVALID), (command(TRIM, SIZE, 1), INVALID),
    (command(WRITE, SIZE - 1, data=b"xy"), NO_SPACE), (command(ZEROES, 0, 2**32 - 1), NO_SPACE),
    (command(CACHE, 0, 1), INVALID), (command(99), INVALID), (command(READ, 0, 1, NO_HOLE), INVALID),
    (command(WRITE, 0, flags=ONE, data=b"x"), INVALID), (command(FLUSH, 1), INVALID), (command(STATUS, 0, 1), INVALID),
    (command(READ, 0, 1, 2**15), INVALID),
])  # fmt: skip
def test_what_may_not_be_is_refused_and_the_next_command_is_done(asked: bytes, error: int) -> None:
    bench = Bench()
    assert bench.replies(asked, command(READ, 0, 1, cookie=8)) == simple(error) + simple(cookie=8, data=b"\0")
    assert bench.device.asked == [("read", 0, 1)]


def test_too_much_at_once_is_refused_and_its_payload_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_PAYLOAD", most := 1 << 17)
    asked = command(READ, 0, most + 1), command(WRITE, 0, data=bytes(most + 1)), command(READ, 0, 1)
    assert Bench().replies(*asked) == simple(OVERFLOW) + simple(INVALID) + simple(data=b"\0")


class Pieces(SparseMemory):
    """Notes where it was written, and how much."""

    def __init__(self) -> None:
        super().__init__(SIZE)
        self.spans: list[tuple[int, int]] = []

    def write(self, first: int, data: bytes) -> None:
        self.spans.append((first, len(data)))
        super().write(first, data)


def test_zeroes_that_are_no_hole_keep_their_room_and_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_PAYLOAD", PAGE)
    store = Pieces()
    said = Bench(store).replies(command(WRITE, 2 * PAGE, data=b"x" * PAGE), command(ZEROES, 1, 2 * PAGE + 1, NO_HOLE),
                                command(ZEROES, 4 * PAGE, PAGE), command(TRIM, 5 * PAGE, PAGE))  # fmt: skip
    assert said == 4 * simple()
    assert store.spans[1:] == [(1, PAGE), (PAGE + 1, PAGE), (2 * PAGE + 1, 1)]
    assert list(store.extents(0, SIZE)) == [(3 * PAGE, False), (SIZE - 3 * PAGE, True)]
    assert store.read(2 * PAGE, 4) == b"\0\0xx"


def test_nobody_writes_what_is_read_only() -> None:
    bench = Bench()
    asked = command(WRITE, 0, data=b"x"), command(TRIM, 0, 1), command(ZEROES, 0, 1), command(READ, 0, 1)
    assert bench.replies(*asked, name=b"other") == 3 * simple(NOT_PERMITTED) + simple(data=b"\0")


def test_no_bytes_take_no_time() -> None:
    bench = Bench()
    assert bench.replies(command(READ), command(WRITE), command(TRIM), command(ZEROES)) == 4 * simple()
    assert (bench.env.now, chunks_of(bench.replies(command(READ), structured=True))) == (0.0, [Reply(7, 0, b"", True)])


def test_holes_are_told_in_structured_reads_unless_they_are_to_be_whole() -> None:
    bench = Bench()
    bench.store.write(PAGE, b"x" * PAGE)
    one, other = chunks_of(bench.replies(command(READ, PAGE - 1, 3), structured=True))
    assert one == Reply(7, 2, struct.pack(">QI", PAGE - 1, 1), False)
    assert other == Reply(7, 1, struct.pack(">Q", PAGE) + b"xx", True)
    whole = chunks_of(bench.replies(command(READ, PAGE - 1, 3, WHOLE), structured=True))
    assert whole == [Reply(7, 1, struct.pack(">Q", PAGE - 1) + b"\0xx", True)]
    one, other = chunks_of(bench.replies(command(READ, 2 * PAGE - 1, PAGE), structured=True))
    assert one == Reply(7, 1, struct.pack(">Q", 2 * PAGE - 1) + b"x", False)
    assert other == Reply(7, 2, struct.pack(">QI", 2 * PAGE, PAGE - 1), True)
    (one,) = chunks_of(bench.replies(command(READ, 3 * PAGE, 2 * PAGE), structured=True))
    assert one == Reply(7, 2, struct.pack(">QI", 3 * PAGE, 2 * PAGE), True)


@pytest.mark.parametrize(("most", "kinds"), [(3, [2, 1, 2]), (2, [1])])
def test_a_read_of_more_extents_than_are_told_is_of_plain_data(
    most: int, kinds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "MAX_CHUNKS", most)
    bench = Bench()
    bench.store.write(PAGE, b"x" * PAGE)
    assert [reply.kind for reply in chunks_of(bench.replies(command(READ, 0, 3 * PAGE), structured=True))] == kinds


def test_block_status_says_where_holes_are() -> None:
    bench = Bench()
    bench.store.write(PAGE, b"x")
    said = chunks_of(bench.replies(command(STATUS, 0, SIZE), command(STATUS, 0, SIZE, ONE), structured=True))
    holes = [PAGE, 3, PAGE, 0, SIZE - 2 * PAGE, 3]
    assert said == [Reply(7, 5, struct.pack(">7I", 1, *holes), True), Reply(7, 5, struct.pack(">3I", 1, PAGE, 3), True)]
    assert chunks_of(bench.replies(command(STATUS), structured=True))[0].kind == 2**15 + 1


def test_errors_are_structured_too() -> None:
    (said,) = chunks_of(Bench().replies(command(READ, SIZE, 1), structured=True))
    assert said == Reply(7, 2**15 + 1, struct.pack(">IH", INVALID, 7) + b"invalid", True)
    (said,) = chunks_of(Bench().replies(command(WRITE, 0, data=b"x"), name=b"other", structured=True))
    assert said == Reply(7, 2**15 + 1, struct.pack(">IH", NOT_PERMITTED, 13) + b"not permitted", True)


class Broken(SparseMemory):
    """A medium that fails."""

    def read(self, first: int, length: int) -> bytes:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def sync(self) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_medium_that_fails_or_is_full_is_told_to_the_client() -> None:
    asked = command(WRITE, 0, data=b"x" * PAGE), command(WRITE, PAGE, data=b"x"), command(READ, 0, 1)
    assert Bench(Broken(SIZE, most=PAGE)).replies(*asked) == simple() + simple(NO_SPACE) + simple(IO)
    assert Bench(Broken(SIZE)).replies(command(FLUSH)) == simple(IO)
    assert Bench(Broken(SIZE, most=0)).replies(command(WRITE, 0, flags=FUA, data=b"x")) == simple(NO_SPACE)


def test_two_clients_see_what_each_other_writes() -> None:
    bench = Bench()
    assert bench.replies(command(WRITE, 0, data=b"mine")) == simple()
    assert bench.replies(command(READ, 0, 4)) == simple(data=b"mine")


def test_a_command_that_is_none_ends_the_connection() -> None:
    bench = Bench()
    assert bench.replies(command(READ, 0, 1), bytes(28)) == simple(data=b"\0")
    assert bench.server.malformed >= 1
