"""Counts the results of fio that each fitted value rests on, and says where these are too few to judge a fit by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import FITTED, Basis, SheetNumber
from spindle.output.text import plural

TOO_FEW = "{} {} fitted to {} of {}, {} in all: too few to judge the fit, which takes more measured than fitted ones"
ONE_HELD_OUT = "1 point is held out, so that nothing is known of how errors spread"


def resting_on(kind: str, points: Sequence[FioPoint], numbers: Iterable[SheetNumber]) -> list[SheetNumber]:
    """Return *numbers* of which those that are fitted rest on *points* of one *kind*: throughput and percentiles."""
    basis = Basis(kind, len(points), sum(1 + len(each.quantiles) for each in points))
    return [replace(each, basis=basis) if each.source == FITTED else each for each in numbers]


def few_points(numbers: Iterable[SheetNumber], held_out: int) -> Iterator[str]:
    """Yield a sentence on each basis without a degree of freedom: with no more measured values than fitted ones.

    *held_out* is the number of points by which the fit is judged.
    """
    fitted = Counter(each.basis for each in numbers if each.basis is not None)
    for basis, count in fitted.items():
        if basis.values <= count:
            measured = plural(basis.values, "measured value")
            yield TOO_FEW.format(plural(count, "value"), "is" if count == 1 else "are", plural(basis.points, "point"),
                                 basis.kind, measured)  # fmt: skip
    if held_out == 1:
        yield ONE_HELD_OUT
