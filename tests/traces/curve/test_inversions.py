"""Tests counts of larger elements before each of a permutation, and previous and next uses, against naive counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.streams import stream
from spindle.traces.curve import lru as inversions
from spindle.traces.curve.lru import larger_before
from spindle.workloads.traces.block_uses import next_uses, previous_uses


def shuffled(count: int) -> np.ndarray:
    random = stream(count, "permutation")
    return np.argsort([random.random() for _ in range(count)])


def counted(permutation: np.ndarray) -> list[int]:
    return [int((permutation[:at] > permutation[at]).sum()) for at in range(len(permutation))]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 63, 64, 65, 128, 129, 1000, 4097])
def test_larger_before_in_every_number_of_digits(count: int) -> None:
    permutation = shuffled(count)
    assert larger_before(permutation).tolist() == counted(permutation)


def test_larger_before_where_there_are_many_digits_and_stripes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inversions, "DIGIT", 3)
    monkeypatch.setattr(inversions, "LAST_DIGIT", 2)
    monkeypatch.setattr(inversions, "ROW", 4)
    monkeypatch.setattr(inversions, "STRIPE", 5)
    for count in (5, 30, 33, 700):
        permutation = shuffled(count)
        assert larger_before(permutation).tolist() == counted(permutation)


def test_a_sorted_string_has_none_and_a_reversed_one_all() -> None:
    ascending = np.arange(70000)
    assert not larger_before(ascending).any()
    assert (larger_before(ascending[::-1]) == ascending).all()


@given(st.lists(st.one_of(st.integers(-3, 9), st.just(2**62), st.just(-(2**62))), max_size=60))
def test_uses_before_and_after(blocks: list[int]) -> None:
    """Blocks that lie too far apart to be packed with an index, too."""
    before = [max((at for at in range(now) if blocks[at] == block), default=-1) for now, block in enumerate(blocks)]
    after = [blocks.index(block, now + 1) if block in blocks[now + 1 :] else len(blocks)
             for now, block in enumerate(blocks)]
    assert previous_uses(np.array(blocks, dtype=np.int64)).tolist() == before
    assert next_uses(np.array(blocks, dtype=np.int64)).tolist() == after
