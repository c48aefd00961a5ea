"""What every member has to meet: the uncached machine with 101 terminals, as McBride & Boles (1983) measured it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log


@dataclass(frozen=True)
class Target:
    """A *measure* of the uncached run, what it is fitted to, and the bounds within which a member is kept."""

    claim: str
    measure: str
    value: float
    low: float
    high: float


def _around(claim: str, measure: str, value: float) -> Target:
    return Target(claim, measure, value, 0.9 * value, 1.1 * value)


FITTED = (
    _around("B33", "response_mean", 0.92),
    Target("B10", "cpu_busy", 0.47, 0.9 * 0.47, 0.5),
    _around("B15", "impede_rate", 40.0),
    _around("B14", "disc_rate", 50.0),
)
"""As many as there are knobs. The paper says of the CPU that it is busy less than 50 %; 47 % leaves room for noise."""

REQUIRED = (*FITTED, Target("B11", "paused", 0.4, 0.4, inf))
LEAST = 1e-6
"""What stands for a rate of nothing, whose logarithm would be infinite."""


def away(values: Mapping[str, float]) -> list[float]:
    """How far *values* are from what is fitted, as logarithms of their ratios."""
    return [log(max(values[each.measure], LEAST) / each.value) for each in FITTED]


def missed(values: Mapping[str, float], targets: Sequence[Target] = REQUIRED) -> str:
    """Which targets are not met, and what is there instead; empty where all are."""
    out = [each for each in targets if not each.low <= values[each.measure] <= each.high]
    return "; ".join(f"{each.claim} {each.measure} {values[each.measure]:.3g}" for each in out)
