"""Predicts the p95 of requests that are all in the drive, by weighing the simulation and the measured points.

In the drive the process of a request does not matter, so all points with as many under way are used. Each prediction is
weighed by its error at the fitted points: the simulation's there, and that of predicting each from other depths.
"""

from collections.abc import Iterator, Sequence
from math import fsum, log

from spindle.lab.fio.between import quantile_of_kind
from spindle.lab.fio.judged import JudgedPoint

WEIGHED_SHARE = 0.95
"""The percentile that is weighed. Judged on each of five drives, with half or a third of the depths fitted, it came
nearer by 2.9 and 3.5 points (standard errors 2.0, 2.6). Others are simulated: p50 would be nearer by 0.3 (0.2) and
farther by 0.2 (0.3), p99 and p99.9 farther by 0.5 (0.9) and 0.8 (1.9)."""


def weighed_quantiles(simulated: Sequence[JudgedPoint], held: JudgedPoint, inside: int) -> dict[float, float]:
    """Return the quantiles at the point *held*, with at most *inside* requests in the drives; they never fall."""
    alike = [each for each in simulated if each.fitted and each.point.kind == held.point.kind]
    found, least = dict[float, float](), 0.0
    for share, seconds in sorted(held.predicted.quantiles.items()):
        told = _weigh(alike, held, share, inside) if share == WEIGHED_SHARE else seconds
        found[share] = least = max(least, told)
    return found


def _weigh(alike: Sequence[JudgedPoint], held: JudgedPoint, share: float, inside: int) -> float:
    """Return the quantile *share* at *held*: logarithms of both predictions, weighed by inverse mean square errors."""
    seconds = held.predicted.quantiles[share]
    beside = quantile_of_kind([each.point for each in alike], held.point, share)
    errors = list(_errors(alike, share, inside))
    if beside is None or not errors:
        return seconds
    of_simulation, of_points = (fsum(error**2 for error in each) for each in zip(*errors, strict=True))
    both = of_simulation + of_points
    weight = of_points / both if both > 0.0 else 0.5
    return float(seconds**weight * beside ** (1.0 - weight))


def _errors(alike: Sequence[JudgedPoint], share: float, inside: int) -> Iterator[tuple[float, float]]:
    """Yield two errors at each fitted point in the drives: of the simulation, and of predicting from other depths."""
    for judged in alike:
        measured, seconds = judged.point.quantiles.get(share, 0.0), judged.predicted.quantiles[share]
        others = [other.point for other in alike if other.point.level != judged.point.level]
        told = quantile_of_kind(others, judged.point, share)
        if judged.point.level <= inside and measured > 0.0 and seconds > 0.0 and told is not None:
            yield log(seconds / measured), log(told / measured)
