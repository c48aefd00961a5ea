"""A number that was predicted, beside the one that was measured; and the errors of many, as a distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class EvidencePoint:
    """A *quantity* of a *case*: what is *predicted*, and what was *measured*, if that is known.

    The error is in percent of the measured value, or of *whole* where that is given: 100 for what is itself in percent.
    """

    case: str
    quantity: str
    predicted: float
    measured: float | None = None
    whole: float | None = None

    @property
    def error(self) -> float | None:
        """Return |predicted - measured| in percent; None where nothing was measured, or 0, of which nothing is a share.
        """
        whole = self.measured if self.whole is None else self.whole
        if self.measured is None or not whole:
            return None
        return 100.0 * abs(self.predicted - self.measured) / abs(whole)


@dataclass(frozen=True)
class PointErrors:
    """Errors of some points, in percent: their number, median, mean and worst, and shares of them within 10 and 20 %.

    *summed* is the sum of all distances in percent of the sum of what was measured.
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
