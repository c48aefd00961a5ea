"""What the electronics and the host's link take: the lower of the lines on which requests without the medium lie."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from models.drives.fit.observed import ObservedRequests, Wholes
from models.drives.timed import Mask, Times

FEW = 25
"""Requests that a line needs."""
LOW = 0.2
"""The share of requests below the line; hits are the fastest, and more of what may be hits are."""
BAND, CLEARLY = 0.02, 3.0
"""A line is one if so many times more requests lie this part of a revolution around it than chance puts there."""


class LinkLine(NamedTuple):
    """Seconds for a command, and for each *sector*."""

    command: float
    sector: float


class EasyRequests(NamedTuple):
    """What requests take that do not wait for the medium: reads that hit, and writes that are reported early if any."""

    hits: LinkLine | None
    reports: LinkLine | None


def low_line(sectors: Wholes, took: Times) -> LinkLine:
    """The line with LOW of the points below it, by quantile regression (Koenker & Bassett 1978) as a linear program."""
    count = len(sectors)
    above, below = np.full(count, LOW), np.full(count, 1.0 - LOW)
    equal = np.hstack([np.ones((count, 1)), sectors[:, None], np.eye(count), -np.eye(count)])
    answer = linprog(np.concatenate([[0.0, 0.0], above, below]), A_eq=equal, b_eq=took / took.mean(), method="highs")
    return LinkLine(float(answer.x[0] * took.mean()), float(answer.x[1] * took.mean()))


def easy_requests(seen: ObservedRequests, period: float) -> EasyRequests:
    """The lines of hits and of reports, those that there are."""
    return EasyRequests(_line(seen, seen.reads & ~seen.fresh & seen.after_read, period),
                        _line(seen, ~seen.reads & seen.fresh, period))


def _line(seen: ObservedRequests, of: Mask, period: float) -> LinkLine | None:
    """None where requests wait for the medium: then they would be spread over a revolution, whatever their size."""
    places = np.flatnonzero(of)[:600]
    if len(places) < FEW or len(np.unique(seen.sectors[places])) < 2:
        return None
    line = low_line(seen.sectors[places], seen.took[places])
    beyond = seen.took[places] - line.command - line.sector * seen.sectors[places]
    near = float(np.mean(np.abs(beyond) < BAND * period))
    return line if near > CLEARLY * 2 * BAND and line.sector > 0.0 else None
