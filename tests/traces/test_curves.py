"""Tests curves of long strings of references."""

import numpy as np
import pytest

from spindle.traces.curve.lru import lru_curve
from spindle.traces.curves import che


def test_che_has_strings_of_any_length() -> None:
    """Two million references to a hundred blocks in any order, which all are as likely: LRU hits what it holds."""
    references = np.random.default_rng(1).integers(0, 100, 1 << 21)
    found = che(references, [10, 50, 100])
    exact = lru_curve(references[: 1 << 17])
    for size, ratio in found.items():
        assert ratio == pytest.approx(size / 100, abs=0.002)
        assert ratio == pytest.approx(exact.ratio_at(size), abs=0.01)
    assert che(references[:0], [10]) == {}
