"""Tests mean working sets of windows of references by hand, summed in pieces of any size."""

import numpy as np
import pytest

from spindle.workloads.traces import block_uses
from spindle.workloads.traces.block_uses import next_uses, previous_uses, working_set

STRING = [1, 2, 1, 3, 3, 2, 1, 4, 4, 1]


def named(window: int) -> float:
    """The mean number of blocks in the last *window* references, over all moments."""
    ends = range(1, len(STRING) + 1)
    return sum(len(set(STRING[max(0, end - window) : end])) for end in ends) / len(STRING)


@pytest.mark.parametrize("summed", [1, 3, 4, 10, 1000])
@pytest.mark.parametrize("window", [1, 2, 3, 7, 10, 50])
def test_a_working_set_is_what_the_last_references_name(
    monkeypatch: pytest.MonkeyPatch, summed: int, window: int
) -> None:
    monkeypatch.setattr(block_uses, "SUMMED", summed)
    assert working_set(next_uses(np.array(STRING)), window) == pytest.approx(named(window))


@pytest.mark.parametrize("numbers", [(1, 2, 3), (-5, 0, 7), (1 << 62, 0, -(1 << 62)), (2**63 - 1, -(2**63), 0)])
def test_uses_before_and_after_whatever_the_numbers_of_blocks(numbers: tuple[int, int, int]) -> None:
    """Also of blocks so far apart that number and index do not go into one."""
    blocks = np.array([numbers[each] for each in (0, 1, 0, 2, 2, 1, 0)])
    assert previous_uses(blocks).tolist() == [-1, -1, 0, -1, 3, 1, 2]
    assert next_uses(blocks).tolist() == [2, 5, 6, 4, 7, 7, 7]


def test_nothing_has_no_uses_and_no_working_set() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert working_set(nothing, 5) == 0.0
    assert (previous_uses(nothing).tolist(), next_uses(nothing).tolist()) == ([], [])
