"""A damped quasi-Newton search (Broyden 1965) for the knobs that bring a noisy machine to its targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Measure = Callable[[Sequence[float]], Sequence[float]]
"""Logarithms of knobs to logarithms of (what is measured / what it should be)."""

CLOSE = 0.12
"""A measure this near its target is there: the noise of a short run is as large."""
NEAR = 0.3
"""From so near, longer runs can correct the rest."""
STEP = 0.7
"""The most that a knob moves at once: a factor of two."""
REACH = 2.3
"""The most that a knob may lie from where the search began: a factor of ten."""
NO_NEARER = 3
"""After so many steps in vain the search gives up."""
HOPEFUL = {2: 1.2, 3: 0.7, 4: 0.5}
"""How near it must have come by which step."""
FAR = 1.0
NUDGE = 0.2
"""By how much a knob is moved, in logarithms, to see what follows it."""
TOLD = 0.05
"""A shorter step measures the noise more than the slope."""


@dataclass(frozen=True)
class FitResult:
    """Where a search ended after so many *steps*, what was *left* there; *why* it failed, if it did.

    *slope* is what the search began with: what it learns on the way is learnt from noise too.
    """

    at: Vector
    left: Vector
    slope: Vector
    steps: int
    why: str = ""

    def corrected(self, left: Sequence[float], share: float = 1.0) -> "FitResult":
        """That *share* of one step more, from what is *left* now that more was measured."""
        return replace(self, at=self.at + share * step(self.slope, np.asarray(left)))


def fit(measure: Measure, start: Sequence[float], slope: Sequence[Sequence[float]], most: int = 8) -> FitResult:
    """At most so many measurements from *start*; ``slope[i][j]`` is how measure i follows knob j at first."""
    began = at = np.asarray(start, dtype=float)
    first = slopes = np.asarray(slope, dtype=float)
    left = _measured(measure, at)
    best = FitResult(at, left, first, 1)
    for number in range(2, most + 1):
        if _distance(best.left) <= CLOSE:
            return best
        if number - 1 - best.steps >= NO_NEARER or _distance(best.left) > HOPEFUL.get(number - 1, inf):
            break
        further = np.clip(at + step(slopes, left), began - REACH, began + REACH)
        there = _measured(measure, further)
        slopes = _learnt(slopes, further - at, there - left)
        at, left = further, there
        if _distance(left) < _distance(best.left):
            best = FitResult(at, left, first, number)
    why = "" if _distance(best.left) <= NEAR else f"the search ended {_distance(best.left):.0%} away"
    return replace(best, why=why)


def measured_slopes(measure: Measure, at: Sequence[float]) -> list[list[float]]:
    """How each measure follows each knob around *at*: one after the other is moved by NUDGE."""
    here = np.asarray(measure(at), dtype=float)
    nudged = [[each + NUDGE * (place == knob) for place, each in enumerate(at)] for knob in range(len(at))]
    changes = [(np.asarray(measure(knobs), dtype=float) - here) / NUDGE for knobs in nudged]
    return [[float(change[row]) for change in changes] for row in range(len(here))]


def _measured(measure: Measure, at: Vector) -> Vector:
    """NaN, where nothing was measured, counts as FAR away."""
    values = np.asarray(measure(list(at)), dtype=float)
    return np.where(np.isnan(values), FAR, values)


def step(slopes: Vector, left: Vector) -> Vector:
    """Newton's, but no knob further than STEP; directions in which nothing moves are left alone."""
    wanted = np.linalg.lstsq(slopes, -np.clip(left, -STEP, STEP), rcond=0.03)[0]
    longest = float(np.max(np.abs(wanted)))
    return np.asarray(wanted * min(1.0, STEP / longest)) if longest > 0.0 else np.asarray(wanted)


def _learnt(slopes: Vector, moved: Vector, changed: Vector) -> Vector:
    """The slopes nearest to the present ones that explain the last step."""
    square = float(moved @ moved)
    if square < TOLD**2:
        return slopes
    return np.asarray(slopes + np.outer(changed - slopes @ moved, moved) / square)


def _distance(left: Vector) -> float:
    return float(np.max(np.abs(left)))
