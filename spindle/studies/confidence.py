"""Confidence interval of a mean from a few replications: Student's t."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spindle.sim.error import UserError
from spindle.studies.student import quantile


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
    half = quantile(count - 1, (1 + level) / 2) * sqrt(variance / count)
    return Interval(mean, mean - half, mean + half, count)


def paired_interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Return the mean of *a* - *b*, sample by sample: narrower than two intervals if both saw the same randomness."""
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


# How far a model is from what was measured: the demerit figure of Ruemmler and Wilkes, and request by request.

Times = npt.NDArray[np.float64]


class Distance(NamedTuple):
    """Distance of two lists of times: *demerit* in their unit, *share* of the measured mean, *apart* the median
    difference.
    """

    demerit: float
    share: float
    apart: float


def demerit(measured: Times, modelled: Times) -> float:
    """The root mean square of the horizontal distance between the two distributions.

    Ruemmler and Wilkes, An Introduction to Disk Drive Modeling, IEEE Computer 27(3), 1994. It pairs the shortest time
    with the shortest and the longest with the longest, whichever requests had them.
    """
    if len(measured) != len(modelled) or not len(measured):
        raise UserError(f"a demerit needs as many times on both sides, not {len(measured)} and {len(modelled)}")
    distance = np.sort(measured)
    distance -= np.sort(modelled)
    return float(np.sqrt(np.mean(np.square(distance, out=distance))))


def distance(measured: Times, modelled: Times) -> Distance:
    """Compute the distance of *modelled* from *measured*, the same requests in the same order."""
    value, mean = demerit(measured, modelled), float(np.mean(measured))
    return Distance(value, value / mean if mean > 0.0 else nan, float(np.median(np.abs(measured - modelled))))
