"""The fit in steps: the first sheet, then in rounds its choices and its numbers, by the model's answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from models.drives.fit.choices import CHOICES
from models.drives.fit.knobs import SheetKnob, arm_of, electronics
from models.drives.fit.loss import FitLoss
from models.drives.fit.start import StartingSheets
from models.drives.timed import Times
from sim.disc.mechanism import DiscType

BELIEF = 1.0
"""Standard errors by which the answers of a step must be nearer for it to be taken."""
TRIES = 14
"""Answers of the model that one number may cost in a round."""
STARTS = ("seeks and overheads", "rotation and skews")
"""The first steps: without the angles, and with them."""
REACH = 1e-3
"""Seconds to each side of a number in which a round looks; 1 for a share."""


@dataclass(frozen=True)
class FitStage:
    """The sheet after a step of the fit, and whether the angles were used for it."""

    name: str
    disc: DiscType
    locked: bool


def fit_stages(start: StartingSheets, loss: FitLoss) -> Iterator[FitStage]:
    """Each sheet on the way to the last, which is the result.

    The seek curve stays as it was found: turned until the answers are nearest, it is nearer to the half that it is
    fitted to and farther from the other (C2247A, Cheetah 4LP). Angles on which no zone agrees are not used.
    """
    first = {False: start.loose} | ({True: start.locked} if start.rotation.believed else {})
    for locked, disc in first.items():
        yield FitStage(STARTS[locked], disc, locked)
    chosen = {locked: with_choices(disc, loss) for locked, disc in first.items()}
    # A head switch that is assumed too long loses revolutions, but only where the angles are known.
    moved = {locked: loss(with_numbers(disc, arm_of(disc), loss)) for locked, disc in chosen.items()}
    locked = min(moved, key=lambda locked: (moved[locked], not locked))
    disc = chosen[locked]
    yield FitStage("buffer", disc, locked)
    for group in electronics(disc):
        disc = with_numbers(disc, group, loss)
    yield FitStage("electronics", disc, locked)
    yield FitStage("buffer again", with_choices(disc, loss), locked)


def with_choices(disc: DiscType, loss: FitLoss) -> DiscType:
    """*disc* with each choice of the buffer made in turn: changed to what is nearest of all that surely are nearer."""
    best = loss.times(disc)
    for choice in CHOICES:
        for _, other in list(choice.others(disc)):
            times = loss.times(other)
            if loss.of(times) < loss.of(best) and loss.surely_nearer(times, best, BELIEF):
                best, disc = times, other
    return disc


def with_numbers(disc: DiscType, group: Sequence[SheetKnob], loss: FitLoss) -> DiscType:
    """*disc* with the numbers of *group* where they are nearest, by Powell's method, if that is surely nearer."""
    units = np.array([knob.unit for knob in group])
    reach = np.array([REACH if knob.unit != 1.0 else 1.0 for knob in group])
    start = np.array([knob.read(disc) for knob in group])
    low = np.maximum(np.array([knob.low for knob in group]), start - reach)
    high = np.minimum(np.array([knob.high for knob in group]), start + reach)
    start = np.clip(start, low, high)

    def made(values: Times) -> DiscType:
        """Powell's method goes past a bound by its own rounding."""
        made = disc
        for knob, value in zip(group, np.clip(values, low, high).tolist(), strict=True):
            made = knob.turned(made, value)
        return made

    scale = loss(disc)
    answer = minimize(lambda values: loss(made(values * units)) / scale, start / units, method="Powell",
                     bounds=list(zip(low / units, high / units, strict=True)),
                     options={"maxfev": TRIES * len(group), "xtol": 0.01, "ftol": 1e-3})
    better = made(answer.x * units)
    return better if loss.surely_nearer(loss.times(better), loss.times(disc), BELIEF) else disc
