"""Fits service time against sectors by a straight line, for reads that hit and for writes that are reported early.

Neither waits for the medium: they take a command, and the transfer of each sector over the link to the host.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import IntArray, ObservedRequests

FEWEST_REQUESTS = 25
"""The least number of requests to which a line is fitted."""
MOST_REQUESTS = 600
"""The number of requests, the first ones, to which a line is fitted at most."""
SHARE_BELOW_LINE = 0.2
"""The share of requests faster than the line. Most of those that may be hits are hits, and misses are slower."""
NEAR_LINE = 0.02
"""Distance to each side within which a request is near the line, as a share of a revolution."""
MIN_OVER_CHANCE = 3.0
"""Factor by which requests near the line exceed their number by chance; with fewer there is no line."""


class LinkLine(NamedTuple):
    """A straight line of seconds by sectors: those of a *command*, and those of each *sector*."""

    command: float
    sector: float


class EasyRequests(NamedTuple):
    """The lines of *hits*, reads from the buffer, and of *reports*, writes reported early; None if there are none."""

    hits: LinkLine | None
    reports: LinkLine | None


def low_line(sectors: IntArray, took: Times) -> LinkLine:
    """Return the line with SHARE_BELOW_LINE of the points below it.

    It is a quantile regression (Koenker & Bassett 1978), solved as a linear program.
    """
    count = len(sectors)
    above, below = np.full(count, SHARE_BELOW_LINE), np.full(count, 1.0 - SHARE_BELOW_LINE)
    equal = np.hstack([np.ones((count, 1)), sectors[:, None], np.eye(count), -np.eye(count)])
    answer = linprog(np.concatenate([[0.0, 0.0], above, below]), A_eq=equal, b_eq=took / took.mean())
    return LinkLine(float(answer.x[0] * took.mean()), float(answer.x[1] * took.mean()))


def easy_requests(seen: ObservedRequests, period: float) -> EasyRequests:
    """Find both lines in the requests *seen*, on a drive that turns once in *period* seconds."""
    return EasyRequests(_line(seen, seen.reads & ~seen.unbuffered & seen.after_read, period),
                        _line(seen, ~seen.reads & seen.unbuffered, period))


def _line(seen: ObservedRequests, chosen: Mask, period: float) -> LinkLine | None:
    """Return the line of *chosen* requests; None if they wait for the medium, and so spread over a revolution."""
    places = np.flatnonzero(chosen)[:MOST_REQUESTS]
    if len(places) < FEWEST_REQUESTS or len(np.unique(seen.sectors[places])) < 2:
        return None
    line = low_line(seen.sectors[places], seen.seconds[places])
    beyond = seen.seconds[places] - line.command - line.sector * seen.sectors[places]
    near = float(np.mean(np.abs(beyond) < NEAR_LINE * period))
    return line if near > MIN_OVER_CHANCE * 2 * NEAR_LINE and line.sector > 0.0 else None
