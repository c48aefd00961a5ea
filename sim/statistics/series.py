"""What a run observed, one number after the other in their order: whether it is enough, and batch means."""

import numpy as np
import numpy.typing as npt

from sim.error import UserError
from sim.measure.result import Result
from sim.statistics.confidence import Interval, confidence

Series = npt.NDArray[np.float64]


class TooShort(UserError):
    """The observation is too short for the estimate."""


def responses(result: Result) -> Series:
    """Response times, seconds, in the order in which they were given; UserError where the run kept no rows."""
    rows = result.transactions
    if not rows and result.recorder.count:
        raise UserError("responses one by one need the rows of a run: keep_rows=True")
    return np.array([row.responded - row.began for row in sorted(rows, key=lambda row: row.responded)])


def checked(observations: npt.ArrayLike, least: int) -> Series:
    """*observations* as an array; TooShort where there are fewer than *least*, UserError where one is no number."""
    series = np.asarray(observations, dtype=np.float64)
    if series.ndim != 1:
        raise UserError(f"a series is one number after the other, not of shape {series.shape}")
    if len(series) < least:
        raise TooShort(f"this takes at least {least} observations, and there are {len(series)}: observe longer")
    wrong = np.flatnonzero(~np.isfinite(series))
    if len(wrong):
        index = int(wrong[0])
        raise UserError(f"observation {index} of {len(series)} must be a finite number, not {series[index]}")
    return series


def means(series: Series, size: int) -> Series:
    """The mean of each *size* observations; what is left over at the end is left out."""
    batches: Series = series[: len(series) // size * size].reshape(-1, size).mean(axis=1)
    return batches


BATCHES = 20
FINE = 400
"""The batches that are looked at for correlation; each of BATCHES holds as many of them."""
CORRELATED = 0.2
"""Neighbours among FINE differ from independent ones (0, give or take 0.05) by four standard deviations."""


def batch_means(observations: npt.ArrayLike, level: float = 0.95) -> Interval:
    """The interval of the mean of *observations* that were made one after the other, once settled.

    TooShort where neighbours among FINE batches are correlated. Up to FINE - 1 observations at the start go unused.
    """
    series = checked(observations, FINE)
    size = len(series) // FINE
    fine = means(series[len(series) - FINE * size :], size)
    correlation = neighbours(fine)
    if correlation > CORRELATED:
        raise TooShort(
            f"batches of {size} are still correlated ({correlation:.2f}, at most {CORRELATED} is allowed), "
            f"so {len(series)} observations are too few: observe longer"
        )
    return confidence(means(fine, FINE // BATCHES).tolist(), level)


def neighbours(values: Series) -> float:
    """The correlation of each value with the next one; 0 where all are equal."""
    centred = values - values.mean()
    scaled = centred / (np.abs(centred).max() or 1.0)
    squares = float(scaled @ scaled)
    return float(scaled[1:] @ scaled[:-1]) / squares if values.min() < values.max() else 0.0
