"""Computes confidence intervals of means by Student's t, also of differences between pairs of samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, fsum, isfinite, lgamma, log, nan, pi, sqrt, tan

from spindle.sim.error import UserError

# The quantile of Student's t without scipy, to eleven digits up to a thousand replications.

FRACTION_ERROR = 1e-15
MAX_STEPS = 400
"""Steps of a continued fraction or a bisection; fewer suffice for any number of replications."""


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method.

    No divisor is zero, for *x* is below (a + 1) / (a + b + 2).
    """
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    result = d
    for step in range(1, MAX_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d, c = 1.0 / (1.0 + term * d), 1.0 + term / c
            result *= c * d
        if abs(c * d - 1.0) < FRACTION_ERROR:
            break
    return result


def _beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function."""
    if not 0.0 < x < 1.0:
        return float(x >= 1.0)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1.0 - x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def tail(degrees: float, t: float) -> float:
    """Return the probability that Student's t with *degrees* of freedom exceeds *t*, which is not negative."""
    return 0.5 * _beta(0.5 * degrees, 0.5, degrees / (degrees + t * t))


@cache
def quantile(degrees: int, share: float) -> float:
    """Return the value that a Student's variable does not exceed with probability *share*, which is above one half."""
    if degrees == 1:
        return tan(pi * (share - 0.5))
    if degrees == 2:
        return (2.0 * share - 1.0) * sqrt(2.0 / (4.0 * share * (1.0 - share)))
    beyond = 1.0 - share
    low, high = 0.0, 1.0
    while tail(degrees, high) > beyond:
        low, high = high, 2.0 * high
    for _ in range(MAX_STEPS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if tail(degrees, middle) > beyond else (low, middle)
    return 0.5 * (low + high)


@dataclass(frozen=True)
class Interval:
    """A confidence interval: the *mean* of *count* samples, and the bounds *low* and *high* of the true mean.

    The bounds of a single sample, which has no spread, are NaN.
    """

    mean: float
    low: float
    high: float
    count: int


def confidence(samples: Sequence[float], level: float = 0.95) -> Interval:
    """Return the interval of the mean at confidence *level*; samples are independent and about normal."""
    _check(samples, level)
    count = len(samples)
    if min(samples) == max(samples):
        # Equal samples are treated apart: the rounding of a sum would give them an interval that is not empty.
        bound = samples[0] if count > 1 else nan
        return Interval(samples[0], bound, bound, count)
    mean = fsum(samples) / count
    variance = fsum((sample - mean) ** 2 for sample in samples) / (count - 1)
    half = quantile(count - 1, (1 + level) / 2) * sqrt(variance / count)
    return Interval(mean, mean - half, mean + half, count)


def paired_interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Return the interval of the mean of *a* - *b*, sample by sample; narrow if both had the same random numbers."""
    if len(a) != len(b):
        raise UserError(f"paired comparison needs equal sample counts: {len(a)} and {len(b)}")
    return confidence([left - right for left, right in zip(a, b, strict=True)])


def _check(samples: Sequence[float], level: float) -> None:
    if not 0 < level < 1:
        raise UserError(f"a confidence level lies between 0 and 1, not at {level!r}")
    if not len(samples):
        raise UserError("a confidence interval needs at least one sample")
    for index, sample in enumerate(samples):
        if not isfinite(sample):
            raise UserError(f"sample {index} of {len(samples)} must be a finite number, not {sample!r}")
