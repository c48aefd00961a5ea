"""A damped quasi-Newton search (Broyden 1965) for the knobs that bring a noisy machine to its targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Measure = Callable[[Sequence[float]], Sequence[float]]
"""Maps logarithms of knobs to logarithms of (measured / wanted)."""

CLOSE_DISTANCE = 0.12
"""A measure that is this near its target has reached it: the noise of a short run is as large."""
CORRECTABLE_DISTANCE = 0.3
"""Distance from which longer runs can correct the rest."""
MAX_STEP = 0.7
"""The most that a knob moves at once: a factor of two."""
REACH = 2.3
"""The most that a knob may lie from where the search began: a factor of ten."""
NO_NEARER = 3
"""Steps without progress after which the search gives up."""
HOPEFUL = {2: 1.2, 3: 0.7, 4: 0.5}
"""Distance that must be reached by each step."""
UNMEASURED_DISTANCE = 1.0
NUDGE = 0.2
"""Change of the logarithm of a knob by which slopes are measured."""
MIN_STEP = 0.05
"""A shorter step measures the noise more than the slope."""


@dataclass(frozen=True)
class FitResult:
    """End of a search after *steps* steps, with the distances *left*; *why* it failed, or ''.

    *slope* is the initial one: slopes learnt on the way contain noise.
    """

    at: Vector
    left: Vector
    slope: Vector
    steps: int
    why: str = ""

    def correct(self, left: Sequence[float], share: float = 1.0) -> "FitResult":
        """Take that *share* of one more step, from the distances *left* of a new measurement."""
        return replace(self, at=self.at + share * step(self.slope, np.asarray(left)))


def fit(measure: Measure, start: Sequence[float], slope: Sequence[Sequence[float]], most: int = 8) -> FitResult:
    """Search from *start* in at most *most* measurements; ``slope[i][j]`` is the first slope of measure i by knob j."""
    began = at = np.asarray(start, dtype=float)
    first = slopes = np.asarray(slope, dtype=float)
    left = _measure(measure, at)
    best = FitResult(at, left, first, 1)
    for number in range(2, most + 1):
        if _distance(best.left) <= CLOSE_DISTANCE:
            return best
        if number - 1 - best.steps >= NO_NEARER or _distance(best.left) > HOPEFUL.get(number - 1, inf):
            break
        further = np.clip(at + step(slopes, left), began - REACH, began + REACH)
        there = _measure(measure, further)
        slopes = _learnt(slopes, further - at, there - left)
        at, left = further, there
        if _distance(left) < _distance(best.left):
            best = FitResult(at, left, first, number)
    why = "" if _distance(best.left) <= CORRECTABLE_DISTANCE else f"the search ended {_distance(best.left):.0%} away"
    return replace(best, why=why)


def measured_slopes(measure: Measure, at: Sequence[float]) -> list[list[float]]:
    """Measure the slope of each measure by each knob around *at*: one after the other is moved by NUDGE."""
    here = np.asarray(measure(at), dtype=float)
    nudged = [[each + NUDGE * (place == knob) for place, each in enumerate(at)] for knob in range(len(at))]
    changes = [(np.asarray(measure(knobs), dtype=float) - here) / NUDGE for knobs in nudged]
    return [[float(change[row]) for change in changes] for row in range(len(here))]


def _measure(measure: Measure, at: Vector) -> Vector:
    """Measure; NaN, where nothing was measured, counts as UNMEASURED_DISTANCE away."""
    values = np.asarray(measure(list(at)), dtype=float)
    return np.where(np.isnan(values), UNMEASURED_DISTANCE, values)


def step(slopes: Vector, left: Vector) -> Vector:
    """Return Newton's step, with no knob moved further than MAX_STEP; directions without effect are left out."""
    wanted = np.linalg.lstsq(slopes, -np.clip(left, -MAX_STEP, MAX_STEP), rcond=0.03)[0]
    longest = float(np.max(np.abs(wanted)))
    return np.asarray(wanted * min(1.0, MAX_STEP / longest)) if longest > 0.0 else np.asarray(wanted)


def _learnt(slopes: Vector, moved: Vector, changed: Vector) -> Vector:
    """The slopes nearest to the present ones that explain the last step."""
    square = float(moved @ moved)
    if square < MIN_STEP**2:
        return slopes
    return np.asarray(slopes + np.outer(changed - slopes @ moved, moved) / square)


def _distance(left: Vector) -> float:
    return float(np.max(np.abs(left)))
