"""Requests that do not wait for the medium: lines of seconds by sectors, of hits and of early reports."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import IntArray, ObservedRequests

FEWEST_REQUESTS = 25
"""Requests that a line needs."""
LOW = 0.2
"""The share of requests below the line: hits are the fastest of the requests that may be hits, and the most."""
BAND, CLEARLY = 0.02, 3.0
"""A line is found if this part of a revolution around it holds CLEARLY times more requests than by chance."""


class LinkLine(NamedTuple):
    """Seconds for a command, and for each *sector*."""

    command: float
    sector: float


class EasyRequests(NamedTuple):
    """Times of requests that do not wait for the medium: reads that hit, and writes reported early, if any."""

    hits: LinkLine | None
    reports: LinkLine | None


def low_line(sectors: IntArray, took: Times) -> LinkLine:
    """The line with LOW of the points below it, by quantile regression (Koenker & Bassett 1978) as a linear program."""
    count = len(sectors)
    above, below = np.full(count, LOW), np.full(count, 1.0 - LOW)
    equal = np.hstack([np.ones((count, 1)), sectors[:, None], np.eye(count), -np.eye(count)])
    answer = linprog(np.concatenate([[0.0, 0.0], above, below]), A_eq=equal, b_eq=took / took.mean(), method="highs")
    return LinkLine(float(answer.x[0] * took.mean()), float(answer.x[1] * took.mean()))


def easy_requests(seen: ObservedRequests, period: float) -> EasyRequests:
    """Find the lines of hits and of reports; None where there are none."""
    return EasyRequests(_line(seen, seen.reads & ~seen.unbuffered & seen.after_read, period),
                        _line(seen, ~seen.reads & seen.unbuffered, period))


def _line(seen: ObservedRequests, chosen: Mask, period: float) -> LinkLine | None:
    """Find the line of *chosen* requests; None if they wait for the medium, so that they spread over a revolution."""
    places = np.flatnonzero(chosen)[:600]
    if len(places) < FEWEST_REQUESTS or len(np.unique(seen.sectors[places])) < 2:
        return None
    line = low_line(seen.sectors[places], seen.seconds[places])
    beyond = seen.seconds[places] - line.command - line.sector * seen.sectors[places]
    near = float(np.mean(np.abs(beyond) < BAND * period))
    return line if near > CLEARLY * 2 * BAND and line.sector > 0.0 else None
