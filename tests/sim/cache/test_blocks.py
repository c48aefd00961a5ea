"""Tests the table of a cache's blocks: numbers of blocks, runs of neighbours, and discards."""

import pytest
import simpy

from spindle.sim.cache.blocks import BlockTable, runs
from spindle.sim.clock import Account, Wait
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Span


def never(_: list[int]) -> Wait:
    yield from ()


@pytest.fixture
def memory(env: simpy.Environment) -> SharedMemory:
    return SharedMemory(env, 500, Lru())


@pytest.fixture
def blocks(memory: SharedMemory) -> BlockTable:
    return BlockTable("cache", 100, memory, never)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([], []), ([3], [(3, 1)]), ([1, 2, 3], [(1, 3)]), ([0, 2, 3, 7], [(0, 1), (2, 2), (7, 1)])],
)
def test_runs(numbers: list[int], expected: list[tuple[int, int]]) -> None:
    assert list(runs(numbers)) == expected


@pytest.mark.parametrize(
    ("span", "numbers"),
    [
        (Span(0, 1), [0]), (Span(0, 100), [0]), (Span(0, 101), [0, 1]), (Span(99, 2), [0, 1]),
        (Span(250, 300), [2, 3, 4, 5]),
    ],
)
def test_blocks_of_a_span(blocks: BlockTable, span: Span, numbers: list[int]) -> None:
    assert list(blocks.numbers_in(span)) == numbers


def bring(env: simpy.Environment, blocks: BlockTable, *numbers: int) -> None:
    run = blocks.enter(numbers)
    env.process(blocks.claim(run, Account("")))
    env.run()
    blocks.arrive(run)


def test_wholly_within(env: simpy.Environment, blocks: BlockTable) -> None:
    bring(env, blocks, 1, 2, 3)
    for first, length, numbers in ((100, 300, [1, 2, 3]), (101, 299, [2, 3]), (50, 300, [1, 2]), (150, 99, [])):
        span = Span(first, length)
        assert [entry.block for entry in blocks.entries_in(span)] == numbers


def test_absent_up_to_the_first_that_is_here_and_no_more_than_fit(env: simpy.Environment, blocks: BlockTable) -> None:
    bring(env, blocks, 4)
    blocks.enter([8])
    assert list(blocks.absent(range(2, 9))) == [2, 3]
    assert list(blocks.absent(range(4, 9))) == []
    assert list(blocks.absent(range(5, 9))) == [5, 6, 7]
    assert list(blocks.absent(range(10, 99))) == [10, 11, 12, 13, 14]


def test_room_for_a_run_is_made_in_one_go(env: simpy.Environment, blocks: BlockTable, memory: SharedMemory) -> None:
    for numbers in ((0, 1, 2), (5, 6, 7)):
        env.process(blocks.claim(blocks.enter(numbers), Account("")))
    env.run()
    assert memory.used_bytes == 300, "who waits for room takes none"


def test_a_discard_drops_at_once_or_on_arrival(
    env: simpy.Environment, blocks: BlockTable, memory: SharedMemory
) -> None:
    bring(env, blocks, 1)
    run = blocks.enter([2, 3])
    env.process(blocks.claim(run, Account("")))
    env.run()
    blocks.dirty[1] = 0.0
    blocks.discard(Span(100, 200))
    assert (blocks.get(1), blocks.dirty, memory.used_bytes) == (None, {}, 200)
    assert blocks.get(2) is run[0]
    blocks.arrive(run)
    assert (blocks.get(2), blocks.get(3), memory.used_bytes) == (None, run[1], 100)
    assert [entry.gone for entry in run] == [True, False]


def test_a_discard_before_there_is_room(env: simpy.Environment, blocks: BlockTable, memory: SharedMemory) -> None:
    bring(env, blocks, 0, 1, 2, 3, 4)
    for block in range(5):
        memory.pin(("cache", block))
    run = blocks.enter([7])
    env.process(blocks.claim(run, Account("")))
    env.run()
    blocks.discard(Span(700, 100))
    memory.unpin(("cache", 3))
    env.run()
    blocks.arrive(run)
    assert (blocks.get(7), blocks.get(3), memory.used_bytes) == (None, None, 400)


@pytest.mark.parametrize("size", [0, -1, 501])
def test_blocks_that_fit_no_memory(memory: SharedMemory, size: int) -> None:
    with pytest.raises(ValueError, match=f"cache: blocks of {size} bytes in a memory of 500 bytes"):
        BlockTable("cache", size, memory, never)
    assert [BlockTable(f"{fits}", fits, memory, never).size for fits in (1, 500)] == [1, 500]
