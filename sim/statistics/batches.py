"""What one long run says about its mean: batch means.

The number of batches is always the same, so that they are as long as they can be: beyond twenty, more of them narrow
the interval by less than a long batch is worth (Schmeiser, Batch size effects in the analysis of simulation output,
Operations Research 30, 1982). Whether they are long enough is asked of finer ones, of which there are enough to tell
(after Law & Carson, A sequential procedure for determining the length of a steady-state simulation, ibid. 27, 1979).
"""

import numpy as np
import numpy.typing as npt

from sim.statistics.confidence import Interval, confidence
from sim.statistics.series import Series, TooShort, checked, means

BATCHES = 20
FINE = 400
"""The batches that are looked at for correlation; each of BATCHES holds as many of them."""
CORRELATED = 0.2
"""Neighbours among FINE are told from independent ones (0, give or take 0.05) by four standard deviations."""


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
