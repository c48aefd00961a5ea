"""The handshake, byte by byte, as doc/proto.md of the NBD project has it."""

import struct

import pytest

from tests.serve.wire import (
    DISCONNECT,
    GO,
    GREETING,
    HELLO,
    LIST,
    SET_CONTEXT,
    SIZE,
    STATUS,
    STRUCTURED,
    Bench,
    chunks_of,
    command,
    option,
    options_of,
    text,
    u32,
)

ABORT, STARTTLS, INFO, LIST_CONTEXTS = 2, 5, 6, 9
ACK, SERVER, OF_EXPORT, CONTEXT = 1, 2, 3, 4
UNSUPPORTED, INVALID, UNKNOWN, TOO_BIG = (2**31 + code for code in (1, 3, 6, 9))
CAN = 1 | 4 | 8 | 16 | 32 | 64 | 128 | 256
"""Flags, flush, FUA, rotational, trim, write zeroes, do not fragment, several connections."""


def test_the_greeting_is_that_of_fixed_newstyle() -> None:
    assert Bench().talk() == b"NBDMAGICIHAVEOPT\0\3" == GREETING


def test_exports_are_listed() -> None:
    said = options_of(Bench().talk(HELLO, option(LIST)))
    assert said == [(LIST, SERVER, text(b"disc")), (LIST, SERVER, text(b"other")), (LIST, ACK, b"")]


@pytest.mark.parametrize("name", [b"disc", b""])
def test_go_tells_size_flags_and_blocks(name: bytes) -> None:
    said = options_of(Bench().talk(HELLO, option(GO, text(name) + struct.pack(">HH", 1, 1))))
    assert said == [
        (GO, OF_EXPORT, struct.pack(">HQH", 0, SIZE, CAN)), (GO, OF_EXPORT, b"\0\1disc"),
        (GO, OF_EXPORT, struct.pack(">HIII", 3, 256, 4096, 32 << 20)), (GO, ACK, b""),
    ]  # fmt: skip


def test_what_is_read_only_says_so() -> None:
    said = options_of(Bench().talk(HELLO, option(INFO, text(b"other") + b"\0\0")))
    assert said[0] == (INFO, OF_EXPORT, struct.pack(">HQH", 0, 4096, CAN & ~(32 | 64) | 2))


@pytest.mark.parametrize(("hello", "padding"), [(HELLO, 0), (b"\0\0\0\1", 124)])
def test_the_old_way_to_choose_an_export(hello: bytes, padding: int) -> None:
    said = Bench().talk(hello, option(1, b"disc"))
    assert said == GREETING + struct.pack(">QH", SIZE, CAN) + bytes(padding)


def test_abort_is_acknowledged_and_ends_it() -> None:
    assert options_of(Bench().talk(HELLO, option(ABORT), option(LIST))) == [(ABORT, ACK, b"")]


@pytest.mark.parametrize(("number", "data", "code"), [
    (STARTTLS, b"", UNSUPPORTED), (99, b"x" * 100, UNSUPPORTED), (LIST, b"x", INVALID), (STRUCTURED, b"x", INVALID),
    (GO, b"", INVALID), (GO, u32(5) + b"disc", INVALID), (GO, text(b"\xff") + b"\0\0", INVALID),
    (GO, text(b"disc") + b"\0\1", INVALID), (GO, text(b"disc") + b"\0\0\0", INVALID),
    (GO, text(b"n" * 4097) + b"\0\0", INVALID), (GO, text(b"nowhere") + b"\0\0", UNKNOWN),
    (SET_CONTEXT, text(b"disc") + u32(0), INVALID), (99, b"x" * 70_000, TOO_BIG),
])  # fmt: skip
def test_a_wrong_option_is_refused_and_the_next_is_heard(number: int, data: bytes, code: int) -> None:
    said = options_of(Bench().talk(HELLO, option(number, data), option(LIST)))
    assert (said[0][:2], said[1:][-1]) == ((number, code), (LIST, ACK, b""))


@pytest.mark.parametrize("messages", [
    (b"\0\0\0\4",), (HELLO, b"IHAVEOPP" + bytes(8)), (HELLO, option(1, b"nowhere")), (HELLO, *[option(LIST)] * 65),
    (HELLO, b"IHAVEOPT" + u32(99) + u32(2**32 - 1)), (HELLO, option(1, b"\xff")),
])  # fmt: skip
def test_what_cannot_be_answered_ends_the_connection(messages: tuple[bytes, ...]) -> None:
    bench = Bench()
    bench.talk(*messages)
    assert bench.server.malformed == 1


def test_contexts_are_listed_and_chosen() -> None:
    for queries in ([], [b"base:"], [b"base:allocation"]):
        data = text(b"disc") + u32(len(queries)) + b"".join(map(text, queries))
        said = options_of(Bench().talk(HELLO, option(STRUCTURED), option(LIST_CONTEXTS, data)))
        assert said[1:] == [(LIST_CONTEXTS, CONTEXT, u32(0) + b"base:allocation"), (LIST_CONTEXTS, ACK, b"")]
    chosen = text(b"disc") + u32(2) + text(b"qemu:dirty-bitmap") + text(b"base:allocation")
    said = options_of(Bench().talk(HELLO, option(STRUCTURED), option(SET_CONTEXT, chosen)))
    assert said[1:] == [(SET_CONTEXT, CONTEXT, u32(1) + b"base:allocation"), (SET_CONTEXT, ACK, b"")]


@pytest.mark.parametrize(("asked", "kind"), [
    ([], 2**15 + 1), ([(SET_CONTEXT, b"disc", True)], 5), ([(SET_CONTEXT, b"other", True)], 2**15 + 1),
    ([(SET_CONTEXT, b"disc", True), (SET_CONTEXT, b"disc", False)], 2**15 + 1),
    ([(SET_CONTEXT, b"disc", True), (SET_CONTEXT, b"nowhere", True)], 2**15 + 1),
    ([(SET_CONTEXT, b"disc", True), (LIST_CONTEXTS, b"disc", False)], 5),
])  # fmt: skip
def test_the_context_chosen_last_counts_for_the_export_that_is_taken(
    asked: list[tuple[int, bytes, bool]], kind: int
) -> None:
    """A status of blocks is a chunk of kind 5; an error is one of kind 32769."""
    hello = [HELLO, option(STRUCTURED), *(
        option(number, text(name) + (u32(1) + text(b"base:allocation") if some else u32(0)))
        for number, name, some in asked), option(GO, text(b"disc") + b"\0\0")]  # fmt: skip
    bench = Bench()
    said = bench.talk(*hello, command(STATUS, 0, 512), command(DISCONNECT))[len(bench.talk(*hello)) :]
    assert [reply.kind for reply in chunks_of(said)] == [kind]


def test_more_connections_than_there_may_be_are_turned_away() -> None:
    bench = Bench()
    bench.server._tasks.update(range(64))  # type: ignore[arg-type]
    assert bench.talk(HELLO) == b""
    assert bench.server.refused == 1
