"""Computes, from one run, the elasticity of the mean response: its growth if calls hold the control block longer.

The control block is a table of the data base that each call locks.
"""

from collections.abc import Sequence
from math import log, nan

from spindle.sim.measure.result import Result

HOLD_FACTOR = 1.01
"""Factor by which the second of two networks, whose waits are compared, has longer holds."""


def elasticity(result: Result) -> float:
    """Return by how many percent the mean response grows where each hold is a percent longer; NaN without responses.

    Each response takes R seconds, of which it holds the control block for H and waits for it for W. H grows with the
    hold. W grows as in a closed network of one station: as many users, a demand of H, the rest of the cycle a delay.
    """
    answered = result.response()
    count, mean = answered["responses"], answered["response_mean"]
    held, wait = _hold_seconds(result), result.breakdown()["lock"]
    if not count or not mean or not held:
        return nan
    demand, users = held / count, int(str(result.parameters["terminals"]))
    delay = max(0.0, users * result.seconds / count - demand - wait)
    waits = [station_wait(users, delay, factor * demand) for factor in (1.0, HOLD_FACTOR)]
    growth = log(waits[1] / waits[0]) / log(HOLD_FACTOR) if waits[0] > 0.0 else 0.0
    return (demand + wait * growth) / mean


def station_wait(users: int, delay: float, demand: float) -> float:
    """Return the wait by mean value analysis at one station: *demand* seconds for each of *users*, *delay* between."""
    present = response = 0.0
    for number in range(1, users + 1):
        response = demand * (1.0 + present)
        present = number * response / (delay + response)
    return response - demand


def lines(result: Result) -> Sequence[str]:
    """Return the elasticity as a line of the answer's text; none where nobody held the control block."""
    value, busy = elasticity(result), _hold_seconds(result) / result.seconds
    return [] if value != value else [
        f"{value:.1f} % longer if the control block is held 1 % longer; it is held {busy:.0%} of the time"
    ]  # fmt: skip


def _hold_seconds(result: Result) -> float:
    """Return the seconds for which the control block was held; 0 in a machine without a data base."""
    return result.counters.get("data_base.lock_held", 0.0)
