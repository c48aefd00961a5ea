"""One run that is made longer until its own batches give the mean response within the wanted precision."""

from collections.abc import Callable
from typing import NamedTuple

from sim.error import UserError
from sim.measure.result import Result
from sim.statistics.confidence import Interval
from sim.statistics.series import TooShort, batch_means, responses
from sim.sweep.precision import width


class LongRun(NamedTuple):
    """The last and longest *result*, the 95 % *interval* of its mean response, and whether that is narrow enough."""

    result: Result
    interval: Interval
    reached: bool


def long_run(
    run: Callable[..., Result], /, *, precision: float = 0.02, minutes: float = 20.0, most_minutes: float = 640.0,
    **arguments: object,
) -> LongRun:  # fmt: skip
    """*run* over *minutes*, and over twice as many as long as batches are correlated or the interval is too wide.

    A longer run begins as the shorter one did, so that all of them together take at most twice the time of the last.
    TooShort where batches are correlated even in the longest. Give a *warm_up*, such as find_warm_up finds.
    """
    if not 0.0 < precision < 1.0:
        raise UserError(f"precision is a share of the mean, between 0 and 1, not {precision!r}")
    if not 0.0 < minutes <= most_minutes:
        raise UserError(f"minutes must be positive and at most most_minutes, not {minutes!r} of {most_minutes!r}")
    while True:
        longest = 2 * minutes > most_minutes
        result = run(minutes=minutes, keep_rows=True, **arguments)
        try:
            interval = batch_means(responses(result))
        except TooShort:
            if longest:
                raise
        else:
            reached = width(interval) <= precision
            if reached or longest:
                return LongRun(result, interval, reached)
        minutes *= 2
