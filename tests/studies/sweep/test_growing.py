"""A frame from blocks of rows is what pandas makes of them, of whatever types they are and whatever is missing."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from spindle.studies.sweep.grid import Row
from spindle.studies.sweep.stored_sweep import GrowingFrame

BLOCKS: dict[str, Sequence[Sequence[Row]]] = {
    "numbers": [[{"a": 1, "b": 0.5}, {"a": 2, "b": 1.5}], [{"a": 3, "b": 2.5}]],
    "whole numbers, then fractions": [[{"a": 1}], [{"a": 2}], [{"a": 0.5}], [{"a": 4}]],
    "text": [[{"a": "x"}, {"a": "y"}], [{"a": "z"}]],
    "text and numbers": [[{"a": 1}], [{"a": "x"}], [{"a": 2}]],
    "nothing in some": [[{"a": None}], [{"a": 1}], [{"a": None}]],
    "truths": [[{"a": True}], [{"a": False}], [{"a": 1}]],
    "a column comes later": [[{"a": 1}], [{"b": 2, "a": 3}], [{"b": 4.0, "a": 5}]],
    "a column ends": [[{"a": 1, "b": 1}], [{"a": 2}], [{"a": 3}]],
    "a column of text comes later and ends": [[{"a": 1}], [{"a": 2, "b": "x"}], [{"a": 3}]],
    "large numbers": [[{"a": 2**63}], [{"a": 1}], [{"a": 2**70}]],
    "one block": [[{"a": 1, "b": "x", "c": None}]],
}


@pytest.mark.parametrize("case", BLOCKS)
def test_it_is_the_frame_of_all_blocks(case: str) -> None:
    blocks = BLOCKS[case]
    growing = GrowingFrame(sum(map(len, blocks)))
    for block in blocks:
        growing.add(block)
    pd.testing.assert_frame_equal(growing.frame(), pd.concat(map(pd.DataFrame, blocks), ignore_index=True))


def test_numbers_are_not_held_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd, "concat", None)
    growing = GrowingFrame(5)
    growing.add([{"a": 1, "b": 0.5}] * 3)
    full = growing._columns["b"]._stretch
    growing.add([{"a": 2, "b": 1.5}] * 2)
    frame = growing.frame()
    assert full is not None
    assert np.shares_memory(frame["b"].to_numpy(), full)
    assert (frame["a"].tolist(), frame["b"].tolist()) == ([1, 1, 1, 2, 2], [0.5, 0.5, 0.5, 1.5, 1.5])
