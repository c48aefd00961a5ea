"""How far a number may be from the one that was found, by how much the times hang on it."""

from math import log

import numpy as np

from models.drives.flash.formula import Numbers

LEAST_OFF = 0.005
"""No fit of times that were measured is better."""
TWICE = 2.0
WIDEST = log(1e3)
NONE = 1e-9
"""Keeps a number that no time hangs on from being infinitely wide."""


def standard_errors(slope: Numbers, off: float) -> Numbers:
    """Two of each logarithm, where times have the *slope*, a row a job, and are *off* by so much.

    As many whole numbers were chosen as there are others, so that fewer times are left to say how far off they are.
    """
    jobs, numbers = slope.shape
    few = np.sqrt(jobs / max(1, jobs - 2 * numbers))
    spread = np.linalg.pinv(slope.T @ slope + NONE * np.eye(numbers))
    wide: Numbers = TWICE * few * max(off, LEAST_OFF) * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return np.minimum(wide, WIDEST)
