"""Response Probe's bell-shaped variate: fourteen uniforms, folded back where they leave its range."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from random import Random

from sim.error import UserError

UNIFORMS = 14
"""Their sum has a deviation of sqrt(14/12), so that the true deviation is 1.0801 times the nominal one."""


@dataclass(frozen=True)
class Bell:
    """About *mean* with the nominal *deviation*, in whatever unit, never outside 0 to *most*."""

    mean: float
    deviation: float = 0.0
    most: float = inf

    def __post_init__(self) -> None:
        if not (isfinite(self.mean) and 0.0 <= self.mean <= self.most):
            raise UserError(f"a mean lies from 0 to {self.most:g}, not at {self.mean!r}")
        if not (isfinite(self.deviation) and self.deviation >= 0.0):
            raise UserError(f"a deviation is finite and not negative, not {self.deviation!r}")

    def draw(self, random: Random) -> float:
        """One variate; nothing is drawn where nothing varies."""
        if not self.deviation:
            return self.mean
        return self.fold(self.mean + (_uniforms(random.random) - UNIFORMS / 2) * self.deviation)

    def pick(self, random: Random) -> int:
        """One variate as a whole number, the nearest: of records, pages or reads."""
        return int((self.draw(random) if self.deviation else self.mean) + 0.5)

    def fold(self, value: float) -> float:
        """*value* mirrored at 0 and at *most*, as often as it takes."""
        if self.most == inf:
            return abs(value)
        if not self.most:
            return 0.0
        rest = abs(value) % (2 * self.most)
        return min(rest, 2 * self.most - rest)


def _uniforms(one: Callable[[], float]) -> float:
    """The sum of UNIFORMS of them, from the first to the last; most of a trial is spent here."""
    half = one() + one() + one() + one() + one() + one() + one()
    return half + one() + one() + one() + one() + one() + one() + one()
