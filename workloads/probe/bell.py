"""Draws the bell-shaped random numbers of Response Probe: sums of fourteen uniforms, folded back into their range."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from random import Random

from spindle.sim.error import UserError

UNIFORMS = 14
"""Uniforms that are summed. The sum has a deviation of sqrt(14/12), so that the deviation is 1.0801 times the nominal
one."""


@dataclass(frozen=True)
class Bell:
    """A random number about *mean* with the nominal *deviation*, in any unit, folded back into 0 to *most*."""

    mean: float
    deviation: float = 0.0
    most: float = inf

    def __post_init__(self) -> None:
        if not (isfinite(self.mean) and 0.0 <= self.mean <= self.most):
            raise UserError(f"a mean lies from 0 to {self.most:g}, not at {self.mean!r}")
        if not (isfinite(self.deviation) and self.deviation >= 0.0):
            raise UserError(f"a deviation is finite and not negative, not {self.deviation!r}")

    def draw(self, random: Random) -> float:
        """Draw a variate; without a deviation nothing is drawn."""
        if not self.deviation:
            return self.mean
        return self.fold(self.mean + (_uniforms(random.random) - UNIFORMS / 2) * self.deviation)

    def pick(self, random: Random) -> int:
        """Draw a variate as the nearest whole number, of records, pages or reads."""
        return int(self.draw(random) + 0.5)

    def fold(self, value: float) -> float:
        """Mirror *value* at 0 and at *most*, as often as it takes."""
        if self.most == inf:
            return abs(value)
        if not self.most:
            return 0.0
        rest = abs(value) % (2 * self.most)
        return min(rest, 2 * self.most - rest)


def _uniforms(one: Callable[[], float]) -> float:
    """Add up UNIFORMS calls of *one*, each written out, for most of a trial's time is spent here."""
    half = one() + one() + one() + one() + one() + one() + one()
    return half + one() + one() + one() + one() + one() + one() + one()
