"""Tests causes of misses, the knee, the working set, objects with sizes and warm-up, by hand on short strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.eviction.greedy_dual import GreedyDual, uses_for_size
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.slru import Slru
from spindle.traces.blocks import Blocks
from spindle.traces.curve import lru
from spindle.traces.curve.fastest import MissSplit, miss_splits
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.object_hits import SizedHits, SizedString, replay_sized
from spindle.traces.curve.replay import replay_at
from spindle.workloads.traces import block_uses
from spindle.workloads.traces.block_uses import next_uses, working_set

CYCLE = [1, 2, 3] * 3
"""LRU of two blocks never hits; Belady's policy does at three of the last six."""


def blocks(*numbers: int) -> Blocks:
    return np.array(numbers, dtype=np.int64)


def test_a_cycle_that_does_not_fit_is_the_policys_fault() -> None:
    curve = lru_curve(CYCLE)
    # The best of 1 keeps 1, that of 2 keeps 1 and 2, and the others never come in.
    assert miss_splits(CYCLE, curve, [1, 2, 3]) == {
        1: MissSplit(9, 0, 3, 4, 2), 2: MissSplit(9, 0, 3, 2, 4), 3: MissSplit(9, 6, 3, 0, 0)}


def test_a_warm_up_counts_for_nothing() -> None:
    curve = lru_curve(CYCLE, 3)
    assert (curve.references, curve.hits.tolist(), curve.compulsory) == (6, [0, 0, 0, 6], 0)
    assert miss_splits(CYCLE, curve, [3], 3) == {3: MissSplit(6, 6, 0, 0, 0)}
    assert miss_splits(CYCLE, lru_curve(CYCLE, 5), [2], 5) == {2: MissSplit(4, 0, 0, 2, 2)}  # the best hits 1 and 2
    string = [1, 1, 2, 1, 3, 3]
    assert lru_curve(string, 1).hits.tolist() == [0, 2, 3, 3]
    assert replay_at(Fifo, string, [1, 2], 1) == {1: 2, 2: 3}
    assert (lru_curve(string, 6).references, lru_curve(string, 6).hits.tolist()) == (0, [0] * 4)
    for early in (-1, 7):
        with pytest.raises(UserError, match=f"of 6 references {early} cannot be early"):
            lru_curve(string, early)


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 9))
def test_hits_and_misses_of_all_kinds_add_up(string: list[int], capacity: int) -> None:
    split = miss_splits(string, lru_curve(string), [capacity])[capacity]
    assert split.hits + split.compulsory + split.capacity + split.policy == split.references == len(string)
    assert split.compulsory == len(set(string))
    assert min(split.capacity, split.policy) >= 0


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 60), st.integers(1, 9))
def test_warm_up_and_the_rest_add_up(string: list[int], early: int, capacity: int) -> None:
    early = min(early, len(string))
    whole, rest = lru_curve(string).hits_at(capacity), lru_curve(string, early).hits_at(capacity)
    assert whole == rest + lru_curve(string[:early]).hits_at(capacity)
    assert replay_at(Lru, string, [capacity], early)[capacity] == rest


@pytest.mark.parametrize("counted", [1, 2, 1 << 18])
def test_the_knee_is_where_the_curve_is_highest_above_its_chord(counted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lru, "REFERENCES_AT_ONCE", counted)
    # Ten uses of 1 and 2 in turn, then 3 to 6 once and once again: 18 hits from 2 blocks on, 22 from 6.
    curve = lru_curve([1, 2] * 10 + [3, 4, 5, 6, 3, 4, 5, 6])
    assert curve.hits.tolist() == [0, 0, 18, 18, 22, 22, 22]
    assert curve.knee == 2
    assert lru_curve([1, 1, 2, 1]).knee == 0, "all of it lies on the chord"
    assert lru_curve([1, 1, 2]).knee == 1, "one hit of one at half of the blocks"
    assert [curve.size_for(share) for share in (0.5, 0.9, 1.0)] == [2, 4, 4]
    assert lru_curve([1, 1, 2, 1]).size_for(1.0) == 2, "the last block brings a hit"
    assert (lru_curve([]).knee, lru_curve([1, 2]).knee, lru_curve([1, 2]).size_for(0.9)) == (0, 0, 0)


def test_the_working_set_is_what_a_window_holds_on_average() -> None:
    # Windows of 2 over a a b a: {a} {a} {a b} {b a}; of 3: {a} {a} {a b} {a b}.
    after = next_uses(blocks(7, 7, 8, 7))
    assert [working_set(after, window) for window in (1, 2, 3, 100)] == [1.0, 1.5, 1.5, 1.5]
    assert working_set(blocks(), 5) == 0.0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 50))
def test_the_working_set_is_counted(string: list[int], window: int) -> None:
    held = [len(set(string[max(0, now + 1 - window) : now + 1])) for now in range(len(string))]
    for summed in (1, 3, 1 << 18):  # however many at a time
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(block_uses, "SUMMED", summed)
            assert working_set(next_uses(blocks(*string)), window) == pytest.approx(sum(held) / len(string))


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 30), st.sampled_from([1, 2, 7]))
def test_a_curve_is_the_same_however_many_are_counted_at_a_time(string: list[int], early: int, counted: int) -> None:
    whole = lru_curve(string, min(early, len(string)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lru, "REFERENCES_AT_ONCE", counted)
        parts = lru_curve(string, min(early, len(string)))
    assert parts.hits.tolist() == whole.hits.tolist()
    assert (parts.references, parts.knee) == (whole.references, whole.knee)


def test_objects_take_their_bytes() -> None:
    # In 10 bytes: a(6) b(4) a hits; c(5) drives b, then a out; b(4); c hits; d(11) never comes; b hits.
    string, sizes = [1, 2, 1, 3, 2, 3, 4, 2], [6, 4, 6, 5, 4, 5, 11, 4]
    assert replay_sized(Lru, SizedString(string, sizes), [10, 100]) == {10: SizedHits(3, 15), 100: SizedHits(4, 19)}
    assert replay_sized(Lru, SizedString(string, sizes), [9]) == {9: SizedHits(2, 9)}
    assert replay_sized(Lru, SizedString(string, sizes), [10], early=3) == {10: SizedHits(2, 9)}


def test_a_policy_that_weighs_sizes_keeps_the_small() -> None:
    # The large one goes for the second small one, although it was used last.
    string, sizes = [1, 2, 3, 1], [4, 6, 4, 4]
    assert replay_sized(GreedyDual, SizedString(string, sizes), [10])[10] == SizedHits(0, 0)
    assert replay_sized(lambda: GreedyDual(uses_for_size), SizedString(string, sizes), [10])[10] == SizedHits(1, 4)


def test_what_cannot_have_sizes_is_refused() -> None:
    with pytest.raises(UserError, match="policy Slru needs a fixed number of entries"):
        replay_sized(Slru, SizedString([1], [1]), [10])
    with pytest.raises(UserError, match="a cache of 0 bytes or objects cannot be replayed"):
        replay_sized(Lru, SizedString([1], [1]), [0])


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 9))
def test_objects_of_one_byte_are_blocks(string: list[int], capacity: int) -> None:
    hits = replay_at(Lru, string, [capacity])[capacity]
    assert replay_sized(Lru, SizedString(string, [1] * len(string)), [capacity])[capacity] == SizedHits(hits, hits)
