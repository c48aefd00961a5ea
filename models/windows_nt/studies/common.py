"""Shared by studies of Windows NT: readings off a chart of Performance Monitor (crossings, teeth, quarters), windows of
trials, and the book's numbers."""

from collections.abc import Sequence
from functools import partial
from math import fsum, nan
from pathlib import Path
from statistics import fmean

from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import with_points
from spindle.studies.study import StudyWindow, seconds

# Readings off a chart of Performance Monitor: where lines cross, the teeth of a saw, and correlations.

SMOOTHED = 5
"""Samples that a line is averaged over before it is looked at, as the eye does."""


def smooth(line: Sequence[float], width: int = SMOOTHED) -> list[float]:
    """Return means over *width* samples around each, fewer at the ends."""
    half = width // 2
    return [fmean(line[max(0, place - half) : place + half + 1]) for place in range(len(line))]


def crossing(falling: Sequence[float], rising: Sequence[float], along: Sequence[float]) -> float:
    """Return *along* at the point where *rising* overtakes *falling* to stay above; NaN if it never does.

    Straight lines between the samples; both are smoothed first.
    """
    gap = [up - down for up, down in zip(smooth(rising), smooth(falling), strict=True)]
    below = [place for place, each in enumerate(gap) if each < 0]
    if not below or below[-1] + 1 == len(gap):
        return nan
    last = below[-1]
    share = -gap[last] / (gap[last + 1] - gap[last])
    return along[last] + share * (along[last + 1] - along[last])


def turns(line: Sequence[float], least: float) -> list[int]:
    """Return the samples at which *line* turns by *least* or more, valleys and peaks in turn, a valley first."""
    extremes: list[int] = []
    extreme, down = 0, True
    for place, value in enumerate(line):
        further = value < line[extreme] if down else value > line[extreme]
        if further:
            extreme = place
        elif abs(value - line[extreme]) >= least:
            extremes.append(extreme)
            extreme, down = place, not down
    return extremes


def teeth(line: Sequence[float], least: float) -> int:
    """Count how often *line* falls, jumps up by *least* or more, and falls again as much."""
    return len(turns(line, least)) // 2


def quarter(line: Sequence[float], number: int) -> float:
    """Return the mean of the first (0) to the last (3) quarter of *line*."""
    length = len(line)
    part = line[number * length // 4 : (number + 1) * length // 4]
    return fmean(part) if part else nan


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the correlation of two lines over the samples that both have; NaN if one does not vary."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a == a and b == b]
    if len(pairs) < 2:
        return nan
    first, second = fmean(a for a, _ in pairs), fmean(b for _, b in pairs)
    product = fsum((a - first) * (b - second) for a, b in pairs)
    squares = fsum((a - first) ** 2 for a, _ in pairs) * fsum((b - second) ** 2 for _, b in pairs)
    return float(product / squares**0.5) if squares else nan


def most_frequent(values: Sequence[float]) -> float:
    """Return the value that most samples have, the smallest of several; NaN for none."""
    counted: dict[float, int] = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    return max(sorted(counted), key=lambda value: counted[value], default=nan)


FIGURE = StudyWindow({"share": 1.0}, {"share": 0.25})
"""Window of the trials of figures 6.3 to 6.21, all as long as the parameter trial: averages over a cache that fills
depend on the length."""
CLOSE_LOOK = StudyWindow({"share": 0.3}, {"share": 0.15})
"""Window of the first seconds of such a trial, sampled four times a second."""
RECORD = seconds(60.0, shorter=2.5)
"""Window of tables 6.1 and 6.2, where a random reader has nearly all of its megabyte after 24 s."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
with_paper = partial(with_points, partial(published_by_id, CLAIMS))
"""Decorate a function that draws with the points that the book prints."""
