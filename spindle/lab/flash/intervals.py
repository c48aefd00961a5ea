"""Computes confidence intervals of fitted numbers, from how much the times depend on each."""

from math import log

import numpy as np

from spindle.lab.flash.formula import Numbers

MIN_OFF = 0.005
"""The least error of a fit, as a share of measured times, that is assumed."""
STANDARD_ERRORS = 2.0
MAX_LOG_ERROR = log(1e3)
NO_SLOPE = 1e-9
"""Keeps a number on which no time depends from having an infinite error."""


def standard_errors(slope: Numbers, off: float) -> Numbers:
    """Return two standard errors of each logarithm; *slope* has a row for each job, and times are *off* by a share.

    The counts of the kind were chosen as well, as many as the numbers: fewer degrees of freedom.
    """
    jobs, numbers = slope.shape
    widening = np.sqrt(jobs / max(1, jobs - 2 * numbers))
    spread = np.linalg.pinv(slope.T @ slope + NO_SLOPE * np.eye(numbers))
    wide: Numbers = STANDARD_ERRORS * widening * max(off, MIN_OFF) * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return np.minimum(wide, MAX_LOG_ERROR)
