"""The fit in steps: the first sheet, then in rounds its choices and its numbers, by the model's answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from models.drives.fit.choices import CHOICES
from models.drives.fit.knobs import SheetKnob, arm_of, caches, electronics, traded
from models.drives.fit.loss import ERRORS, FitLoss, surely
from models.drives.fit.start import StartingSheets
from models.drives.timed import Times
from sim.disc.mechanism import DiscType

BELIEF = 1.0
"""Standard errors by which the answers of a step must be nearer for it to be taken."""
TRIES = 14
"""Answers of the model that one number may cost in a round."""
STARTS = ("seeks and overheads", "rotation and skews")
"""The first steps: without the angles, and with them."""
FAR = 2e-3
"""Seconds to each side in which commands and the arm are told apart."""
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
    if locked and not caches(disc):
        # Where there are hits, they tell what a command takes.
        disc = with_trades(disc, loss)
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
    return better if _is_nearer(better, disc, loss) else disc


def with_trades(disc: DiscType, loss: FitLoss) -> DiscType:
    """*disc* where commands have of the arm's time what requests tell for which it stays, if that is surely nearer.

    Whether the sector was just missed is all that these tell, request by request: in demerits, one that is missed makes
    up for another that is not. So there are steps, and the middle of the lowest counts.
    """
    for number in range(len(traded(disc))):
        knob = traded(disc)[number]
        low, high = max(knob.low, knob.read(disc) - FAR), min(knob.high, knob.read(disc) + FAR)
        for _ in range(2):
            low, high = _lowest(disc, knob, np.linspace(low, high, 2 * TRIES), loss)
        better = knob.turned(disc, (low + high) / 2.0)
        gains = loss.apart(loss.times(disc)) - loss.apart(loss.times(better))
        disc = better if surely(gains, ERRORS) else disc
    return disc


def _lowest(disc: DiscType, knob: SheetKnob, values: Times, loss: FitLoss) -> tuple[float, float]:
    """Between which of *values* the step lies from which no request is lost by a revolution."""
    apart = np.array([loss.apart(loss.times(knob.turned(disc, value))).mean() for value in values.tolist()])
    best = int(np.argmin(apart))
    worse = np.flatnonzero(apart > apart[best] + loss.most / len(loss.asked) / 2.0)
    low, high = worse[worse < best].max(initial=0), worse[worse > best].min(initial=len(values) - 1)
    return float(values[low]), float(values[high])


def _is_nearer(better: DiscType, disc: DiscType, loss: FitLoss) -> bool:
    """In all, and surely in what requests or parts of them say."""
    times, than = loss.times(better), loss.times(disc)
    return loss.of(times) < loss.of(than) and loss.surely_nearer(times, than, BELIEF)
