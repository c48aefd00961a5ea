"""Defines a predicted number with its measured value, and summarises the errors of many."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class EvidencePoint:
    """A *quantity* of a *case*: its *predicted* value, and the *measured* one, if known.

    The error is in percent of the measured value, or of *whole* if that is given: 100 for a quantity in percent.
    """

    case: str
    quantity: str
    predicted: float
    measured: float | None = None
    whole: float | None = None

    @property
    def error(self) -> float | None:
        """|predicted - measured| in percent; None if there is no measured value, or if it is 0."""
        whole = self.measured if self.whole is None else self.whole
        if self.measured is None or not whole:
            return None
        return 100.0 * abs(self.predicted - self.measured) / abs(whole)


@dataclass(frozen=True)
class PointErrors:
    """Errors of some points, in percent: their number, median, mean and worst, and shares of them within 10 and 20 %.

    *summed* is the sum of all distances in percent of the sum of measured values.
    """

    number: int
    median: float
    mean: float
    worst: float
    within_10: float
    within_20: float
    summed: float


def errors_of(points: Sequence[EvidencePoint]) -> PointErrors | None:
    """Return the errors of those *points* that were measured; None where none was."""
    known = [(error, point) for point in points if (error := point.error) is not None]
    if not known:
        return None
    errors = [error for error, _ in known]
    whole = sum(abs(point.measured or 0.0) for _, point in known)
    summed = sum(abs(point.predicted - (point.measured or 0.0)) for _, point in known)
    within_10, within_20 = (fmean(error <= bound for error in errors) for bound in (10.0, 20.0))
    return PointErrors(len(errors), median(errors), fmean(errors), max(errors), within_10, within_20,
                       100.0 * summed / whole if whole else 0.0)  # fmt: skip
