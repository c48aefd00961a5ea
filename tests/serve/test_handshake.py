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
CONTEXT_NAME = b"base:allocation"


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


MORE, LESS = b"there is more than there should be", b"there is less than there should be"


@pytest.mark.parametrize(("number", "data", "code", "why"), [
    (STARTTLS, b"", UNSUPPORTED, b""), (99, bytes(65_536), UNSUPPORTED, b""),
    (99, bytes(65_537), TOO_BIG, b""), (99, bytes(2**20), TOO_BIG, b""),
    (LIST, b"x", INVALID, MORE), (STRUCTURED, b"x", INVALID, MORE), (GO, text(b"disc") + b"\0\0\0", INVALID, MORE),
    (GO, b"", INVALID, LESS), (GO, u32(5) + b"disc", INVALID, LESS), (GO, text(b"disc") + b"\0\1", INVALID, LESS),
    (GO, text(b"\xff") + b"\0\0", INVALID, b"a name that is not UTF-8"),
    (GO, text(b"n" * 4097) + b"\0\0", INVALID, b"a name of 4097 bytes"),
    (GO, text(b"n" * 4096) + b"\0\0", UNKNOWN, b"there is no such export"),
    (SET_CONTEXT, text(b"disc") + u32(0), INVALID, b"contexts need structured replies"),
    (SET_CONTEXT, text(b"disc") + u32(0) + b"x", INVALID, MORE),
])  # fmt: skip
def test_a_wrong_option_is_refused_and_the_next_is_heard(number: int, data: bytes, code: int, why: bytes) -> None:
    said = options_of(Bench().talk(HELLO, option(number, data), option(STRUCTURED)))
    assert said == [(number, code, why), (STRUCTURED, ACK, b"")]


def test_whoever_asks_for_information_has_not_chosen_yet() -> None:
    """INFO has the same replies as GO, and all kinds of information come if they are asked for."""
    name = text(b"other")
    said = options_of(Bench().talk(HELLO, option(INFO, name + struct.pack(">HH", 1, 2)), option(GO, name + b"\0\0")))
    told = [(OF_EXPORT, struct.pack(">HQH", 0, 4096, CAN & ~(32 | 64) | 2)), (OF_EXPORT, b"\0\2about it"),
            (OF_EXPORT, struct.pack(">HIII", 3, 512, 4096, 32 << 20)), (ACK, b"")]  # fmt: skip
    assert said == [*((INFO, *each) for each in told), *((GO, *each) for each in (told[0], *told[2:]))]


@pytest.mark.parametrize("messages", [
    (b"\0\0\0\4",), (HELLO, b"IHAVEOPP" + bytes(8)), (HELLO, option(1, b"nowhere")), (HELLO, *[option(LIST)] * 65),
    (HELLO, option(99, bytes(2**20 + 1))), (HELLO, option(1, bytes(65_537))), (HELLO, option(1, b"\xff")),
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


BASE, HOLES, ERROR = b"base:", 5, 2**15 + 1


@pytest.mark.parametrize(("asked", "kind"), [
    ([], ERROR), ([(SET_CONTEXT, b"disc", CONTEXT_NAME)], HOLES), ([(SET_CONTEXT, b"other", CONTEXT_NAME)], ERROR),
    ([(SET_CONTEXT, b"disc", CONTEXT_NAME), (SET_CONTEXT, b"disc", b"")], ERROR),
    ([(SET_CONTEXT, b"disc", CONTEXT_NAME), (SET_CONTEXT, b"nowhere", CONTEXT_NAME)], ERROR),
    ([(SET_CONTEXT, b"disc", CONTEXT_NAME), (LIST_CONTEXTS, b"disc", b"")], HOLES),
    ([(LIST_CONTEXTS, b"disc", CONTEXT_NAME)], ERROR), ([(SET_CONTEXT, b"disc", BASE)], ERROR),
])  # fmt: skip
def test_the_context_chosen_last_counts_for_the_export_that_is_taken(
    asked: list[tuple[int, bytes, bytes]], kind: int
) -> None:
    hello = [HELLO, option(STRUCTURED), *(
        option(number, text(name) + (u32(1) + text(query) if query else u32(0)))
        for number, name, query in asked), option(GO, text(b"disc") + b"\0\0")]  # fmt: skip
    bench = Bench()
    said = bench.talk(*hello, command(STATUS, 0, 512), command(DISCONNECT))[len(bench.talk(*hello)) :]
    assert [reply.kind for reply in chunks_of(said)] == [kind]


def test_contexts_of_an_export_that_is_none_are_refused() -> None:
    said = options_of(Bench().talk(HELLO, option(STRUCTURED), option(SET_CONTEXT, text(b"nowhere") + u32(0))))
    assert said[1:] == [(SET_CONTEXT, UNKNOWN, b"there is no such export")]


def test_more_connections_than_there_may_be_are_turned_away() -> None:
    bench = Bench()
    for _ in range(2):
        assert bench.talk(HELLO) == GREETING
    bench.server._tasks.update(range(64))  # type: ignore[arg-type]
    for _ in range(2):
        assert bench.talk(HELLO) == b""
    assert (bench.server.taken, bench.server.refused) == (2, 2)
    bench.server._tasks.pop()
    assert bench.talk(HELLO) == GREETING
