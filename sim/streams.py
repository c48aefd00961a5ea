"""Random streams, a named one for each source of variation; and distributions that any Python draws alike."""

from dataclasses import dataclass
from math import cos, erfc, exp, inf, log, pi, sqrt
from random import Random
from typing import Protocol


def stream(seed: object, name: str) -> Random:
    """The stream *name* of the run *seed*. Configurations that share seed and name share their randomness."""
    return Random(f"{seed}/{name}")


class Distribution(Protocol):
    """A non-negative random quantity; its ``mean`` is known exactly.

    >>> think: Distribution = Uniform(1.0, 3.0)
    >>> think.mean
    2.0
    """

    @property
    def mean(self) -> float: ...

    def draw(self, random: Random) -> float: ...


def _check(name: str, value: float) -> None:
    if not 0.0 <= value < inf:
        raise ValueError(f"{name} must be finite and not negative, not {value!r}")


@dataclass(frozen=True)
class Constant:
    """A constant *value*, for think times or sizes that do not vary.

    >>> Constant(5.0).mean
    5.0
    """

    value: float

    def __post_init__(self) -> None:
        _check("a constant", self.value)

    @property
    def mean(self) -> float:
        return self.value

    def draw(self, random: Random) -> float:
        return self.value


@dataclass(frozen=True)
class Exponential:
    """An exponential distribution of *mean*, by inverse transform: ``expovariate`` may change between Python versions.

    >>> Exponential(5 * US).mean
    4.9999999999999996e-06
    """

    mean: float

    def __post_init__(self) -> None:
        _check("the mean of an exponential", self.mean)

    def draw(self, random: Random) -> float:
        return -self.mean * log(1.0 - random.random())


@dataclass(frozen=True)
class Uniform:
    """A uniform distribution between *low* and *high*.

    >>> Uniform(1.0, 3.0).mean
    2.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _check("the low end of a uniform", self.low)
        _check("the high end of a uniform", self.high)
        if self.high < self.low:
            raise ValueError(f"a uniform from {self.low!r} to {self.high!r} runs backwards")

    @property
    def mean(self) -> float:
        return (self.low + self.high) / 2

    def draw(self, random: Random) -> float:
        return self.low + (self.high - self.low) * random.random()


@dataclass(frozen=True)
class Lognormal:
    """A lognormal distribution with *median*; its logarithm has the standard deviation *spread*.

    >>> Lognormal(10.0, 0.0).mean
    10.0
    """

    median: float
    spread: float

    def __post_init__(self) -> None:
        _check("the median of a lognormal", self.median)
        _check("the spread of a lognormal", self.spread)

    @property
    def mean(self) -> float:
        return self.median * exp(self.spread**2 / 2)

    def draw(self, random: Random) -> float:
        return self.median * exp(self.spread * normal(random))


@dataclass(frozen=True)
class Normal:
    """A normal distribution about *centre* with the standard *deviation*; negative draws become 0.

    >>> Normal(8.0, 0.0).mean
    8.0
    """

    centre: float
    deviation: float

    def __post_init__(self) -> None:
        _check("the centre of a normal", self.centre)
        _check("the deviation of a normal", self.deviation)

    @property
    def mean(self) -> float:
        if not self.deviation:
            return self.centre
        score = self.centre / self.deviation
        below = 0.5 * erfc(score / sqrt(2.0))
        return self.centre * (1.0 - below) + self.deviation * exp(-0.5 * score**2) / sqrt(2.0 * pi)

    def draw(self, random: Random) -> float:
        return max(0.0, self.centre + self.deviation * normal(random))


def normal(random: Random) -> float:
    """A standard normal variate, by Box & Muller."""
    return sqrt(-2.0 * log(1.0 - random.random())) * cos(2.0 * pi * random.random())


def pick(random: Random, count: int) -> int:
    """A uniform integer in ``0 .. count-1`` from one ``random()``.

    >>> 0 <= pick(Random(1), 6) < 6
    True
    """
    return int(random.random() * count)


@dataclass(frozen=True)
class Scaled:
    """A *distribution* whose draws are multiplied by *factor*."""

    distribution: Distribution
    factor: float

    def __post_init__(self) -> None:
        _check("a factor", self.factor)

    @property
    def mean(self) -> float:
        return self.factor * self.distribution.mean

    def draw(self, random: Random) -> float:
        return self.factor * self.distribution.draw(random)
