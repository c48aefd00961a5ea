"""Tests how room on a disc is taken: the first place from the wanted one on, else from the beginning; no byte twice."""

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.discs import PlainDisc, Room, Volumes
from spindle.sim.clock import Account
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import Op, Span, access
from spindle.sim.units import KIB, MIB

ASKED = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=40)


def plainly(taken: list[bool], wanted: int, length: int) -> int | None:
    """The same, byte by byte. What begins before *wanted* is looked at only when nothing lies behind."""
    for begin in (wanted, 0):
        for first in range(begin, len(taken) - length + 1):
            if not any(taken[first : first + length]):
                return first
    return None


def test_by_hand() -> None:
    room = Room(size=20, reserved=4)
    taken = [room.take(*asked) for asked in ((10, 5), (10, 5), (0, 4), (0, 3), (0, 2))]
    assert taken == [10, 15, 4, None, 8]
    assert room.take(0, 1) is None


@given(ASKED)
def test_room_is_found_where_a_byte_by_byte_search_finds_it(asked: list[tuple[int, int]]) -> None:
    room, taken = Room(size=60, reserved=5), [number < 5 for number in range(60)]
    for wanted, length in asked:
        expected = plainly(taken, wanted, length)
        assert room.take(wanted, length) == expected
        if expected is not None:
            taken[expected : expected + length] = [True] * length


def test_files_lie_the_golden_share_of_a_disc_apart_and_take_whole_sectors() -> None:
    """0.618 of what is not reserved, then twice that, less 1; in whole sectors, and the next behind what is taken."""
    volumes = Volumes(["one", "two"], [MIB, MIB], reserved=8 * KIB)  # type: ignore[list-item]
    placed = [volumes.place(f"file {number}", 257) for number in range(4)]
    assert placed == [(0, 651_008), (1, 651_008), (0, 253_696), (1, 253_696)]
    assert volumes.virtual("all", 8 * KIB) == Span(0, 8 * KIB)
    assert volumes.virtual("more", 300) == Span(8 * KIB, 512)
    behind = Volumes(["one"], [8 * KIB + 1024], reserved=8 * KIB)  # type: ignore[list-item]
    assert [behind.place(name, 257)[1] - 8 * KIB for name in ("one", "two")] == [512, 0]
    with pytest.raises(UserError, match="no room for file three on disc 1 of 9216 bytes"):
        behind.place("three", 1)
    with pytest.raises(UserError, match="virtual memory: no room for stack on disc 1; ask for fewer terminals"):
        behind.virtual("stack", 8 * KIB + 1)
    uneven = Volumes(["one", "two"], [MIB, 9 * KIB], reserved=8 * KIB)  # type: ignore[list-item]
    uneven.place("small", 1)
    with pytest.raises(UserError, match="no room for file large on disc 2 of 9216 bytes; use more discs"):
        uneven.place("large", 2 * KIB)


def test_an_uncached_disc_passes_on_what_it_does_not_wait_for(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(0.02, capacity=MIB))
    told: list[tuple[str, Span]] = []
    drive.flush = lambda span: iter(told.append(("flush", span)) or ())  # type: ignore[method-assign, func-returns-value]
    drive.discard = lambda span: told.append(("discard", span))  # type: ignore[method-assign]
    disc, span = PlainDisc(drive, FcfsCpu(env), 0.004, 2), Span(512, 256)
    request = disc.start(access(Op.READ, *span, Account("a")))
    env.run()
    assert (request.access.span, env.now, disc.drive) == (span, 0.02, drive)
    assert list(disc.flush(span)) == []
    disc.discard(span)
    assert told == [("flush", span), ("discard", span)]


def test_an_uncached_disc_costs_its_start_and_no_call_unless_it_is_said(env: simpy.Environment) -> None:
    ended = []
    for calls in ((), (0.25, 0.5)):
        disc = PlainDisc(Drive(env, FixedService(0.02, capacity=MIB)), FcfsCpu(env), 0.004, 2, None, *calls)
        reads, writes = (access(op, 0, 256, Account("a")) for op in (Op.READ, Op.WRITE))
        for work in (disc.read(reads), disc.write(writes)):
            began = env.now
            env.run(env.process(work))
            ended.append(env.now - began)
    assert ended == pytest.approx([0.024, 0.024, 0.274, 0.524])


def test_a_full_disc_is_one_run() -> None:
    room = Room(size=1000, reserved=10)
    for number in range(99):
        assert room.take((number * 370) % 1000 // 10 * 10, 10) is not None
    assert (room._starts, room._ends) == ([0], [1000])
