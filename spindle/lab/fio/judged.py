"""Compares fio's results with predictions of them: errors at fitted and at held-out points."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostShare, LoadAnswer
from spindle.lab.fio.points import FioPoint, FioPoints

QUANTITIES = ("throughput", "mean", "p50", "p95", "p99", "p99.9")
SHARE_OF_QUANTITY = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


@dataclass(frozen=True)
class JudgedPoint:
    """A measured *point*, the answer *predicted* for it, and if it was *fitted*: if the fit saw it."""

    point: FioPoint
    predicted: LoadAnswer
    fitted: bool

    def error(self, quantity: str) -> float | None:
        """Return the error of *quantity* as a share of the measured value; None where either value is missing."""
        point, predicted = self.point, self.predicted
        if quantity == "throughput":
            return predicted.iops / point.iops - 1.0
        if quantity == "mean":
            return predicted.mean / point.mean - 1.0
        share = SHARE_OF_QUANTITY[quantity]
        measured, told = point.quantiles.get(share, 0.0), predicted.quantiles.get(share)
        return told / measured - 1.0 if told is not None and measured > 0.0 else None


def judge(
    points: FioPoints, host: HostShare, answer: Callable[[FioLoad], LoadAnswer], span: int, together: int = NR_REQUESTS
) -> list[JudgedPoint]:
    """Judge all *points*; *answer* simulates a load, once for all points that share it.

    With more than *together* requests under way it matters which process each belongs to.
    """
    known: dict[FioLoad, LoadAnswer] = {}
    seen = set(map(id, points.fitted_points()))
    found = []
    for point in points.points:
        jobs = point.jobs if point.level > together else 1
        load = FioLoad(point.op, point.level, point.size, span, jobs)
        if load not in known:
            known[load] = answer(load)
        found.append(JudgedPoint(point, host.fio_answer(point, known[load]), id(point) in seen))
    return found


@dataclass(frozen=True)
class ErrorSummary:
    """Absolute errors of *count* points, as shares of the measured values: the mean and the worst."""

    count: int
    mean: float
    worst: float


def summary(points: Sequence[JudgedPoint], quantity: str) -> ErrorSummary | None:
    errors = [abs(error) for each in points if (error := each.error(quantity)) is not None]
    return ErrorSummary(len(errors), fmean(errors), max(errors)) if errors else None


def groups(points: Sequence[JudgedPoint]) -> Iterator[tuple[str, list[JudgedPoint]]]:
    """Yield the fitted and the held-out points; of the latter reads, writes, and those within and beyond the tags."""
    held = [each for each in points if not each.fitted]
    yield "fitted", [each for each in points if each.fitted]
    yield "held out", held
    for op in ("read", "write"):
        yield f"  {op}s", [each for each in held if each.point.op.value == op]
    kinds = dict.fromkeys(each.point.pattern for each in held)
    for kind in kinds if len({each.point.kind for each in held}) > 2 else ():
        yield f"    {kind}", [each for each in held if each.point.pattern == kind]
    yield f"  up to {TAGS} under way", [each for each in held if each.point.level <= TAGS]
    yield "  beyond, in the host", [each for each in held if each.point.level > TAGS]
