"""The quantile of Student's t equals scipy's to eleven digits, for all that intervals ask of it."""

import pytest
from scipy.special import stdtrit

from spindle.studies.confidence import quantile, tail


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 19, 39, 99, 999, 100_000])
@pytest.mark.parametrize("share", [0.6, 0.95, 0.975, 0.995, 0.99995])
def test_it_is_that_of_scipy(degrees: int, share: float) -> None:
    near = 1e-11 if degrees < 1000 else 1e-9
    assert quantile(degrees, share) == pytest.approx(float(stdtrit(degrees, share)), rel=near)


def test_its_tail_is_a_probability() -> None:
    assert tail(7, 0.0) == pytest.approx(0.5)
    assert 0.0 < tail(7, 1e9) < 1e-30
    assert tail(7, 1e200) == 0.0
