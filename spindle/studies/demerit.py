"""Computes how far modelled times are from measured ones: by distributions (demerit) and request by request."""

from math import nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spindle.sim.error import UserError

Times = npt.NDArray[np.float64]


class Distance(NamedTuple):
    """The distance of two lists of times: *demerit*, also as a *share* of the measured mean.

    *apart* is the median difference request by request.
    """

    demerit: float
    share: float
    apart: float


def demerit(measured: Times, modelled: Times) -> float:
    """Return the demerit figure: the root mean square of the horizontal distance between the two distributions.

    Ruemmler and Wilkes, An Introduction to Disk Drive Modeling, IEEE Computer 27(3), 1994. It pairs the shortest time
    with the shortest and the longest with the longest, of whichever requests.
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
