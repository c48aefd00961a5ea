"""Tests percentiles: exact ones by hand, counted ones within the stated error, merged in any order."""

from fractions import Fraction
from math import ceil, inf, isnan, nan
from random import Random
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.measure.result import MAX_BUCKET_SECONDS, PERCENTILE_ERROR, TICKS_A_SECOND, Quantiles, percentile

SHARES = (0.0, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0)


def counted(*times: float) -> Quantiles:
    quantiles = Quantiles()
    for seconds in times:
        quantiles.add(seconds)
    return quantiles


def agree(quantiles: Quantiles, times: list[float]) -> None:
    ordered = sorted(times)
    for share in SHARES:
        exact = percentile(ordered, share)
        assert abs(quantiles.quantile(share) - exact) <= max(PERCENTILE_ERROR * exact, 1 / TICKS_A_SECOND), share


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (0.95, 4), (1.0, 4)]
)
def test_percentile_by_hand(share: float, value: float) -> None:
    assert percentile([1, 2, 3, 4], share) == value


def test_percentile_is_the_smallest_that_enough_do_not_exceed() -> None:
    for count in range(1, 400):
        values = list(range(1, count + 1))
        for share in (Fraction(1, 2), Fraction(95, 100)):
            assert percentile(values, float(share)) == ceil(share * count)
    assert isnan(percentile([], 0.5))


def test_the_error_is_no_more_than_a_fifth_of_a_percent() -> None:
    assert PERCENTILE_ERROR <= 0.002


def test_buckets_by_hand() -> None:
    """Up to 1024 ticks each has its own, from there two share one, from 2048 four; the middle stands for them."""
    middles = {0: 0, 1: 1, 511: 511, 512: 512, 1023: 1023, 1024: 1025, 1025: 1025, 1026: 1027, 2047: 2047,
               2048: 2050, 2051: 2050, 2052: 2054, 4095: 4094, 4096: 4100}  # fmt: skip
    for ticks, middle in middles.items():
        assert counted(ticks / TICKS_A_SECOND).quantile(0.5) == middle / TICKS_A_SECOND


def draw(kind: str, count: int) -> list[float]:
    random, normal = Random(kind), NormalDist(-1.0, 2.0)
    uniform = [random.random() for _ in range(count)]
    return {
        "lognormal": [np.exp(normal.inv_cdf(max(each, 1e-12))).item() for each in uniform],
        "uniform": uniform,
        "bimodal": [0.0002 + each / 1e5 if each < 0.9 else 20.0 + each for each in uniform],
        "constant": [0.1 for _ in uniform],
    }[kind]


@pytest.mark.parametrize("kind", ["lognormal", "uniform", "bimodal", "constant"])
def test_against_numpy(kind: str) -> None:
    times = draw(kind, 20_000)
    quantiles = counted(*times)
    for share in SHARES:
        exact = float(np.quantile(times, share, method="inverted_cdf"))
        assert quantiles.quantile(share) == pytest.approx(exact, rel=PERCENTILE_ERROR)


@given(st.lists(st.floats(0.0, 1e9), min_size=1, max_size=60))
def test_any_times(times: list[float]) -> None:
    agree(counted(*times), times)


@given(st.lists(st.floats(1e-9, 1e9), max_size=40), st.lists(st.floats(1e-9, 1e9), max_size=40))
def test_merged_is_as_if_counted_together(some: list[float], others: list[float]) -> None:
    together, there, back = counted(*some, *others), counted(*some), counted(*others)
    there.merge(counted(*others))
    back.merge(counted(*some))
    for merged in (there, back):
        assert merged.count == together.count
        assert [repr(merged.quantile(share)) for share in SHARES] == [repr(together.quantile(s)) for s in SHARES]


@pytest.mark.parametrize("seconds", [-1e-300, -1.0, nan, inf, -inf, 1e300, MAX_BUCKET_SECONDS])
def test_what_is_no_time_is_refused_and_not_counted(seconds: float) -> None:
    quantiles = counted(1.0)
    with pytest.raises(UserError, match=r"a time that is counted lies between 0 and 1\.1e\+12 s"):
        quantiles.add(seconds)
    assert quantiles.count == 1


def test_the_shortest_and_the_longest_times() -> None:
    times = [0.0, -0.0, 1e-300, 5e-324, 1e-13, 1e-12, 1e-9, 1e-6, 1e12, np.nextafter(MAX_BUCKET_SECONDS, 0.0).item()]
    agree(counted(*times), times)
    assert counted(0.0, 1e-300).quantile(1.0) == 0.0
    assert isnan(Quantiles().quantile(0.5))


def test_memory_is_bounded() -> None:
    """Times from a tick to the longest, at random in size: no more buckets than there may be, and far more times."""
    random, quantiles = Random(1), Quantiles()
    for _ in range(150_000):
        quantiles.add(2.0 ** (80.0 * random.random() - 40.0))
    assert quantiles.count == 150_000
    assert 30_000 < len(quantiles._buckets) <= 36_864
