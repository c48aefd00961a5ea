"""Tests Response Probe's random numbers: sums of fourteen uniforms, folded at the ends of their range."""

from math import inf, nan, sqrt
from random import Random
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.streams import stream
from spindle.workloads.probe.bell import UNIFORMS, Bell
from tests.doubles import Same


@pytest.mark.parametrize(
    ("uniform", "value"),
    [(0.5, 10.0), (0.75, 13.5), (0.25, 6.5), (1.0, 17.0), (0.0, 3.0)],
)
def test_by_hand(uniform: float, value: float) -> None:
    """14 u - 7 deviations from the mean: from -7 to 7."""
    assert Bell(10.0, 1.0).draw(Same(uniform)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("value", "most", "folded"),
    [(-3.0, inf, 3.0), (12.0, 10.0, 8.0), (-3.0, 10.0, 3.0), (-13.0, 10.0, 7.0), (23.0, 10.0, 3.0), (5.0, 0.0, 0.0)],
)
def test_what_leaves_the_range_is_folded_back(value: float, most: float, folded: float) -> None:
    assert Bell(0.0, 1.0, most).fold(value) == pytest.approx(folded)


def test_true_deviation_is_eight_percent_more_than_the_nominal_one() -> None:
    random, bell = stream(1, "bell"), Bell(640.0, 85.0, 1279)
    drawn = [bell.draw(random) for _ in range(20_000)]
    assert fmean(drawn) == pytest.approx(640, abs=4 * 92 / sqrt(20_000))
    assert pstdev(drawn) == pytest.approx(85 * sqrt(UNIFORMS / 12), rel=0.02)


def test_a_deviation_as_large_as_the_mean_reaches_all_records() -> None:
    random, bell = stream(1, "bell"), Bell(5.0, 5.0, 9)
    assert {bell.pick(random) for _ in range(2000)} == set(range(10))


def test_nothing_is_drawn_where_nothing_varies() -> None:
    random = stream(1, "bell")
    before = random.getstate()
    assert [Bell(3.9).pick(random), Bell(3.4).pick(random), Bell(3.4).draw(random)] == [4, 3, 3.4]
    assert random.getstate() == before


@given(st.floats(0, 1e6), st.floats(0, 1e7), st.integers(0, 10**6), st.integers())
def test_never_outside_its_range(mean: float, deviation: float, most: int, seed: int) -> None:
    bell = Bell(min(mean, most), deviation, most)
    assert 0 <= bell.pick(Random(seed)) <= most


@pytest.mark.parametrize("numbers", [(-1.0, 0.0), (5.0, 1.0, 4.0), (inf, 0.0), (1.0, -1.0), (1.0, inf), (1.0, nan)])
def test_senseless_numbers_are_refused(numbers: tuple[float, ...]) -> None:
    with pytest.raises(UserError):
        Bell(*numbers)
