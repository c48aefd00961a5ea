"""Tests variates: exact means, ranges, the same numbers from the same names."""

from collections.abc import Callable
from math import exp, inf, log, nan
from random import Random

import pytest

from spindle.sim.streams import Constant, Distribution, Exponential, Lognormal, Normal, Scaled, Uniform, pick, stream


def test_a_stream_is_its_seed_and_its_name() -> None:
    assert stream(1, "a").random() == stream(1, "a").random()
    assert len({stream(seed, name).random() for seed in (1, 2) for name in "ab"}) == 4
    assert stream(1, "terminal 1/think").random() == Random("1/terminal 1/think").random()


class Given(Random):
    """A generator whose numbers are given."""

    def __init__(self, *numbers: float) -> None:
        super().__init__(0)
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


@pytest.mark.parametrize(
    ("distribution", "number", "value"),
    [
        (Constant(3.0), 0.5, 3.0),
        (Exponential(2.0), 0.0, 0.0),
        (Exponential(2.0), 0.5, 2.0 * log(2)),
        (Uniform(1.0, 3.0), 0.0, 1.0),
        (Uniform(1.0, 3.0), 0.75, 2.5),
        (Scaled(Uniform(1.0, 3.0), 10.0), 0.75, 25.0),
    ],
)
def test_by_hand(distribution: Distribution, number: float, value: float) -> None:
    assert distribution.draw(Given(number)) == pytest.approx(value)


@pytest.mark.parametrize(
    "distribution", [Constant(3.0), Exponential(2.0), Uniform(1.0, 4.0), Scaled(Exponential(2.0), 0.5),
                     Normal(8.0, 2.0), Normal(1.0, 2.0), Lognormal(3.0, 0.5)]
)
def test_the_mean_is_the_mean(distribution: Distribution) -> None:
    random = stream(1, "mean")
    assert sum(distribution.draw(random) for _ in range(20_000)) / 20_000 == pytest.approx(distribution.mean, rel=0.03)


def test_a_normal_by_hand() -> None:
    """sqrt(-2 ln(1 - u)) cos(2 pi v) with u = 1 - 1/e**2 and v = 0 or a half is 2, or -2."""
    u = 1.0 - exp(-2.0)
    assert Normal(8.0, 3.0).draw(Given(u, 0.0)) == pytest.approx(14.0)
    assert Normal(8.0, 3.0).draw(Given(u, 0.5)) == pytest.approx(2.0)
    assert Normal(5.0, 3.0).draw(Given(u, 0.5)) == 0.0
    assert Normal(0.0, 1.0).mean == pytest.approx(0.398942)  # of which half are 0: 1 / sqrt(2 pi)
    assert (Normal(8.0, 0.0).mean, Normal(8.0, 1.0).mean) == (8.0, pytest.approx(8.0))


def test_a_lognormal_by_hand() -> None:
    """Its logarithm is normal: 2, or -2, deviations away from that of the median."""
    u = 1.0 - exp(-2.0)
    assert Lognormal(10.0, 0.5).draw(Given(u, 0.0)) == pytest.approx(10.0 * exp(1.0))
    assert Lognormal(10.0, 0.5).draw(Given(u, 0.5)) == pytest.approx(10.0 / exp(1.0))
    assert Lognormal(10.0, 0.0).draw(Given(u, 0.5)) == 10.0


def test_pick_by_hand() -> None:
    assert [pick(Given(number), 4) for number in (0.0, 0.249, 0.25, 0.999999)] == [0, 0, 1, 3]


@pytest.mark.parametrize("value", [-1.0, nan, inf])
@pytest.mark.parametrize(("name", "make"), [
    ("a constant", Constant), ("the mean of an exponential", Exponential),
    ("the low end of a uniform", lambda v: Uniform(v, 1.0)), ("the high end of a uniform", lambda v: Uniform(0.0, v)),
    ("the median of a lognormal", lambda v: Lognormal(v, 1.0)),
    ("the spread of a lognormal", lambda v: Lognormal(1.0, v)),
    ("the centre of a normal", lambda v: Normal(v, 1.0)), ("the deviation of a normal", lambda v: Normal(1.0, v)),
    ("a factor", lambda v: Scaled(Constant(1.0), v)),
])  # fmt: skip
def test_what_no_time_can_be_is_refused(name: str, make: Callable[[float], object], value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be finite and not negative, not {value!r}$"):
        make(value)


def test_a_uniform_runs_upwards_or_stands_still() -> None:
    assert Uniform(2.0, 2.0).draw(Given(0.5)) == 2.0
    with pytest.raises(ValueError, match=r"^a uniform from 2\.0 to 1\.0 runs backwards$"):
        Uniform(2.0, 1.0)
