"""Tests that compiled loops count the same hits as the Python policies; without numba the loops are interpreted."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.jit import AVAILABLE
from spindle.traces.curve import fastest, lru, replay
from spindle.traces.curve.compiled import LOOPS
from spindle.traces.curve.compiled.distances import belady as belady_loop
from spindle.traces.curve.compiled.distances import next_uses as compiled_next_uses
from spindle.traces.curve.compiled.distances import number_blocks, stack_distances
from spindle.workloads.traces import block_uses
from spindle.workloads.traces.block_uses import next_uses


def strings() -> Iterator[NDArray[np.int64]]:
    """Few hot blocks among many, none hotter than another, scans among hot ones; near each other or far apart."""
    random = np.random.default_rng(17)
    for turn, unique in enumerate((1, 2, 7, 40, 150, 260)):
        count = 40 * unique if unique < 40 else 1500
        blocks = (random.zipf(1.3, count) % unique, random.integers(0, unique, count),
                  np.where(random.random(count) < 0.5, np.arange(count) % unique, random.zipf(1.5, count) % unique))
        yield blocks[turn % 3] * (1 if turn % 2 else 10**13) - 5


STRINGS = list(strings())
CAPACITIES = (1, 2, 3, 5, 12, 60, 100, 199, 300)


@pytest.mark.parametrize("kind", LOOPS)
def test_loops_count_what_policies_count(kind: type) -> None:
    for turn, blocks in enumerate(STRINGS):
        numbers, unique = number_blocks(blocks)
        early = (turn // 3) * len(blocks) // 3  # counts all of the first three, and of their likes two thirds
        plain = replay.replay_at(kind, blocks, CAPACITIES, early)
        assert {size: LOOPS[kind](numbers, unique, size, early) for size in CAPACITIES} == plain


def test_the_bound_and_the_distances_are_the_same() -> None:
    for blocks in STRINGS:
        after, early = compiled_next_uses(*number_blocks(blocks)), len(blocks) // 4
        assert after.tolist() == next_uses(blocks).tolist()
        for bypass in (True, False):
            assert {size: belady_loop(after, size, early, bypass) for size in CAPACITIES} == replay.belady_hits(
                blocks, CAPACITIES, early, bypass)
        assert stack_distances(blocks).tolist() == lru.stack_distances(blocks).tolist()


@pytest.mark.parametrize(("last", "numbers"), [(7, [0, 1]), (8, [1, 0])])
def test_blocks_are_numbered_as_they_come_where_a_table_of_four_entries_each_holds_them(
    last: int, numbers: list[int]
) -> None:
    """Else in their order."""
    found, unique = number_blocks(np.array([10**13 + last, 10**13]))
    assert (found.tolist(), found.dtype, unique) == (numbers, np.int32, 2)


def test_nothing_at_all() -> None:
    none = np.empty(0, dtype=np.int64)
    assert stack_distances(none).tolist() == []
    numbers, unique = number_blocks(none)
    assert (len(numbers), numbers.dtype, unique) == (0, np.int32, 0)
    assert all(loop(*number_blocks(none), 3, 0) == 0 for loop in LOOPS.values())


def test_many_references_go_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = STRINGS[-1]
    slow = (fastest.stack_distances(blocks).tolist(), fastest.next_uses(blocks).tolist(),
            fastest.belady_hits(blocks, CAPACITIES, 9), fastest.replay_at(Arc, blocks, CAPACITIES, 9))
    monkeypatch.setattr(fastest, "AVAILABLE", True)
    monkeypatch.setattr(fastest, "COMPILED_FROM", 1)
    for module, name in ((lru, "stack_distances"), (block_uses, "next_uses"), (replay, "belady_hits"),
                         (replay, "replay_at")):  # fmt: skip
        monkeypatch.setattr(module, name, None)  # must not be called
    done: list[int] = []
    assert slow == (fastest.stack_distances(blocks).tolist(), fastest.next_uses(blocks).tolist(),
                    fastest.belady_hits(blocks, CAPACITIES, 9),
                    fastest.replay_at(Arc, blocks, CAPACITIES, 9, done.append))  # fmt: skip
    assert done == [len(blocks)]
    for hits in (lambda: fastest.replay_at(Arc, blocks, [0]), lambda: fastest.belady_hits(blocks, [3, 0])):
        with pytest.raises(UserError, match="a cache of 0 blocks cannot be replayed: it must have at least one"):
            hits()


def test_references_times_capacities_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fastest._worth_it(fastest.COMPILED_FROM) is AVAILABLE
    monkeypatch.setattr(fastest, "AVAILABLE", True)
    assert [fastest._worth_it(fastest.COMPILED_FROM + more) for more in (-1, 0)] == [False, True]
    assert [fastest._worth_it(fastest.COMPILED_BELOW + more) for more in (-1, 0)] == [True, False]
    monkeypatch.setattr(fastest, "COMPILED_FROM", 6)
    assert [fastest._worth_it(references, 3) for references in (1, 2)] == [False, True]
    for name in ("belady_hits", "replay_at"):
        monkeypatch.setattr(replay, name, None)  # must not be called
    assert fastest.belady_hits([1, 2, 1], [1, 2]) == {1: 1, 2: 1}
    assert fastest.replay_at(Arc, np.array([1, 2, 1]), [1, 2]) == {1: 0, 2: 1}


def test_progress_is_told_behind_what_was_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    references = fastest._report_progress(np.arange(3), done.append)
    assert (next(iter(references)), done) == (0, [])
    assert (list(references), done) == ([1, 2], [3])
    monkeypatch.setattr(replay, "CHUNK", 2)
    assert (list(fastest._report_progress(np.arange(3), done.append)), done) == ([0, 1, 2], [3, 2, 1])


def test_a_policy_with_arguments_is_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks, kind = STRINGS[3], partial(LruK, k=3)
    slow = replay.replay_at(kind, blocks, (2, 5))
    monkeypatch.setattr(fastest, "COMPILED_FROM", 1)
    assert fastest.replay_at(kind, blocks, (2, 5)) == slow != fastest.replay_at(LruK, blocks, (2, 5))
