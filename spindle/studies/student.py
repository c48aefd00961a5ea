"""Student's t without scipy: the quantile of confidence intervals, to eleven digits up to a thousand replications."""

from functools import cache
from math import exp, lgamma, log, pi, sqrt, tan

TINY, CLOSE = 1e-300, 1e-15
STEPS = 400
"""Of a fraction or a bisection; fewer suffice for any number of replications."""


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1.0))
    result = d
    for step in range(1, STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d, c = 1.0 / _nonzero(1.0 + term * d), _nonzero(1.0 + term / c)
            result *= c * d
        if abs(c * d - 1.0) < CLOSE:
            break
    return result


def _nonzero(value: float) -> float:
    """Return *value*, or a tiny divisor instead of zero."""
    return value if abs(value) > TINY else TINY


def _beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function."""
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
    """The value that *share* of a Student's variable do not exceed; *share* lies above one half."""
    if degrees == 1:
        return tan(pi * (share - 0.5))
    if degrees == 2:
        return (2.0 * share - 1.0) * sqrt(2.0 / (4.0 * share * (1.0 - share)))
    beyond = 1.0 - share
    low, high = 0.0, 1.0
    while tail(degrees, high) > beyond:
        low, high = high, 2.0 * high
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if tail(degrees, middle) > beyond else (low, middle)
    return 0.5 * (low + high)
