"""fio's points compared with answers to them: errors of what was fitted and of what was held out, and corrections."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from statistics import fmean

import numpy as np

from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostShare, LoadAnswer
from spindle.lab.fio.points import FioPoint, FioPoints, Kind

QUANTITIES = ("throughput", "mean", "p50", "p95", "p99", "p99.9")
SHARES = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


@dataclass(frozen=True)
class JudgedPoint:
    """A *point*, the answer *predicted* for it, and whether the fit saw its depth."""

    point: FioPoint
    predicted: LoadAnswer
    fitted: bool

    def error(self, quantity: str) -> float | None:
        """Return the error of *quantity* as a share of the measured value; None where fio did not print that."""
        point, predicted = self.point, self.predicted
        if quantity == "throughput":
            return predicted.iops / point.iops - 1.0
        if quantity == "mean":
            return predicted.mean / point.mean - 1.0
        share = SHARES[quantity]
        measured = point.quantiles.get(share, 0.0)
        return predicted.quantiles[share] / measured - 1.0 if measured > 0.0 else None


def judge(
    points: FioPoints, host: HostShare, answer: Callable[[FioLoad], LoadAnswer], span: int, together: int = NR_REQUESTS
) -> list[JudgedPoint]:
    """Judge all *points*; *answer* is the device's answer to a load, which many points share.

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
    """Absolute errors of *count* points: the mean and the worst."""

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


# What a simulation leaves of the points that it was fitted to, carried over to the depths between them.

def correct(points: Sequence[JudgedPoint]) -> list[JudgedPoint]:
    """Return *points*, those held out corrected by the ratios of measured and simulated at fitted depths beside them.

    Between two depths the logarithm of a ratio is a straight line over that of the depth; beyond them it stays. Where a
    depth was measured with several numbers of processes there is no such line, and nothing is corrected.
    """
    kinds: dict[Kind, list[JudgedPoint]] = {}
    for each in points:
        kinds.setdefault(each.point.kind, []).append(each)
    known = {kind: {name: _ratios(some, name) for name in QUANTITIES} for kind, some in kinds.items()
             if len({each.point.level for each in some}) == len(some)}  # fmt: skip
    return [each if each.fitted or each.point.kind not in known else _correct_one(each, known[each.point.kind])
            for each in points]  # fmt: skip


Ratios = Sequence[tuple[float, float]]
"""Logarithms of a depth and of measured over simulated there, by rising depth."""


def _ratios(points: Sequence[JudgedPoint], quantity: str) -> Ratios:
    return sorted((log(each.point.level), -log1p(error)) for each in points
                  if each.fitted and (error := each.error(quantity)) is not None and error > -1.0)  # fmt: skip


def _correct_one(judged: JudgedPoint, ratios: Mapping[str, Ratios]) -> JudgedPoint:
    where, predicted = log(judged.point.level), judged.predicted

    def factor(quantity: str) -> float:
        levels, logs = [level for level, _ in ratios[quantity]], [ratio for _, ratio in ratios[quantity]]
        return exp(float(np.interp(where, levels, logs))) if levels else 1.0

    quantiles = sorted(factor(name) * predicted.quantiles[share] for name, share in SHARES.items())
    answer = LoadAnswer(factor("throughput") * predicted.iops, factor("mean") * predicted.mean,
                        dict(zip(SHARES.values(), quantiles, strict=True)))  # fmt: skip
    return JudgedPoint(judged.point, answer, judged.fitted)
