"""Batch means: by hand, the same whatever the unit, refused where batches know of each other."""

from math import nan
from random import Random

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.studies.confidence import Interval, confidence
from spindle.studies.sweep.precision import BATCHES, CORRELATED, FINE, Series, TooShort, batch_means, neighbours


def drawn(count: int, seed: int = 1) -> Series:
    random = Random(seed)
    return np.array([random.random() for _ in range(count)])


def autoregressive(count: int, share: float) -> Series:
    """Each observation is *share* of the one before and something new."""
    values, level = [], 0.0
    for new in drawn(count).tolist():
        level = share * level + new - 0.5
        values.append(level)
    return np.array(values)


def test_neighbours_by_hand() -> None:
    # About the mean 2.5: -1.5, -0.5, 0.5, 1.5; neighbours 0.75 - 0.25 + 0.75 over squares 5.
    assert neighbours(np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(1.25 / 5.0)
    assert neighbours(np.array([1e200, -1e200] * 200)) == pytest.approx(-399 / 400)
    assert neighbours(np.full(400, 0.1)) == 0.0


def test_the_interval_is_that_of_twenty_long_batches() -> None:
    series = drawn(800)
    assert batch_means(series) == confidence([part.mean() for part in np.split(series, 20)])
    assert batch_means(series, 0.9) == confidence([part.mean() for part in np.split(series, 20)], 0.9)
    assert batch_means(series).count == BATCHES
    assert FINE % BATCHES == 0


def test_what_does_not_fill_a_batch_is_left_out_at_the_start() -> None:
    series = drawn(FINE * 3)
    assert batch_means(np.concatenate([np.full(FINE - 1, 1e6), series])) == batch_means(series)


def test_correlation_is_told_from_chance() -> None:
    """Batches of m have a correlation of 2 / (3 m - 4) where neighbours have 0.5, of 90 / (19 m - 180) for 0.9."""
    assert all(batch_means(drawn(FINE, seed)).count == BATCHES for seed in range(200))
    for share, long_enough in ((0.5, 10 * FINE), (0.9, 100 * FINE)):
        with pytest.raises(TooShort, match=r"batches of 1 are still correlated \(0\.\d\d, at most 0\.2 is allowed\)"):
            batch_means(autoregressive(FINE, share))
        assert batch_means(autoregressive(long_enough, share)).count == BATCHES
    assert CORRELATED == 0.2


def test_constants_have_no_width() -> None:
    assert batch_means([0.25] * FINE) == Interval(0.25, 0.25, 0.25, BATCHES)


def test_bad_series_are_refused() -> None:
    with pytest.raises(TooShort, match="at least 400 observations, and there are 399: observe longer"):
        batch_means([1.0] * 399)
    with pytest.raises(UserError, match="observation 400 of 401 must be a finite number, not nan"):
        batch_means([1.0] * 400 + [nan])
