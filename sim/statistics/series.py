"""What a run observed, one number after the other, in the order in which it did."""

import numpy as np
import numpy.typing as npt

from sim.error import UserError
from sim.measure.result import Result

Series = npt.NDArray[np.float64]


class TooShort(UserError):
    """What was observed does not last long enough to tell what was asked."""


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
    found: Series = series[: len(series) // size * size].reshape(-1, size).mean(axis=1)
    return found
