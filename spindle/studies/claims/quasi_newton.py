"""Searches, by a damped quasi-Newton method (Broyden 1965), for knobs with which a noisy machine meets its targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Measure = Callable[[Sequence[float]], Sequence[float]]
"""Maps logarithms of knobs to logarithms of (measured / wanted)."""

CLOSE_DISTANCE = 0.12
"""Distance, as a logarithm, at which a measure has reached its target: the noise of a short run is as large."""
CORRECTABLE_DISTANCE = 0.3
"""Largest distance that longer runs can correct."""
MAX_STEP = 0.7
"""Largest move of a knob in a step, as a logarithm: a factor of two."""
MAX_MOVE = 2.3
"""Largest move of a knob from the start of the search, as a logarithm: a factor of ten."""
MAX_VAIN_STEPS = 3
"""Steps without progress after which the search fails."""
MAX_DISTANCES = {2: 1.2, 3: 0.7, 4: 0.5}
"""Distance above which the search fails, by the number of steps taken."""
UNMEASURED_DISTANCE = 1.0
NUDGE = 0.2
"""Change of the logarithm of a knob by which slopes are measured."""
MIN_STEP = 0.05
"""Shortest step from which slopes are learnt; the noise would exceed the effect of a shorter one."""


@dataclass(frozen=True)
class FitResult:
    """The end of a search after *steps* steps, with the distances *left*; *why* it failed, or ''.

    *slope* has the slopes of the start: those learnt during the search contain noise.
    """

    at: Vector
    left: Vector
    slope: Vector
    steps: int
    why: str = ""

    def correct(self, left: Sequence[float], share: float = 1.0) -> "FitResult":
        """Take the *share* of one more step, from the distances *left* of a new measurement."""
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
        if number - 1 - best.steps >= MAX_VAIN_STEPS or _distance(best.left) > MAX_DISTANCES.get(number - 1, inf):
            break
        further = np.clip(at + step(slopes, left), began - MAX_MOVE, began + MAX_MOVE)
        there = _measure(measure, further)
        slopes = _learnt(slopes, further - at, there - left)
        at, left = further, there
        if _distance(left) < _distance(best.left):
            best = FitResult(at, left, first, number)
    why = "" if _distance(best.left) <= CORRECTABLE_DISTANCE else f"the search ended {_distance(best.left):.0%} away"
    return replace(best, why=why)


def measured_slopes(measure: Measure, at: Sequence[float]) -> list[list[float]]:
    """Measure the slope of each measure by each knob around *at*: knobs are moved by NUDGE, one after the other."""
    here = np.asarray(measure(at), dtype=float)
    nudged = [[each + NUDGE * (place == knob) for place, each in enumerate(at)] for knob in range(len(at))]
    changes = [(np.asarray(measure(knobs), dtype=float) - here) / NUDGE for knobs in nudged]
    return [[float(change[row]) for change in changes] for row in range(len(here))]


def _measure(measure: Measure, at: Vector) -> Vector:
    """Measure; NaN, where nothing was measured, counts as a distance of UNMEASURED_DISTANCE."""
    values = np.asarray(measure(list(at)), dtype=float)
    return np.where(np.isnan(values), UNMEASURED_DISTANCE, values)


def step(slopes: Vector, left: Vector) -> Vector:
    """Return Newton's step, with no knob moved further than MAX_STEP; directions without effect are left out."""
    wanted = np.linalg.lstsq(slopes, -np.clip(left, -MAX_STEP, MAX_STEP), rcond=0.03)[0]
    longest = float(np.max(np.abs(wanted)))
    return np.asarray(wanted * min(1.0, MAX_STEP / longest)) if longest > 0.0 else np.asarray(wanted)


def _learnt(slopes: Vector, moved: Vector, changed: Vector) -> Vector:
    """Return the slopes nearest to the present ones that explain the last step."""
    square = float(moved @ moved)
    if square < MIN_STEP**2:
        return slopes
    return np.asarray(slopes + np.outer(changed - slopes @ moved, moved) / square)


def _distance(left: Vector) -> float:
    return float(np.max(np.abs(left)))
