"""The confidence interval of a mean from a few replications: Student's t."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, nan, sqrt

from scipy.special import stdtrit

from sim.error import UserError


@dataclass(frozen=True)
class Interval:
    """A *mean* of *count* samples, and the bounds within which the true one lies with the given confidence.

    *low* and *high* of one sample, which has no spread, are NaN.
    """

    mean: float
    low: float
    high: float
    count: int


def confidence(samples: Sequence[float], level: float = 0.95) -> Interval:
    """The interval that holds the mean with probability *level*, if the samples are independent and about normal."""
    _check(samples, level)
    count = len(samples)
    if min(samples) == max(samples):
        # Apart, because the rounding of a sum would give equal samples a width of an ulp or two.
        bound = samples[0] if count > 1 else nan
        return Interval(samples[0], bound, bound, count)
    mean = fsum(samples) / count
    variance = fsum((sample - mean) ** 2 for sample in samples) / (count - 1)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * sqrt(variance / count)
    return Interval(mean, mean - half, mean + half, count)


def paired(a: Sequence[float], b: Sequence[float]) -> Interval:
    """The mean of *a* - *b*, sample by sample: narrower than two intervals where both saw the same randomness."""
    if len(a) != len(b):
        raise UserError(f"pairs need as many samples on both sides, not {len(a)} and {len(b)}")
    return confidence([left - right for left, right in zip(a, b, strict=True)])


def _check(samples: Sequence[float], level: float) -> None:
    if not 0 < level < 1:
        raise UserError(f"a confidence level lies between 0 and 1, not at {level!r}")
    if not len(samples):
        raise UserError("a confidence interval needs at least one sample")
    for index, sample in enumerate(samples):
        if not isfinite(sample):
            raise UserError(f"sample {index} of {len(samples)} must be a finite number, not {sample!r}")
