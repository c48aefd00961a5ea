"""Tests the LRU curve of one pass against hand counts, naive distances and replay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.streams import pick, stream
from spindle.traces.curve.lru import _stable_order, curve_of, lru_curve, stack_distances
from spindle.traces.curve.replay import replay


def naive_distances(references: list[int]) -> list[int]:
    stack: list[int] = []
    distances = []
    for block in references:
        distances.append(stack.index(block) if block in stack else -1)
        if block in stack:
            stack.remove(block)
        stack.insert(0, block)
    return distances


def test_distances_by_hand() -> None:
    #              a  b  c  a  b  b  c  d  a
    references = [7, 5, 9, 7, 5, 5, 9, 2, 7]
    distances = stack_distances(np.array(references))
    assert (distances.tolist(), distances.dtype) == ([-1, -1, -1, 2, 2, 0, 2, -1, 3], np.int32)
    curve = lru_curve(references)
    assert curve.references == curve_of(stack_distances(np.array(references))).references == 9
    assert (curve.hits.tolist(), curve.hits.dtype) == ([0, 1, 1, 4, 5], np.int64)
    assert [curve.hits_at(n) for n in (0, 1, 2, 3, 4, 5, 10**9)] == [0, 1, 1, 4, 5, 5, 5]
    assert curve.ratio_at(3) == pytest.approx(4 / 9)


@pytest.mark.parametrize("references", [[], [3], [3, 3], [3, 3, 3], [1, 2], [2, 1, 2, 1]])
def test_the_shortest_strings(references: list[int]) -> None:
    assert stack_distances(np.array(references, dtype=np.int64)).tolist() == naive_distances(references)


def test_no_references_have_no_hits() -> None:
    curve = lru_curve([])
    assert curve.hits.tolist() == [0]
    assert curve.ratio_at(10) == 0.0


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(UserError, match="a cache of -1 blocks"):
        lru_curve([1]).hits_at(-1)


@pytest.mark.parametrize("bits", [1, 8, 9, 16, 17, 24])
def test_keys_are_sorted_by_all_their_bits(bits: int) -> None:
    keys = np.array([1 << bits - 1, 0, (1 << bits) - 1, 0], dtype=np.int32)
    assert _stable_order(keys, bits).tolist() == [1, 3, 0, 2]


@given(st.lists(st.integers(-5, 20), max_size=120))
def test_distances_are_the_depth_in_the_stack(references: list[int]) -> None:
    assert stack_distances(np.array(references, dtype=np.int64)).tolist() == naive_distances(references)


def test_the_curve_is_what_replay_counts_at_every_size() -> None:
    random = stream(1, "references")
    references = [int(300 * random.random() ** 3) + pick(random, 2) * 1000 for _ in range(3000)]
    curve = lru_curve(references)
    sizes = [*range(1, 20), *range(20, 420, 37)]
    assert [curve.hits_at(n) for n in sizes] == [replay(Lru, references, n) for n in sizes]


def test_a_cyclic_string_is_a_cliff() -> None:
    curve = lru_curve([*range(100)] * 5)
    assert curve.hits.tolist() == [0] * 100 + [400]
