"""Tests files of extents: the accesses that a read of a part of a file takes."""

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import File, OpenFile
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Span

ACCOUNT = Account("a")


@pytest.fixture
def file(env: simpy.Environment) -> File:
    return File("data", Drive(env, FixedService(0.01)), [Span(1000, 100), Span(500, 50), Span(0, 200)])


def test_a_file_beyond_its_disc_is_refused(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(0.01, capacity=1000))
    cache = BlockCache(env, drive, 100, SharedMemory(env, 1000, Lru()))
    for storage in (drive, cache):
        assert File("data", storage, [Span(900, 100)]).size == 100
        with pytest.raises(UserError, match=r"^file data: 101 bytes at 900 are not on a disc of 1000 bytes$"):
            File("data", storage, [Span(0, 100), Span(900, 101)])


@pytest.mark.parametrize(
    ("first", "length", "spans"),
    [
        (0, 100, [(1000, 100)]),
        (0, 1, [(1000, 1)]),
        (99, 2, [(1099, 1), (500, 1)]),
        (100, 50, [(500, 50)]),
        (149, 1, [(549, 1)]),
        (90, 100, [(1090, 10), (500, 50), (0, 40)]),
        (0, 350, [(1000, 100), (500, 50), (0, 200)]),
    ],
)
def test_accesses_by_hand(file: File, first: int, length: int, spans: list[tuple[int, int]]) -> None:
    assert file.size == 350
    open_file = OpenFile(file, Hint.SEQUENTIAL)
    assert open_file.position == 0
    assert not any(access.durable for access in OpenFile(file).accesses(Op.WRITE, first, length, ACCOUNT))
    accesses = list(open_file.accesses(Op.WRITE, first, length, ACCOUNT, durable=True))
    assert [access.span for access in accesses] == spans
    extents = {extent.first: extent for extent in file.extents}
    for access in accesses:
        within = next(extent for extent in extents.values() if extent.overlaps(access.span))
        assert access == Access(Op.WRITE, access.span, within, open_file, Hint.SEQUENTIAL, True, ACCOUNT)
    assert open_file.position == first + length


@pytest.mark.parametrize(("first", "length"), [(-1, 5), (0, 0), (0, 351), (350, 1), (5, -1)])
def test_what_lies_outside_is_refused(file: File, first: int, length: int) -> None:
    with pytest.raises(ValueError, match="data: bytes"):
        list(OpenFile(file).accesses(Op.READ, first, length, ACCOUNT))


@pytest.mark.parametrize("extents", [[], [Span(0, 0)], [Span(-1, 5)], [Span(0, 5), Span(7, -1)]])
def test_no_such_file(file: File, extents: list[Span]) -> None:
    with pytest.raises(ValueError, match="every extent must have a place and a length"):
        File("data", file.storage, extents)
